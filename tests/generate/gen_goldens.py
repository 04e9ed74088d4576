#!/usr/bin/env python3
"""Writes tests/fixtures/goldens.bin: what PyTorch computes, for test_goldens.c to be measured against, and beside it resnet.safetensors,
resnet224.safetensors and transformer.safetensors, three networks' weights. Never edit the files by hand.

usage: gen_goldens.py [path]        needs PyTorch 2.4 or newer (the files are by 2.15.0) and NumPy; values are computed in
                                    float64 from inputs that are exact in float32, and stored rounded to float32

The file, little-endian: 8 bytes "gtrgold1", u32 records; each record: u32 length of its name, the name, u32 kind, u32 ndim,
u32 extents[ndim], then
    kind 0: float32 elements        kind 1: int32 elements
    kind 2: u32 seed, i32 log2, f32 shift: float32 elements made by made() below, which the C side repeats bit by bit
Names: "<case>#<number>/<what>". Of an op's case, <what> is in0, in1, ... (inputs), i and f (attributes, if any), g (the output's
gradient, where the output is no scalar), out, and d0, d1, ... (gradients of float inputs). Other cases are said where they are made.

What is random is drawn from the name of its own record, so that a new row stands where it belongs and changes no other record. A case has its
number by its place among its op's: a further one stands behind these, or those behind it get other names, and with them other draws.
"""
import hashlib
import json
import math
import os
import struct
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from gen_graphs import elementwise, made, mix

torch.set_default_dtype(torch.float64)
records = []


def put(name, kind, shape, data):
    b = name.encode()
    records.append(struct.pack("<I", len(b)) + b + struct.pack("<II", kind, len(shape)) + struct.pack(f"<{len(shape)}I", *shape) + data)


def floats(name, t):
    a = t.detach().numpy() if torch.is_tensor(t) else np.asarray(t)
    put(name, 0, a.shape, a.astype("<f4").tobytes())


def ints(name, a):
    a = np.asarray(a)
    put(name, 1, a.shape, a.astype("<i4").tobytes())


AGAIN = {  # how often to draw a case again: what its first draws were
    "tanh#0": 2,  # x of -3.68, then 3.15, alone: 1 - y y of y rounded to float32 is off by up to 2.3e-5 and 8.1e-6 of itself, where 1e-5 is the limit
    "where#1": 1,  # a condition that is nowhere true
    "recurrent#9": 6,  # units of which relu leaves nothing, for all of a layer's or a direction's gradients
}


def seed(name):
    """What a record is drawn from."""
    return int.from_bytes(hashlib.sha256((name + " again" * AGAIN.get(name.split("/")[0], 0)).encode()).digest()[:4], "little")


def stream(name, shape, log2=0, shift=0.0):
    """A record of kind 2, and its values as a tensor."""
    put(name, 2, shape, struct.pack("<Iif", seed(name), log2, shift))
    return torch.tensor(made(seed(name), shape, log2, shift))


def labels(shape, n, ignore=None):
    """What draws labels below n by their record's name; every third is ignore, if any."""
    def of(name):
        r = (mix(np.arange(math.prod(shape), dtype=np.uint32), seed(name)) % np.uint32(n)).astype(np.int32).reshape(shape)
        if ignore is not None: r.reshape(-1)[::3] = ignore
        return r
    return of


number = {}


def case(op, inputs, f, i=(), a=()):
    """One case of op. inputs: shapes, (shape, log2, shift), an array, or what draws one by its record's name; f: PyTorch's form of it; i, a:
    attributes."""
    k = number[op] = number.get(op, -1) + 1
    at = f"{op}#{k}/"
    x = []
    for j, s in enumerate(inputs):
        if callable(s): s = s(f"{at}in{j}")
        if isinstance(s, np.ndarray) and s.dtype == np.float32:
            floats(f"{at}in{j}", s)
            x.append(torch.tensor(s.astype(np.float64), requires_grad=True))
        elif isinstance(s, np.ndarray):
            ints(f"{at}in{j}", s)
            x.append(torch.tensor(s.astype(np.int64)))
        else:
            shape, log2, shift = s if len(s) == 3 and isinstance(s[0], tuple) else (s, 0, 0.0)
            x.append(stream(f"{at}in{j}", shape, log2, shift).requires_grad_(True))
    if len(i): ints(at + "i", np.array(i))
    if len(a): floats(at + "f", np.array(a))
    out = f(*x)
    if not out.is_floating_point() or not out.requires_grad:
        (floats if out.is_floating_point() else ints)(at + "out", out.detach().numpy())
        return
    floats(at + "out", out)
    (out if out.dim() == 0 else (out * stream(at + "g", tuple(out.shape))).sum()).backward()
    for j, t in enumerate(x):
        if t.is_floating_point() and t.grad is not None and not 0 < t.grad.abs().max() < 1e-12: floats(f"{at}d{j}", t.grad)     # not of rounding alone


pairs_of_shapes = (((4, 5), (4, 5)), ((4, 5), (5,)), ((3, 1, 4), (2, 1)), ((6, 7), ()), ((1,), (9,)), ((2, 3, 5), (1, 3, 1)), ((33,), (33,)))
one_shapes = (((1,),), ((17,),), ((4, 33),), ((2, 3, 5),), ((1, 64),))


def ops():
    T = lambda t, flag: t.transpose(-1, -2) if flag else t
    for ta in (0, 1):
        for tb in (0, 1):
            for m, k, n, lead_a, lead_b in ((1, 1, 1, (), ()), (5, 7, 3, (), ()), (6, 33, 10, (), ()), (4, 5, 6, (3,), (3,)), (3, 4, 5, (2, 2), ()), (3, 8, 2, (), (3,))):
                case("matmul", [lead_a + ((k, m) if ta else (m, k)), lead_b + ((n, k) if tb else (k, n))], lambda a, b: T(a, ta) @ T(b, tb), (ta, tb))
    for x, m in (((1, 1), 1), ((4, 7), 5), ((33, 8), 3), ((2, 3, 6), 4), ((5, 19), 17)):
        case("linear", [x, (m, x[-1]), (m,)], F.linear)
        case("linear_no_bias", [x, (m, x[-1])], F.linear)
    for a, b in pairs_of_shapes:
        case("add", [a, b], lambda a, b: a + b)
        case("sub", [a, b], lambda a, b: a - b)
        case("mul", [a, b], lambda a, b: a * b)
        case("div", [a, (b, 0, 2.0)], lambda a, b: a / b)
    for s, in one_shapes:
        w = (s, 2, 0.0)
        case("scale", [w], lambda x: x * 1.5 - 0.25, a=(1.5, -0.25))
        case("relu", [w], F.relu)
        case("tanh", [w], torch.tanh)
        case("sigmoid", [w], torch.sigmoid)
        case("gelu", [w], F.gelu)
        case("gelu_tanh", [w], lambda x: 0.5 * x * (1 + torch.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x ** 3))))
        case("exp", [w], torch.exp)
        case("log", [(s, 0, 1.25)], torch.log)
    for s, to in (((6,), (2, 3)), ((2, 3, 4), (6, 4)), ((4, 5), (20,)), ((1, 7), (7, 1, 1))):
        case("reshape", [s], lambda x: x.reshape(to), to)
    for s in ((3, 4), (2, 3, 4), (2, 2, 2, 3)):
        case("flatten", [s], lambda x: x.flatten(1))
    for s, d in (((3, 4), (1, 0)), ((2, 3, 4), (0, 2, 1)), ((2, 3, 4), (2, 0, 1)), ((2, 3, 4, 5), (0, 2, 1, 3)), ((1, 5, 3), (1, 0, 2))):
        case("permute", [s], lambda x: x.permute(d), d)
    for ss, axis in ((((2, 3), (2, 4)), 1), (((2, 3), (1, 3), (4, 3)), 0), (((2, 3, 1), (2, 3, 5)), -1), (((2, 1, 4), (2, 2, 4)), 1)):
        case("concat", list(ss), lambda *x: torch.cat(x, axis), (axis,))
    for s, axis, b, e in (((7,), 0, 2, 5), ((4, 9), 1, 0, 4), ((4, 9), -1, 8, 9), ((2, 5, 3), 1, 1, 4), ((6, 2), 0, 3, 6)):
        case("slice", [s], lambda x: x.narrow(axis, b, e - b), (axis, b, e))
    for s, axis, b, e, step in (((7,), 0, 0, 7, 3), ((4, 9), 1, 1, 8, 2), ((2, 5, 3), 1, 0, 5, 4)):
        at = tuple([slice(None)] * axis + [slice(b, e, step)])
        case("slice_step", [s], lambda x: x[at], (axis, b, e, step))
    for s, axis, n in (((6,), 0, 3), ((4, 9), 1, 3), ((4, 8), -1, 2), ((2, 6, 3), 1, 2), ((6, 2), 0, 6)):
        def parts(x):
            p = x.chunk(n, axis)
            return p[0] * p[n - 1] + p[n // 2]
        case("split", [s], parts, (axis, n))
    for name in ("sum", "mean"):
        for s, axes, keep in (((7,), (), 0), ((3, 5), (0,), 0), ((3, 5), (1,), 1), ((2, 3, 4), (1,), 0), ((2, 3, 4), (0, 2), 0), ((2, 3, 4), (-1, 0), 1), ((9, 33), (), 0)):
            dims = axes or tuple(range(len(s)))
            case(name, [(s, 0, 0.5)], lambda x: getattr(x, name)(dim=dims, keepdim=bool(keep)), (keep,) + axes)
    for s, axis in (((5,), 0), ((4, 10), 1), ((4, 10), 0), ((2, 3, 7), -1), ((2, 5, 3), 1), ((3, 33), -1)):
        case("softmax", [(s, 2, 0.0)], lambda x: F.softmax(x, axis), (axis,))
        case("argmax", [(s, 2, 0.0)], lambda x: x.argmax(axis), (axis,))
    for s, axis in (((5,), 0), ((4, 10), 1), ((4, 10), 0), ((2, 5, 3), 1)):
        case("softmax_mask", [(s, 2, 0.0), s], lambda x, m: x.softmax(axis) * m + x.softmax(axis) ** 2, (axis,))
    for rows, width in (((6,), (5, 3)), ((2, 3), (7, 4)), ((1,), (1, 1)), ((9,), (3, 17))):
        case("embedding", [labels(rows, width[0]), width], lambda ids, t: F.embedding(ids, t))
    for n, s in enumerate(((4, 10), (1, 2), (7, 3), (33, 5))):
        y = labels(s[:1], s[1])
        for smooth in (0.0, 0.1):
            case("cross_entropy", [(s, 2, 0.0), y], lambda x, y: F.cross_entropy(x, y, label_smoothing=smooth), (-100,), (smooth,))
        y = labels(s[:1], s[1], ignore=-100 if n % 2 else 0)
        if n != 1: case("cross_entropy", [(s, 2, 0.0), y], lambda x, y: F.cross_entropy(x, y, ignore_index=-100 if n % 2 else 0, label_smoothing=0.2), (-100 if n % 2 else 0,), (0.2,))
        case("accuracy", [(s, 2, 0.0), labels(s[:1], s[1])], lambda x, y: (x.argmax(1) == y).double().mean().detach())
    for s in ((1,), (4, 3), (33, 2), (2, 3, 5)):
        case("mse", [s, s], F.mse_loss)
        case("bce_with_logits", [(s, 2, 0.0), (s, -1, 0.5)], F.binary_cross_entropy_with_logits)
        case("stop_gradient", [s, s], lambda x, y: x.detach() * y + 0 * x)


def batch_norms():
    """batch_norm#k: in0, weight, bias, mean, var (running, before), g; train (output), d0, dweight, dbias; eval (output)."""
    for k, s in enumerate(((4, 1), (5, 3), (33, 4), (8, 17), (3, 4, 5), (2, 5, 3, 4), (2, 17, 2, 2))):
        at = f"batch_norm#{k}/"
        m = (nn.BatchNorm2d if len(s) > 3 else nn.BatchNorm1d)(s[1])
        x = stream(at + "in0", s, 1, 0.5).requires_grad_(True)
        m.weight.data, m.bias.data = stream(at + "weight", s[1:2], 0, 1.5), stream(at + "bias", s[1:2])
        m.running_mean.data, m.running_var.data = stream(at + "mean", s[1:2]), stream(at + "var", s[1:2], 0, 1.5)
        m.eval()
        floats(at + "eval", m(x))
        m.train()
        out = m(x)
        floats(at + "train", out)
        (out * stream(at + "g", s)).sum().backward()
        for n, t in (("d0", x), ("dweight", m.weight), ("dbias", m.bias)): floats(at + n, t.grad)


def micro_batches():
    """micro#0: four micro-batches of x (32, 6) a step, three steps of SGD with momentum, through batch_norm: x0..x2, y0..y2, the initial
    parameters by their names; loss (3), gradients of the first step (grad/<name>; a bias before batch_norm has none but rounding), and all parameters and buffers after the third (end/<name>)."""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.bn, self.fc2 = nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 3)
        def forward(self, x): return self.fc2(F.relu(self.bn(self.fc1(x))))
    at = "micro#0/"
    net = Net()
    for n, p in net.named_parameters(): p.data = stream(at + n, tuple(p.shape), -1, 1.0 if n == "bn.weight" else 0.0)
    opt = torch.optim.SGD(net.parameters(), lr=0.125, momentum=0.875)
    losses = []
    for step in range(3):
        x, y = stream(f"{at}x{step}", (32, 6), 1), labels((32,), 3)(f"{at}y{step}")
        ints(f"{at}y{step}", y)
        opt.zero_grad()
        total = 0
        for i in range(4):
            loss = F.cross_entropy(net(x[8 * i:8 * i + 8]), torch.tensor(y[8 * i:8 * i + 8].astype(np.int64))) / 4
            loss.backward()
            total += loss.item()
        losses.append(total)
        if step == 0:
            for n, p in net.named_parameters():
                if n != "fc1.bias": floats(f"{at}grad/{n}", p.grad)
        opt.step()
    floats(at + "loss", np.array(losses))
    for n, p in net.named_parameters(): floats(f"{at}end/{n}", p)
    for n, b in net.named_buffers(): (floats if b.is_floating_point() else ints)(f"{at}end/{n}", b.detach().numpy())


OPTIMIZERS = (  # kind (0 SGD, 1 Adam, 2 AdamW, 3 RMSprop with alpha for beta2, 4 Lion, 5 Adagrad), lr, momentum, nesterov, weight_decay, beta1, beta2,
    # clip, and of Adagrad lr_decay, initial_accumulator_value
    (0, 0.125, 0, 0, 0, 0, 0, 0), (0, 0.125, 0.875, 0, 0, 0, 0, 0), (0, 0.0625, 0.875, 1, 0, 0, 0, 0), (0, 0.125, 0.875, 0, 0.0625, 0, 0, 0),
    (0, 0.0625, 0.5, 1, 0.03125, 0, 0, 0), (1, 0.001, 0, 0, 0, 0.9, 0.999, 0), (1, 0.015625, 0, 0, 0.0625, 0.9, 0.999, 0),
    (1, 0.015625, 0, 0, 0, 0.5, 0.75, 0), (2, 0.001, 0, 0, 0.01, 0.9, 0.999, 0), (2, 0.015625, 0, 0, 0.25, 0.9, 0.999, 0),
    (0, 0.125, 0, 0, 0, 0, 0, 1), (1, 0.015625, 0, 0, 0, 0.9, 0.999, 0.5),
    (3, 0.015625, 0, 0, 0, 0, 0, 0), (3, 0.015625, 0.875, 0, 0.0625, 0, 0.75, 0), (3, 0.015625, 0, 0, 0.0625, 0, 0, 0.5),
    (4, 0.00390625, 0, 0, 0, 0, 0, 0), (4, 0.015625, 0, 0, 0.25, 0.5, 0.75, 0),
    (5, 0, 0, 0, 0, 0, 0, 0, 0, 0), (5, 0.0625, 0, 0, 0.0625, 0, 0, 0.5, 0, 0), (5, 0.125, 0, 0, 0.0625, 0, 0, 0, 0.25, 0.5))


class Lion(torch.optim.Optimizer):
    """Chen et al., 2023, algorithm 2, which PyTorch has not."""

    def __init__(self, p, lr, betas, weight_decay):
        super().__init__(p, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            (b1, b2), lr = group["betas"], group["lr"]
            for p in group["params"]:
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                p -= lr * ((b1 * m + (1 - b1) * p.grad).sign() + group["weight_decay"] * p)
                m.mul_(b2).add_(p.grad, alpha=1 - b2)


def optimizers():
    """optimizer#k: f (the row), p0 (7, 5), p1 (11): values before; at each of 100 steps t the gradients are
    made(5000 + 2 t + which) times 4 if t is a multiple of 7; norm (100, if clipped), end0, end1 (after 10 steps: ten0, ten1)."""
    for k, row in enumerate(OPTIMIZERS):
        kind, lr, momentum, nesterov, decay, b1, b2, clip, *adagrad = row
        at = f"optimizer#{k}/"
        floats(at + "f", np.array(row, dtype=np.float64))
        p = [nn.Parameter(stream(at + "p0", (7, 5))), nn.Parameter(stream(at + "p1", (11,)))]
        opt = {  # by gtr_optimizer
            0: lambda: torch.optim.SGD(p, lr, momentum, weight_decay=decay, nesterov=bool(nesterov)),
            1: lambda: torch.optim.Adam(p, lr, (b1, b2), weight_decay=decay),
            2: lambda: torch.optim.AdamW(p, lr, (b1, b2), weight_decay=decay),
            3: lambda: torch.optim.RMSprop(p, lr, b2 or 0.99, momentum=momentum, weight_decay=decay),
            4: lambda: Lion(p, lr, (b1 or 0.9, b2 or 0.99), decay),
            5: lambda: torch.optim.Adagrad(p, lr or 0.01, adagrad[0], decay, adagrad[1])}[kind]()
        norms = []
        for t in range(100):
            for which, q in enumerate(p): q.grad = torch.tensor(made(5000 + 2 * t + which, tuple(q.shape)) * (4 if t % 7 == 0 else 1))
            if clip: norms.append(nn.utils.clip_grad_norm_(p, clip).item())
            opt.step()
            if t == 9:
                for which, q in enumerate(p): floats(f"{at}ten{which}", q)
        if clip: floats(at + "norm", np.array(norms))
        for which, q in enumerate(p): floats(f"{at}end{which}", q)


def networks():
    """mlp#k: 20-16-12-5, batch 32, 10 steps, each with a batch of its own (x0.., y0..; y are classes for k of cross-entropy, floats
    else): i (activation: 0 relu, 1 tanh, 2 gelu; loss: 0 cross-entropy, 1 mse, 2 bce; optimizer: 0 SGD with momentum 0.875 and rate 0.0625,
    1 Adam with rate 0.001); parameters by name; loss (10); gradients of the first step; end/<name> for SGD."""
    k = 0
    for act, loss_kind in ((0, 0), (1, 1), (2, 2)):
        for adam in (0, 1):
            at = f"mlp#{k}/"
            k += 1
            sizes = (20, 16, 12, 5)
            net = nn.ModuleDict({f"fc{j + 1}": nn.Linear(a, b) for j, (a, b) in enumerate(zip(sizes, sizes[1:]))})
            ints(at + "i", np.array((act, loss_kind, adam)))
            for n, p in net.named_parameters(): p.data = stream(at + n, tuple(p.shape), -2)
            opt = torch.optim.Adam(net.parameters(), 0.001) if adam else torch.optim.SGD(net.parameters(), 0.0625, 0.875)
            f = (F.relu, torch.tanh, F.gelu)[act]
            losses = []
            for step in range(10):
                h = stream(f"{at}x{step}", (32, 20))
                if loss_kind == 0:
                    y = labels((32,), 5)(f"{at}y{step}")
                    ints(f"{at}y{step}", y)
                    y = torch.tensor(y.astype(np.int64))
                else:
                    y = stream(f"{at}y{step}", (32, 5), -1, 0.5)
                h = f(net["fc1"](h))
                h = f(net["fc2"](h))
                loss = (F.cross_entropy, F.mse_loss, F.binary_cross_entropy_with_logits)[loss_kind](net["fc3"](h), y)
                opt.zero_grad()
                loss.backward()
                losses.append(loss.item())
                if step == 0:
                    for n, p in net.named_parameters(): floats(f"{at}grad/{n}", p.grad)
                opt.step()
            floats(at + "loss", np.array(losses))
            if not adam:
                for n, p in net.named_parameters(): floats(f"{at}end/{n}", p)


def ignored():
    """ignored#k: x (24, 3, 6), y (24, 3), of which some are ignored and in the first 7 rows of a step all: f (smoothing, ignore_index); three
    steps of SGD with momentum, each over its whole batch: x0..x2, y0..y2, parameters by name; loss (3), gradients of the first step, end/<name>;
    eval: loss and share of right ones among labels that are not negative, over all 72 rows, after the third step."""
    for k, (smooth, ignore) in enumerate(((0.0, -100), (0.125, 2))):
        at = f"ignored#{k}/"
        floats(at + "f", np.array((smooth, float(ignore))))
        net = nn.ModuleDict({"fc1": nn.Linear(6, 8), "fc2": nn.Linear(8, 5)})
        for n, p in net.named_parameters(): p.data = stream(at + n, tuple(p.shape), -1)
        opt = torch.optim.SGD(net.parameters(), lr=0.125, momentum=0.875)
        of = lambda x: net["fc2"](torch.tanh(net["fc1"](x.reshape(-1, 6))))
        loss_of = lambda x, y: F.cross_entropy(of(x), y.reshape(-1), ignore_index=ignore, label_smoothing=smooth)
        losses, xs, ys = [], [], []
        for step in range(3):
            x, y = stream(f"{at}x{step}", (24, 3, 6), 1), labels((24, 3), 5, ignore)(f"{at}y{step}")
            y[:7] = ignore
            ints(f"{at}y{step}", y)
            xs.append(x)
            ys.append(torch.tensor(y.astype(np.int64)))
            opt.zero_grad()
            loss = loss_of(x, ys[-1])
            loss.backward()
            losses.append(loss.item())
            if step == 0:
                for n, p in net.named_parameters(): floats(f"{at}grad/{n}", p.grad)
            opt.step()
        floats(at + "loss", np.array(losses))
        for n, p in net.named_parameters(): floats(f"{at}end/{n}", p)
        x, y = torch.cat(xs), torch.cat(ys).reshape(-1)
        right = (of(x).argmax(1) == y)[y >= 0]
        floats(at + "eval", np.array((loss_of(x, y).item(), right.double().mean().item())))


def rows():
    """Of tests/programs/elementwise.h; and "edges <op>", at kinks and far out."""
    edges = np.array((0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.0, -2.0, 2.5, 3.0, -3.0, 6.0, 1e-30, -1e-30, 1e-40, 20.0, -20.0, 85.0, -85.0, 1e3, -1e3, 1e5, 1e30, -1e30, 3e38, -3e38), np.float32)
    pairs = np.array([(a, b) for a in (0, 0.5, 1, -1, -2, 1e30, np.inf) for b in (0, 1, 2, -1, 0.5, -2, 3, 1e30)], np.float32)
    spans = {"X": (2, 0.0), "N": (2, 0.0), "F": (3, 0.0), "D": (3, 0.0), "P": (0, 1.25), "Q": (0, 2.0)}
    for name, kinds, f in elementwise():
        for shapes in (pairs_of_shapes[1:5] if len(kinds) > 1 else one_shapes[:4:3] + one_shapes[1:2]):
            case(name, [(s,) + spans[k] for s, k in zip(shapes, kinds)], f)
        case("edges " + name, [edges] if len(kinds) == 1 else list(pairs.T.copy()), f)
    for s in (((4, 5), (4, 5), (5,)), ((3, 1), (3, 4), (4,)), ((6,), (), (6,))):
        case("where", [(s[0], 0, 0.0), s[1], s[2]], lambda x, y, z: torch.where(x.round() != 0, y, z) + 0 * x)


def axes():
    over = {"logsumexp": torch.logsumexp, "max": torch.amax, "min": torch.amin,
            "var": lambda x, d, k: x.var(d, unbiased=True, keepdim=k), "var_biased": lambda x, d, k: x.var(d, unbiased=False, keepdim=k),
            "norm1": lambda x, d, k: torch.linalg.vector_norm(x, 1, d, k), "norm2": lambda x, d, k: torch.linalg.vector_norm(x, 2, d, k),
            "norm_inf": lambda x, d, k: torch.linalg.vector_norm(x, float("inf"), d, k)}
    for name, f in over.items():
        for s, dims, keep in (((7,), (0,), 0), ((3, 5), (0,), 0), ((3, 5), (1,), 1), ((2, 3, 4), (0, 2), 0), ((9, 33), (0, 1), 0)):
            case(name, [(s, 1, 0.0)], lambda x: f(x, dims, bool(keep)), (keep,) + dims)
    for s, axis, keep in (((7,), 0, 0), ((3, 5), 1, 1), ((2, 3, 4), 1, 0)): case("prod", [(s, 1, 0.5)], lambda x: x.prod(axis, bool(keep)), (keep, axis))
    for s, axis in (((5,), 0), ((4, 10), 1), ((4, 10), 0), ((2, 5, 3), 1), ((3, 33), -1)):
        w = (s, 2, 0.0)
        case("log_softmax", [w], lambda x: F.log_softmax(x, axis), (axis,))
        case("argmin", [w], lambda x: x.argmin(axis), (axis,))
        case("cumsum", [w], lambda x: x.cumsum(axis), (axis,))
        for down in (0, 1):
            case("sort", [w], lambda x: x.sort(dim=axis, descending=bool(down), stable=True).values, (axis, down))
            case("sort_places", [w], lambda x: x.sort(dim=axis, descending=bool(down), stable=True).indices, (axis, down))
        case("top_k", [w], lambda x: x.topk(3, axis).values, (axis, 3))
        case("top_k_places", [w], lambda x: x.topk(3, axis).indices, (axis, 3))
        case("roll", [w], lambda x: x.roll(-2, axis), (axis, -2))
        case("flip", [w], lambda x: x.flip(axis), (axis,))
        case("stack", [w, w], lambda *x: torch.stack(x, axis), (axis,))
    for s, times in (((3,), (2,)), ((2, 3), (1, 3)), ((2, 1, 4), (3, 2, 1))): case("tile", [s], lambda x: x.tile(times), times)
    for mode, name in enumerate(("constant", "reflect", "replicate", "circular")):
        for s, pad in (((2, 3, 5), (2, 1)), ((2, 3, 4, 5), (1, 2, 2, 0)), ((1, 2, 6), (0, 5))):
            case("pad", [s], lambda x: F.pad(x, pad, name, 0.5 if mode == 0 else None), (mode,) + pad, (0.5,))
    for rows, width in (((6,), (5, 3)), ((2, 3), (7, 2, 4)), ((9,), (3,))):
        case("gather_rows", [width, labels(rows, width[0])], lambda x, ids: x[ids])
        case("scatter_add_rows", [labels(rows, width[0]), rows + width[1:]],
             lambda ids, x: torch.zeros(width).index_add(0, ids.reshape(-1), x.reshape((-1,) + width[1:])), width[:1])
        case("one_hot", [labels(rows, 6)], lambda ids: F.one_hot(ids, 6).double(), (6,))
    for s, t, axis in (((5,), (3,), 0), ((4, 6), (4, 2), 1), ((4, 6), (9, 6), 0), ((2, 3, 4), (2, 5, 4), 1)):
        case("gather", [s, labels(t, s[axis])], lambda x, ids: x.gather(axis, ids), (axis,))
        case("to_float", [labels(t, 1000)], lambda x: x.double())
        case("to_int", [(t, 4, 0.25)], lambda x: x.trunc().long())


def layers():
    for s, k in (((4, 5), (5,)), ((2, 3, 4), (3, 4)), ((7,), (7,)), ((3, 33), (33,)), ((5, 2, 8), (8,))):
        for eps in (0.0, 0.125):
            case("layer_norm", [(s, 1, 0.5), (k, 0, 1.5), k], lambda x, w, b: F.layer_norm(x, k, w, b, eps or 1e-5), a=(eps,))
            case("rms_norm", [(s, 1, 0.5), (k, 0, 1.5)], lambda x, w: F.rms_norm(x, k, w, eps or 2.0 ** -23), a=(eps,))
        case("layer_norm", [(s, 1, 0.5), (k, 0, 1.5)], lambda x, w: F.layer_norm(x, k, w), a=(0,))
    for s, n in (((4, 5), 5), ((4, 5), 1), ((2, 3, 4), 3), ((7,), 1)): case("prelu", [(s, 1, 0.0), (n,)], F.prelu)
    for a, b, m in (((4, 5), (4, 3), 2), ((1, 1), (1, 7), 3), ((2, 3, 4), (2, 3, 5), 6)):
        case("bilinear", [a, b, (m, a[-1], b[-1]), (m,)], F.bilinear)
        case("bilinear", [a, b, (m, a[-1], b[-1])], F.bilinear)


REDUCTIONS = ("mean", "sum", "none")
def reduced(t, how): return (t.mean, t.sum, lambda: t, lambda: t.sum() / t.shape[0])[how]()


def entropy(name, ins, weights, how, smooth=0.0, ignore=-100):
    def f(x, t, *w):
        w = list(w)
        of = w.pop(0).detach() if weights & 1 else None
        more = {"ignore_index": ignore} if t.dtype == torch.long else {}
        if name == "nll": g = lambda r: F.nll_loss(x, t, of, reduction=r, **more)
        else: g = lambda r: F.cross_entropy(x, t, of, reduction=r, label_smoothing=smooth, **more)
        if how < 3 and not weights & 2: return g(REDUCTIONS[how])
        y = g("none") * (w[0] if w else 1)
        if how or t.dtype != torch.long: return reduced(y, how)
        counts = (t != ignore).double()
        return y.sum() / (counts * (of[t.clamp(min=0)] if of is not None else 1)).sum()
    n, c, *rest = ins[0][0]
    case(name, ins + [((c,), -1, 1.0)] * (weights & 1) + [((n, *rest), -1, 1.0)] * (weights >> 1), f, (how, weights, ignore), (smooth,))


def losses():
    """<loss>#k as ops: i: reduction (0 mean, 1 sum, 2 none, 3 batchmean), whether the last input is a weight, flags (1 log_target, 2 no_log_input,
    4 full, 8 input 2 is pos_weight); f: beta, delta, alpha, gamma, margin, eps, and then cosine_embedding's y. Of cross_entropy_ex and nll:
    i: reduction, flags (1 weight, 2 sample_weight, the last inputs), ignored label; f: smoothing."""
    def loss(name, ins, f, flags=0, beta=0, delta=0, alpha=0, gamma=0, margin=0, eps=0, y=()):
        rows = ins[0][0] if name == "cosine_embedding" else ins[0]
        n = len(ins)
        for how, weighted in ((0, 0), (1, 0), (2, 0), (0, 1), (3, 1)):
            w = (rows[:1] if name == "cosine_embedding" else (rows[0][0], 1) if isinstance(rows[0], tuple) else (rows[0], 1), -1, 1.0)
            case(name, ins + [w] * weighted, lambda *x: reduced(f(*x[:n], reduction="none") * x[n].detach(), how) if weighted else
                 f(*x, reduction=REDUCTIONS[how]), (how, weighted, flags), (beta, delta, alpha, gamma, margin, eps) + tuple(y))
    s = (4, 3)
    wide, part, soft = (s, 2, 0.0), (s, -1, 0.5), (s, 0, 1.25)
    loss("mse_ex", [s, s], F.mse_loss)
    loss("l1", [s, s], F.l1_loss)
    loss("smooth_l1", [wide, s], F.smooth_l1_loss)
    loss("smooth_l1", [wide, s], lambda x, t, reduction: F.smooth_l1_loss(x, t, reduction=reduction, beta=0.25), beta=0.25)
    loss("huber", [wide, s], F.huber_loss)
    loss("huber", [wide, s], lambda x, t, reduction: F.huber_loss(x, t, reduction=reduction, delta=2.5), delta=2.5)
    loss("bce", [part, part], F.binary_cross_entropy)
    loss("bce_with_logits_ex", [(s, 4, 0.0), part], F.binary_cross_entropy_with_logits)
    loss("bce_with_logits_ex", [wide, part, ((3,), -1, 1.0)], lambda x, t, p, reduction: F.binary_cross_entropy_with_logits(
        x, t, pos_weight=p.detach(), reduction=reduction), 8)
    for alpha, gamma in ((0.25, 2.0), (0.75, 0.5), (-1.0, 3.0)):
        def focal(x, t, reduction):
            p = torch.sigmoid(x)
            y = F.binary_cross_entropy_with_logits(x, t, reduction="none") * (1 - p * t - (1 - p) * (1 - t)) ** gamma
            return reduced(y * (alpha * t + (1 - alpha) * (1 - t)) if alpha >= 0 else y, REDUCTIONS.index(reduction))
        loss("focal", [wide, part], focal, alpha=alpha if alpha != 0.25 else 0, gamma=gamma if gamma != 2 else 0)
    loss("kl_div", [wide, part], F.kl_div)
    loss("kl_div", [wide, wide], lambda x, t, reduction: F.kl_div(x, t, reduction=reduction, log_target=True), 1)
    loss("poisson_nll", [wide, (s, 1, 2.0)], F.poisson_nll_loss)
    loss("poisson_nll", [wide, (s, 1, 2.0)], lambda x, t, reduction: F.poisson_nll_loss(x, t, full=True, reduction=reduction), 4)
    loss("poisson_nll", [soft, (s, 1, 2.0)], lambda x, t, reduction: F.poisson_nll_loss(x, t, False, True, eps=0.125, reduction=reduction), 6, eps=0.125)
    loss("gaussian_nll", [s, s, part], F.gaussian_nll_loss)
    loss("gaussian_nll", [s, s, ((4, 1), -1, 0.5)], lambda x, t, v, reduction: F.gaussian_nll_loss(x, t, v, True, 0.5, reduction), 4, eps=0.5)
    y = (1.0, -1.0, -1.0, 1.0)
    for margin in (0.0, 0.25):
        loss("cosine_embedding", [(s, 0, 0.25), (s, 0, 0.25)], lambda a, b, reduction: F.cosine_embedding_loss(
            a, b, torch.tensor(y), margin, reduction=reduction), margin=margin, y=y)

    x = ((6, 5), 2, 0.0)
    for how in range(4):
        for weights in range(4):
            ignore = 2 if weights == 3 else -100
            y = labels((6,), 5, ignore)
            entropy("nll", [x, y], weights, how, 0.0, ignore)
            if weights or how: entropy("cross_entropy_ex", [x, y], weights, how, 0.125 * (how & 1), ignore)
            if weights == 3: entropy("cross_entropy_ex", [x, y], weights, how, 0.125, ignore)
            if weights == how: entropy("cross_entropy_ex", [x, ((6, 5), -1, 0.5)], weights, how, 0.125 * (how > 1))


def pixels():
    """Classes on dimension 1 of (N, C, L), (N, C, H, W) and (N, C, D, H, W), each pixel with a label."""
    for k, shape in enumerate(((4, 3, 5), (3, 4, 2, 3), (2, 3, 2, 1, 3))):
        x, at = (shape, 2, 0.0), shape[:1] + shape[2:]
        for how in range(4):
            for weights in range(4):
                ignore = 2 if weights == 3 else -100
                y = labels(at, shape[1], ignore)
                if weights == how or k == 1: entropy("cross_entropy_ex", [x, y], weights, how, 0.125 * (how & 1), ignore)
                if weights != how: entropy("nll", [x, y], weights, how, 0.0, ignore)
                if weights ^ how == k: entropy("cross_entropy_ex", [x, (shape, -1, 0.5)], weights, how, 0.125 * (how > 1))
        case("accuracy", [x, y], lambda x, y: (x.argmax(1) == y).double().mean())


def quantiles():
    for n, how, q in ((0, 0, 0.5), (1, 1, 0.125), (2, 2, 0.75), (3, 3, 0.875)):
        def f(x, t, *w):
            y = torch.maximum(q * (t - x), (q - 1) * (t - x))
            return reduced(y * w[0].detach() if w else y, how)
        case("quantile", [((4, 3), 2, 0.0), (4, 3)] + [((3,), -1, 1.0)] * (n == 2), f, (how, int(n == 2), 0), (q if n else 0.0,))


def ctcs():
    """i: reduction, blank, zero_infinity, lengths, label_lengths; labels end at -1 where they have no lengths."""
    for n, t, c, l, blank, how, zero, lengths, counts, ends in ((1, 5, 3, 2, 0, 0, 0, None, None, 0), (4, 7, 5, 3, 4, 0, 0, (7, 5, 6, 0), (3, 2, 0, 0), 0),
            (3, 9, 4, 4, 1, 1, 0, None, (4, 0, 2), 0), (3, 6, 28, 3, 0, 2, 0, (6, 2, 4), (3, 3, 1), 0), (4, 8, 6, 4, 2, 0, 1, (3, 8, 7, 0), None, 0),
            (5, 20, 33, 6, 0, 3, 0, (20, 13, 17, 18, 20), (6, 1, 3, 5, 2), 0), (3, 12, 7, 5, 3, 0, 0, None, None, 2), (2, 90, 40, 31, 0, 2, 0, (90, 70), (31, 29), 0)):
        def ids(name):
            y = labels((n, l), c - 1)(name)
            y += y >= blank
            if ends: y[np.arange(l) >= l - ends * np.arange(n)[:, None]] = -1
            return y
        def f(x, y, *m):
            wide = torch.tensor(lengths if lengths else [t] * n), torch.tensor(counts) if counts else (y >= 0).sum(1)
            terms = F.ctc_loss(x.log_softmax(2).transpose(0, 1), y.clamp(min=0), *wide, blank, "mean" if how == 0 else "none", bool(zero))
            return terms if how == 0 else reduced(terms, how)
        more = [np.array(m, np.int32) for m in (lengths, counts) if m]
        case("ctc", [((n, t, c), 2, 0.0), ids] + more, f, (how, blank, zero, int(bool(lengths)), int(bool(counts))))


def image_ops():
    """conv, conv_transpose: i: stride, padding, dilation (height, width each), groups, output padding; pools: i: kernel, stride, padding,
    dilation, round_up, exclude_padding; all of (N, C, H, W), or of (N, C, L), whose heights are not used."""
    def conv(x, w, stride=(1, 1), pad=(0, 0), dil=(1, 1), groups=1, bias=True, out=None):
        dims = len(x) - 2
        name = "conv" if out is None else "conv_transpose"
        f, each = getattr(F, f"{name}{dims}d"), lambda t: t[-dims:]
        more = {} if out is None else {"output_padding": each(out)}
        b = ((w[0] if out is None else w[1] * groups),)
        case(name, [x, w] + [b] * bias, lambda x, w, b=None: f(x, w, b, stride=each(stride), padding=each(pad), dilation=each(dil), groups=groups, **more),
             stride + pad + dil + (groups,) + (out or (0, 0)))
    conv((2, 3, 5, 4), (4, 3, 3, 3))
    conv((2, 3, 5, 4), (4, 3, 3, 3), pad=(1, 1))
    conv((1, 2, 7, 6), (3, 2, 3, 2), (2, 3), (1, 0), bias=False)
    conv((2, 2, 6, 7), (2, 2, 3, 3), pad=(2, 1), dil=(2, 3))
    conv((2, 4, 5, 5), (6, 2, 3, 3), (2, 1), (1, 1), groups=2)
    conv((2, 5, 5, 6), (5, 1, 3, 3), pad=(1, 1), groups=5)
    conv((1, 3, 4, 4), (6, 1, 2, 2), groups=3, bias=False)
    conv((3, 4, 3, 3), (5, 4, 1, 1))
    conv((2, 4, 5, 4), (3, 4, 1, 1), (2, 2))
    conv((1, 3, 9, 9), (4, 3, 7, 7), (2, 2), (3, 3), bias=False)
    conv((1, 1, 1, 1), (2, 1, 5, 5), pad=(2, 2))
    conv((2, 17, 4, 3), (19, 17, 3, 3), pad=(1, 1))
    conv((2, 3, 9), (4, 3, 3), pad=(1, 1))
    conv((2, 4, 8), (4, 1, 5), (1, 2), (0, 2), groups=4, bias=False)
    conv((1, 2, 11), (3, 2, 3), (1, 3), (0, 2), (1, 2))
    conv((2, 3, 3, 4), (3, 4, 3, 3), out=(0, 0))
    conv((2, 3, 3, 4), (3, 4, 3, 3), (2, 2), (1, 1), out=(1, 1))
    conv((1, 2, 4, 3), (2, 3, 2, 2), (2, 2), bias=False, out=(0, 0))
    conv((2, 2, 3, 3), (2, 3, 3, 2), (3, 2), (1, 1), (2, 1), out=(2, 1))
    conv((2, 4, 3, 3), (4, 2, 3, 3), (2, 1), (1, 1), groups=2, out=(1, 0))
    conv((2, 3, 3, 3), (3, 1, 4, 4), (2, 2), (1, 1), groups=3, out=(0, 0))
    conv((2, 3, 4, 3), (3, 2, 1, 1), (2, 2), out=(1, 1))
    conv((2, 3, 5), (3, 4, 3), (1, 2), (0, 1), out=(0, 1))
    conv((1, 2, 4), (2, 3, 4), (1, 2), (0, 0), (1, 2), bias=False, out=(0, 0))

    def pool(kind, x, k, stride=None, pad=(0, 0), dil=(1, 1), up=0, without=0):
        dims, stride = len(x) - 2, stride or k
        f, each = getattr(F, f"{kind}_pool{dims}d"), lambda t: t[-dims:]
        more = {"dilation": each(dil)} if kind == "max" else {"count_include_pad": not without}
        ties = lambda name: np.round(made(seed(name), x, 2)).astype(np.float32)
        case(f"{kind}_pool", [ties if without and kind == "max" else (x, 1, 0.0)],
             lambda x: f(x, each(k), each(stride), each(pad), ceil_mode=bool(up), **more), k + stride + pad + dil + (up, without))
    for kind in ("max", "avg"):
        pool(kind, (2, 3, 4, 6), (2, 2))
        pool(kind, (2, 2, 5, 4), (3, 3), (2, 2), (1, 1))
        pool(kind, (1, 3, 5, 7), (3, 2), (1, 2), (1, 0), without=1)
        pool(kind, (2, 2, 6, 5), (3, 2), (2, 2), up=1)
        pool(kind, (2, 2, 6, 5), (2, 3), (3, 2), (1, 1), up=1, without=1)
        pool(kind, (1, 2, 3, 2), (4, 2), (3, 3), (0, 1), up=1)
        pool(kind, (2, 3, 9), (1, 3), (1, 2), (0, 1))
        pool(kind, (2, 3, 8), (1, 2), (1, 3), up=1, without=1)
    pool("max", (2, 2, 7, 6), (2, 3), (1, 2), (1, 1), (3, 2))
    pool("max", (1, 2, 7, 6), (3, 3), (1, 1), (1, 1), (2, 2), without=1)
    for x, to in (((2, 3, 5, 4), (2, 3)), ((1, 2, 3, 3), (5, 4)), ((2, 2, 4, 6), (1, 1)), ((2, 3, 7), (1, 3))):
        case("adaptive_avg_pool", [x], lambda x: F.adaptive_avg_pool2d(x, to) if x.dim() > 3 else F.adaptive_avg_pool1d(x, to[1]), to)
    for x in ((2, 3, 5, 4), (2, 3, 7), (2, 3, 2, 2, 2)): case("global_avg_pool", [x], lambda x: x.flatten(2).mean(2))
    for x in ((2, 3, 4, 3), (1, 2, 1, 5), (2, 3, 5)):
        for f in (2, 3):
            case("upsample", [x], lambda x: F.interpolate(x, scale_factor=f), (f, 0))
            case("upsample", [x], lambda x: F.interpolate(x, scale_factor=f, mode="bilinear" if x.dim() > 3 else "linear", align_corners=False), (f, 1))
    for x, r in (((2, 8, 2, 3), 2), ((1, 9, 3, 2), 3)): case("pixel_shuffle", [x], lambda x: F.pixel_shuffle(x, r), (r,))
    for x, g in (((2, 4, 3, 2), 2), ((2, 6, 5), 3), ((3, 6), 1), ((2, 3, 2, 2, 2), 3)):
        case("group_norm", [(x, 1, 0.5), (x[1:2], 0, 1.5), x[1:2]], lambda x, w, b: F.group_norm(x, g, w, b, 0.125), (g,), (0.125,))
        case("group_norm", [(x, 1, 0.5)], lambda x: F.group_norm(x, g), (g,), (0.0,))
    for x in ((2, 3, 4, 3), (2, 2, 7)): case("instance_norm", [(x, 1, 0.5)], lambda x: F.instance_norm(x))


def layouts():
    """layout#k: of x (2, 3, 4, 5), a weight (3, 3, 3, 3), a bias (3) and, of some, v: i[0] says which line of test_goldens.c this is.
    h is the convolution of x with padding 1, of x's shape."""
    def image(x, w, b=None): return F.conv2d(x, w, b, padding=1)
    def own(*shape): return [shape]
    relu, tanh = F.relu, torch.tanh
    for k, (v, f) in enumerate((
            ([], lambda x, w, b, h: h.softmax(1)),
            ([], lambda x, w, b, h: h.log_softmax(3)),
            ([], lambda x, w, b, h: tanh(h).mean((2, 3))),
            ([], lambda x, w, b, h: h * tanh(h).mean((2, 3), keepdim=True)),
            ([], lambda x, w, b, h: h.sum(1)),
            ([], lambda x, w, b, h: relu(h) * h.sum(1, keepdim=True)),
            ([], lambda x, w, b, h: h.amax((1, 2, 3))),
            ([], lambda x, w, b, h: h.amax(1, keepdim=True) * h),
            ([], lambda x, w, b, h: tanh(h).mean((0, 2, 3))),
            ([], lambda x, w, b, h: h - h.mean((0, 2, 3), keepdim=True)),
            ([], lambda x, w, b, h: tanh(h).sum((1, 3))),
            ([], lambda x, w, b, h: h.mean(0)),
            ([], lambda x, w, b, h: (h ** 2).sum((1, 2, 3), keepdim=True) * h),
            ([], lambda x, w, b, h: h.var((2, 3), keepdim=True)),
            ([], lambda x, w, b, h: h.logsumexp(1)),
            ([], lambda x, w, b, h: tanh(h).sum(3)),
            ([], lambda x, w, b, h: torch.cat((h, x, tanh(h)), 0)),
            ([], lambda x, w, b, h: torch.cat((h, x, tanh(h)), 1)),
            ([], lambda x, w, b, h: torch.cat((h, x, tanh(h)), 2)),
            ([], lambda x, w, b, h: torch.cat((h, x, tanh(h)), 3)),
            ([], lambda x, w, b, h: tanh(h)[1:2]),
            ([], lambda x, w, b, h: tanh(h)[:, 1:3]),
            ([], lambda x, w, b, h: tanh(h)[:, :, 1:3]),
            ([], lambda x, w, b, h: image(tanh(h)[:, :, :, 2:5], w)),
            (own(3, 1, 1), lambda x, w, b, h, v: tanh(h * v) + v),
            (own(1, 3, 1, 1), lambda x, w, b, h, v: tanh(h) / (v + 2)),
            (own(5), lambda x, w, b, h, v: tanh(h + v)),
            (own(4, 5), lambda x, w, b, h, v: v * tanh(h)),
            (own(), lambda x, w, b, h, v: h * v + v),
            (own(2, 1, 1, 1), lambda x, w, b, h, v: image(tanh(h) - v, w)),
            (own(4, 1), lambda x, w, b, h, v: h * v),
            (own(2, 3, 4, 5), lambda x, w, b, h, v: tanh(h) * v),
            (own(3, 4, 5), lambda x, w, b, h, v: image(h + v, w, b)),
            (own(6, 3), lambda x, w, b, h, v: F.linear(h.permute(0, 2, 3, 1), v).permute(0, 3, 1, 2)),
            ([], lambda x, w, b, h: h.permute(0, 2, 3, 1)),
            ([], lambda x, w, b, h: image(tanh(h).permute(1, 0, 2, 3)[:, :1].repeat(1, 3, 1, 1), w)),
            (own(2, 3, 3), lambda x, w, b, h, v: F.conv1d(relu(h).reshape(2, 3, 20), v, stride=2)),
            (own(4, 60), lambda x, w, b, h, v: F.linear(relu(h).flatten(1), v)),
            ([], lambda x, w, b, h: image(tanh(h), w, b)),
            ([], lambda x, w, b, h: image(tanh(h), tanh(w) * 2 + w)),
            ([], lambda x, w, b, h: (h ** 2).mean() + 0.25 * (w ** 2).sum()),
            ([], lambda x, w, b, h: F.linear(tanh(h).mean((2, 3)), w.reshape(27, 3))),
            ([], lambda x, w, b, h: image(tanh(h), w.detach())),
            ([], lambda x, w, b, h: F.conv_transpose2d(tanh(h), w, b, padding=1)),
            ([], lambda x, w, b, h: h.permute(0, 3, 2, 1)),
            ([], lambda x, w, b, h: h.cumsum(1)),
            ([], lambda x, w, b, h: tanh(h).flip(2).roll(1, 3)),
            ([], lambda x, w, b, h: image(F.pad(h, (1, 0, 2, 1), value=0.5), w)),
            (own(5), lambda x, w, b, h, v: F.layer_norm(h, (5,), v, eps=0.125)),
            (own(3, 4, 5), lambda x, w, b, h, v: F.layer_norm(h, (3, 4, 5), v, eps=0.125)),
            (own(3), lambda x, w, b, h, v: F.prelu(h, v)),
            (own(5, 2), lambda x, w, b, h, v: tanh(h) @ v),
            ([], lambda x, w, b, h: h.reshape(2, 3, 20) @ tanh(h).reshape(2, 3, 20).transpose(1, 2)),
            ([], lambda x, w, b, h: h.sort(1)[0]),
            ([], lambda x, w, b, h: torch.where(x < h, h * 2, tanh(h))),
            ([], lambda x, w, b, h: torch.stack((h, x), 1)),
            ([], lambda x, w, b, h: h.repeat(1, 2, 1, 2)),
            ([], lambda x, w, b, h: h.reshape(2, 12, 5).softmax(1)),
            ([], lambda x, w, b, h: image(torch.cat(tuple(tanh(h).chunk(3, 1))[::-1], 1), w)),
            ([], lambda x, w, b, h: F.max_pool2d(relu(h), 2, 2) + F.avg_pool2d(h, 2, 2)),
            ([], lambda x, w, b, h: F.interpolate(F.max_pool2d(h, 2, 2), scale_factor=2).mean(1)),
            ([], lambda x, w, b, h: h.mean(1, keepdim=True) + h.amax((2, 3), keepdim=True)))):
        case("layout", [(2, 3, 4, 5), (3, 3, 3, 3), (3,)] + v, lambda x, w, b, *v: f(x, w, b, image(x, w, b), *v), (k,))


def image_networks():
    """images#k: batches of 8, 10 steps, each with a batch of its own (x0.., y0..; y are classes, but floats of k = 3 and 4): i: optimizer (0:
    SGD with momentum 0.875 and rate 0.0625, 1: Adam with rate 0.001); parameters by name; loss (10); gradients of the first step; end/<name>
    for SGD, buffers, too; eval: the loss of the last batch then."""
    C, T, N = nn.Conv2d, nn.ConvTranspose2d, nn.BatchNorm2d

    class Small(nn.Module):
        shape = (2, 8, 8)
        def __init__(self):
            super().__init__()
            self.conv1, self.bn, self.conv2, self.fc = C(2, 6, 3, 1, 1, bias=False), N(6), C(6, 8, 3, 2, 1), nn.Linear(32, 3)
        def forward(self, x):
            x = F.max_pool2d(F.relu(self.bn(self.conv1(x))), 2)
            return self.fc(torch.tanh(self.conv2(x)).flatten(1))

    class Residual(nn.Module):
        shape = (3, 6, 6)
        def __init__(self):
            super().__init__()
            self.conv1, self.bn1, self.conv2, self.bn2 = C(3, 6, 3, 2, 1, bias=False), N(6), C(6, 6, 3, 1, 1, bias=False), N(6)
            self.downsample = nn.Sequential(C(3, 6, 1, 2, bias=False), N(6))
            self.fc = nn.Linear(6, 3)
        def forward(self, x):
            h = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
            return self.fc(F.relu(h + self.downsample(x)).mean((2, 3)))

    class UNet(nn.Module):
        shape, target = (2, 8, 8), (1, 8, 8)
        def __init__(self):
            super().__init__()
            self.down1, self.down2, self.up, self.out = C(2, 4, 3, 1, 1), C(4, 8, 3, 1, 1), T(8, 4, 2, 2), C(8, 1, 3, 1, 1)
        def forward(self, x):
            a = torch.tanh(self.down1(x))
            b = torch.tanh(self.down2(F.avg_pool2d(a, 2)))
            return self.out(torch.cat((a, self.up(b)), 1))

    class Upsampled(nn.Module):
        shape, target = (2, 6, 4), (1, 6, 4)
        def __init__(self):
            super().__init__()
            self.down1, self.gn, self.down2, self.out = C(2, 4, 3, 1, 1), nn.GroupNorm(2, 4), C(4, 8, 3, 1, 1), C(14, 1, (3, 1), 1, (1, 0))
        def forward(self, x):
            a = torch.tanh(self.gn(self.down1(x)))
            b = torch.tanh(self.down2(F.max_pool2d(a, 2)))
            return self.out(torch.cat((F.interpolate(b, scale_factor=2, mode="bilinear", align_corners=False), F.pixel_shuffle(b, 2), a), 1))

    class Windows(nn.Module):
        shape = (3, 20)
        def __init__(self):
            super().__init__()
            self.conv1, self.conv2, self.bn, self.fc = nn.Conv1d(3, 6, 5, 1, 2), nn.Conv1d(6, 8, 3, 2, 2, 2, bias=False), nn.BatchNorm1d(8), nn.Linear(8, 3)
        def forward(self, x):
            h = F.max_pool1d(torch.tanh(self.conv1(x)), 2)
            return self.fc(F.relu(self.bn(self.conv2(h))).mean(2))

    class Separable(nn.Module):
        shape = (4, 6, 6)
        def __init__(self):
            super().__init__()
            self.dw, self.bn1, self.pw, self.bn2, self.fc = C(4, 4, 3, 2, 1, groups=4, bias=False), N(4), C(4, 10, 1, bias=False), N(10), nn.Linear(10, 3)
        def forward(self, x):
            h = F.relu6(self.bn2(self.pw(F.relu6(self.bn1(self.dw(x))))))
            return self.fc(F.adaptive_avg_pool2d(h, 1).flatten(1))

    for k, (make, adam) in enumerate(((Small, 0), (Small, 1), (Residual, 0), (UNet, 0), (Upsampled, 0), (Windows, 0), (Separable, 0), (Separable, 1))):
        at, net = f"images#{k}/", make()
        ints(at + "i", np.array((adam,)))
        for n, p in net.named_parameters(): p.data = stream(at + n, tuple(p.shape), -1, 1.0 if p.dim() == 1 and n.endswith("weight") else 0.0)
        opt = torch.optim.Adam(net.parameters(), 0.001) if adam else torch.optim.SGD(net.parameters(), 0.0625, 0.875)
        losses = []
        for step in range(10):
            x = stream(f"{at}x{step}", (8,) + make.shape)
            if hasattr(make, "target"): y, f = stream(f"{at}y{step}", (8,) + make.target, -1, 0.5), F.binary_cross_entropy_with_logits
            else:
                y, f = labels((8,), 3)(f"{at}y{step}"), F.cross_entropy
                ints(f"{at}y{step}", y)
                y = torch.tensor(y.astype(np.int64))
            loss = f(net(x), y)
            opt.zero_grad()
            loss.backward()
            losses.append(loss.item())
            if step == 0:
                for n, p in net.named_parameters(): floats(f"{at}grad/{n}", p.grad)
            opt.step()
        floats(at + "loss", np.array(losses))
        if not adam:
            for n, p in net.named_parameters(): floats(f"{at}end/{n}", p)
            for n, b in net.named_buffers(): (floats if b.is_floating_point() else ints)(f"{at}end/{n}", b.detach().numpy())
        net.eval()
        floats(at + "eval", f(net(x), y))


class Block(nn.Module):
    def __init__(self, c, o, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(c, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o)
        self.conv2, self.bn2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
        self.downsample = nn.Sequential(nn.Conv2d(c, o, 1, stride, bias=False), nn.BatchNorm2d(o)) if stride > 1 or c != o else None

    def forward(self, x):
        h = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(h + (self.downsample(x) if self.downsample else x))


class ResNet18(nn.Module):
    """torchvision's, of fewer channels (its own: 64), or with a first layer for images of 32 by 32: 3 by 3 of stride 1, no pool behind it."""

    def __init__(self, width, small):
        super().__init__()
        self.conv1, self.bn1, c = nn.Conv2d(3, width, *((3, 1, 1) if small else (7, 2, 3)), bias=False), nn.BatchNorm2d(width), width
        self.pool = nn.Identity() if small else nn.MaxPool2d(3, 2, 1)
        for k in range(4):
            o = width << k
            setattr(self, f"layer{k + 1}", nn.Sequential(Block(c, o, 2 if k else 1), Block(o, o, 1)))
            c = o
        self.fc = nn.Linear(c, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.bn1(self.conv1(x))))
        for k in range(4): x = getattr(self, f"layer{k + 1}")(x)
        return self.fc(x.mean((2, 3)))


def save_state(net, path):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for n, t in sorted(net.state_dict().items(), key=lambda e: (e[1].is_floating_point(), e[0])):
        b = t.numpy().astype("<f4" if t.is_floating_point() else "<i8").tobytes()
        header[n] = {"dtype": "F32" if t.is_floating_point() else "I64", "shape": list(t.shape), "data_offsets": [len(data), len(data) + len(b)]}
        data += b
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out: out.write(struct.pack("<Q", len(text)) + text + data)


def resnet(k, path, shape):
    """A state dict in the file; resnet#k: in0 of the shape, y; logits: eval, train, and after a step of SGD at rate 0.125 on its cross
    entropy: loss, after (in evaluation)."""
    at, net = f"resnet#{k}/", ResNet18(4, shape[-1] == 32)
    for n, t in net.state_dict().items():
        if n.endswith("tracked"): t.fill_(7)
        elif t.dim() == 1: t.copy_(torch.tensor(made(seed(at + n), tuple(t.shape), -1, 1.0 if n.endswith(("var", "weight")) and "fc" not in n else 0.0)))
        else: t.copy_(torch.tensor(made(seed(at + n), tuple(t.shape), round(np.log2((6 / t[0].numel()) ** 0.5)))))
    save_state(net, path)
    x, y = stream(at + "in0", shape), labels(shape[:1], 10)(at + "y")
    ints(at + "y", y)
    net.eval()
    floats(at + "eval", net(x))
    net.train()
    opt = torch.optim.SGD(net.parameters(), 0.125)
    logits = net(x)
    floats(at + "train", logits)
    loss = F.cross_entropy(logits, torch.tensor(y.astype(np.int64)))
    loss.backward()
    opt.step()
    floats(at + "loss", loss)
    net.eval()
    floats(at + "after", net(x))


def cells():
    for gates, cell in ((1, torch.rnn_tanh_cell), (3, torch.gru_cell), (4, torch.lstm_cell)):
        for n, steps, i, h, biases, states in ((2, 1, 3, 4, True, True), (5, 4, 2, 3, True, False), (3, 3, 1, 7, False, True), (1, 2, 5, 1, False, False)):
            def f(x, w_ih, w_hh, *more):
                b = more[:2] if biases else (None, None)
                zeros = torch.zeros(n, h)
                s = list(more[2 * biases:]) if states else [zeros, zeros][:2 if gates == 4 else 1]
                for k in range(steps):
                    new = cell(x[:, k], tuple(s) if gates == 4 else s[0], w_ih, w_hh, *b)
                    s = list(new) if gates == 4 else [new]
                return torch.cat(s, 1)
            some = [(gates * h,)] * 2 * biases + [(n, h)] * (2 if gates == 4 else 1) * states
            case("cell", [(n, steps, i), (gates * h, i), (gates * h, h)] + some, f, (gates, int(biases), int(states)))


def attend(q, k, v, causal, lengths, mask, scale):
    """Of (N, T, H, D), (N, S, G, D), (N, S, G, E); a row of no keys is zeros."""
    r, rows = q.shape[2] // k.shape[2], []
    for n in range(len(q)):
        s = k.shape[1] if lengths is None else int(lengths[n])
        if s == 0:
            rows.append(torch.zeros(q.shape[1], q.shape[2], v.shape[3]))
            continue
        a, b, c = (t.transpose(0, 1) for t in (q[n], k[n, :s].repeat_interleave(r, 1), v[n, :s].repeat_interleave(r, 1)))
        m = torch.zeros(a.shape[1], s) if mask is None else mask.expand(len(q), q.shape[2], q.shape[1], k.shape[1])[n, :, :, :s]
        if causal: m = m.masked_fill(torch.arange(s) > torch.arange(a.shape[1])[:, None], -math.inf)
        rows.append(F.scaled_dot_product_attention(a, b, c, m, scale=scale or None).transpose(0, 1))
    return torch.stack(rows)


def attentions():
    for n, t, s, h, g, d, e, causal, lengths, mask, scale in ((2, 3, 3, 1, 1, 4, 4, 0, None, None, 0), (2, 5, 5, 2, 2, 8, 8, 1, None, None, 0),
            (3, 4, 7, 4, 2, 5, 3, 0, (7, 0, 2), None, 0.25), (2, 6, 6, 3, 1, 16, 16, 1, (1, 5), (6, 6), 0), (1, 1, 9, 2, 2, 8, 1, 0, None, (2, 1, 9), 2), (2, 33, 17, 2, 1, 8, 8, 1, None, (2, 1, 1, 17), 0)):
        more = ([np.array(lengths, np.int32)] if lengths else []) + [mask] * bool(mask)
        case("attention", [(n, t, h, d), (n, s, g, d), (n, s, g, e)] + more, lambda q, k, v, *m: attend(q, k, v, causal, m[0] if lengths else None,
            m[-1] if mask else None, scale), (causal, int(bool(lengths)), int(bool(mask))), (scale,))
    for n, t, s, e, h, biases in ((2, 3, 0, 4, 2, 1), (3, 5, 4, 6, 1, 1), (1, 4, 0, 8, 8, 0), (2, 1, 7, 12, 3, 0)):
        def f(x, *m):
            memory, w = (m[0], m[1:]) if s else (x, m)
            layer = nn.MultiheadAttention(e, h, bias=bool(biases), batch_first=True)
            named = dict(zip(("in_proj_weight", "out_proj.weight", "in_proj_bias", "out_proj.bias"), w))
            return torch.func.functional_call(layer, named, (x, memory, memory))[0]
        case("multihead", [(n, t, e)] + [(n, s, e)] * bool(s) + [(3 * e, e), (e, e)] + [(3 * e,), (e,)] * biases, f, (h, int(s > 0), biases))


class EncoderDecoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True)
        self.decoder = nn.TransformerDecoderLayer(8, 4, 32, 0.0, activation="gelu", norm_first=True, batch_first=True)
        self.out = nn.Linear(8, 5)
    def forward(self, x, q, lengths):
        padding = torch.arange(x.shape[1]) >= torch.tensor(lengths)[:, None]
        memory = self.encoder(x, src_key_padding_mask=padding)
        later = torch.ones(q.shape[1], q.shape[1], dtype=torch.bool).triu(1)
        return self.out(self.decoder(q, memory, later, memory_key_padding_mask=padding)).reshape(-1, 5)


def transformer(path):
    """As resnet: a state dict in the file; transformer#0: in0, in1, lengths, y, logits in evaluation, the loss, and logits after a step."""
    net, at, lengths = EncoderDecoder(), "transformer#0/", (6, 2, 4)
    for n, t in net.state_dict().items():
        t.copy_(torch.tensor(made(seed(at + n), tuple(t.shape), -1, 1.0 if "norm" in n and n.endswith("weight") else 0.0)))
    save_state(net, path)
    x, q, y = stream(at + "in0", (3, 6, 8)), stream(at + "in1", (3, 4, 8)), labels((12,), 5)(at + "y")
    ints(at + "lengths", lengths)
    ints(at + "y", y)
    opt = torch.optim.SGD(net.parameters(), 0.125)
    logits = net(x, q, lengths)
    floats(at + "eval", logits)
    loss = F.cross_entropy(logits, torch.tensor(y.astype(np.int64)))
    loss.backward()
    opt.step()
    floats(at + "loss", loss)
    floats(at + "after", net(x, q, lengths))


def positions():
    def turns(first, rows, width, base): return (first + torch.arange(rows))[:, None] * base ** (-2 * torch.arange(width // 2) / width)
    for n, t, e, base in ((2, 5, 6, 10000), (1, 17, 2, 100), (3, 1, 4, 10000)):
        a = turns(0, t, e, base)
        case("positions", [(n, t, e)], lambda x: x + torch.stack((a.sin(), a.cos()), 2).reshape(t, e), (), (0 if base == 10000 else base,))
    for n, t, h, d, base, first in ((2, 5, 3, 6, 10000, 0), (1, 9, 1, 2, 500, 7), (2, 3, 2, 16, 10000, 100)):
        a = turns(first, t, d, base).repeat(1, 2)[:, None]
        case("rope", [(n, t, h, d)], lambda x: x * a.cos() + torch.cat((-x[..., d // 2:], x[..., :d // 2]), 3) * a.sin(), (first,), (0 if base == 10000 else base,))

def recurrence(layer, x, first, lengths, turned):
    """y, last h (each layer and direction, N, H) and, of an LSTM, last c; rows of length 0, which PyTorch refuses, are zeros, and keep their states."""
    def run(x, first): return layer(x, first if isinstance(layer, nn.LSTM) else first[0])
    if lengths is None: y, last = run(x, first)
    else:
        rows = torch.tensor([n for n, t in enumerate(lengths) if t])
        packed = nn.utils.rnn.pack_padded_sequence(x.index_select(1 if turned else 0, rows), [t for t in lengths if t], not turned, False)
        y, last = run(packed, tuple(t.index_select(1, rows) for t in first))
        y = nn.utils.rnn.pad_packed_sequence(y, not turned, total_length=x.shape[0 if turned else 1])[0]
        y = torch.zeros(*x.shape[:2], y.shape[2]).index_copy(1 if turned else 0, rows, y)
    last = last if isinstance(last, tuple) else (last,)
    return (y,) + (last if lengths is None else tuple(s.index_copy(1, rows, t) for s, t in zip(first, last)))


def recurrences():
    """recurrent#k: i: gates (0: an RNN of relu), layers, bidirectional, biases, states (2: of every second alone), time first, hidden; in0, h0.., c0..,
    lengths; parameters by name; y, h and c with what they are multiplied with, gy, gh and gc; the sum's gradients: d0, dh0.., dc0.., grad/<name>."""
    k = 0
    for gates in (1, 0, 3, 4):
        for n, t, i, h, layers, ways, biases, states, turned, lengths in ((2, 3, 3, 4, 1, 1, 1, 0, 0, None), (1, 1, 2, 1, 1, 2, 0, 1, 0, None),
                (3, 5, 2, 3, 2, 1, 1, 1, 1, None), (4, 4, 1, 2, 3, 2, 1, 2, 0, None), (5, 6, 3, 4, 1, 1, 1, 1, 0, (6, 0, 3, 1, 5)), (3, 4, 2, 5, 2, 2, 0, 1, 1, (2, 4, 0)),
                (4, 5, 4, 3, 3, 1, 1, 0, 0, (1, 5, 0, 3)), (9, 7, 3, 11, 1, 2, 1, 2, 0, (7, 3, 5, 0, 1, 6, 7, 2, 4)))[0 if gates else 1::1 if gates else 2]:
            at, more = f"recurrent#{k}/", {"nonlinearity": "tanh" if gates else "relu"} if gates < 2 else {}
            k += 1
            ints(at + "i", (gates, layers, ways - 1, biases, states, turned, h))
            layer = {3: nn.GRU, 4: nn.LSTM}.get(gates, nn.RNN)(i, h, layers, bias=bool(biases), batch_first=not turned, bidirectional=ways > 1, **more)
            for name, p in layer.named_parameters(): p.data = stream(f"{at}rnn.{name}", tuple(p.shape), -1)
            x, own, first = stream(at + "in0", (t, n, i) if turned else (n, t, i)).requires_grad_(True), {}, []
            for s in "hc"[:2 if gates == 4 else 1]:
                for j in range(layers * ways):
                    if states and j % states == 0: own[f"{s}{j}"] = stream(f"{at}{s}{j}", (n, h)).requires_grad_(True)
                first.append(torch.stack([own.get(f"{s}{j}", torch.zeros(n, h)) for j in range(layers * ways)]))
            if lengths: ints(at + "lengths", lengths)
            total = 0
            for name, out in zip("yhc", recurrence(layer, x, tuple(first), lengths, turned)):
                floats(at + name, out)
                total = total + (out * stream(f"{at}g{name}", tuple(out.shape))).sum()
            total.backward()
            floats(at + "d0", x.grad)
            for name, s in own.items(): floats(f"{at}d{name}", s.grad)
            for name, p in layer.named_parameters(): floats(f"{at}grad/rnn.{name}", p.grad)


path = sys.argv[1] if len(sys.argv) > 1 else "tests/fixtures/goldens.bin"
folder = os.path.dirname(path)
ops()
rows()
axes()
layers()
batch_norms()
losses()
pixels()
quantiles()
ctcs()
cells()
recurrences()
attentions()
positions()
image_ops()
layouts()
micro_batches()
ignored()
optimizers()
networks()
image_networks()
resnet(0, os.path.join(folder, "resnet.safetensors"), (4, 3, 32, 32))
resnet(1, os.path.join(folder, "resnet224.safetensors"), (3, 3, 224, 224))
transformer(os.path.join(folder, "transformer.safetensors"))
with open(path, "wb") as out:
    out.write(b"gtrgold1" + struct.pack("<I", len(records)) + b"".join(records))
print(f"{path}: {len(records)} records, {sum(map(len, records)) + 12} bytes, PyTorch {torch.__version__}")
