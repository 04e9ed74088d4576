#!/usr/bin/env python3
"""The benchmark's work in PyTorch, and the proof that both sides compute the same: bench.c starts it and asks line by line.

usage: torch_bench.py serve; requests on standard input, answers on standard output, each ending in a line "END":
    row JSON            prepares a workload (network, batch, rows, precision, opt, fashion, device, threads, limit,
                        pass) in the variants that BENCH_PEERS names: "READY torch-eager rest_bytes" for each. After
                        `limit` seconds it begins none
    block WHO           times a block of steps of that variant: "TIME microseconds"
    parity A B C END N  reads build/parity/ (weights, losses, gradients and running statistics of steps A, B, C):
                        "PARITY step loss peer_loss exact_loss nmse peer_nmse", "BUFFERS step nmse peer_nmse",
                        "MEAN loss" (of END steps' last N)
    epochs JSON         whole epochs of a workload on the CPU: "TIME microseconds" for each
    process MODE FASHION NET    whole processes: "TIME microseconds"
BENCH_PEERS: the variants wanted, of eager,graph,compile,compile-max; a CPU has no graph. 'compile' is torch.compile
with the whole step in one captured graph, the fastest that a PyTorch user gets; '-max' the same with max-autotune.
Times are of blocks of steps by the wall clock, inputs resident on the device; rest_bytes is the peak of the memory
that a step allocates on a GPU, once cuDNN has tried its algorithms, without inputs, parameters, gradients and optimizer
states. FP16 is trained without a loss scale in the timed steps, which costs a user less, and with one in the proof.
"""
import copy
import gc
import json
import os
import struct
import subprocess
import sys
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

import network

torch.backends.cudnn.benchmark = True
WANTED = os.environ.get("BENCH_PEERS", "eager,graph,compile").split(",")
BLOCK = 0.06    # seconds


def data(w, most=None):
    """The first rows of the workload's data set on its device, a tensor a column; most: how many are wanted."""
    tensors = [torch.tensor(c, device=w["device"]) for c in network.columns(w, most)]
    return [t.float() / 255 if t.dtype == torch.uint8 else t for t in tensors]


LINES = dict(linear="self.{name}({0})", batch_norm="self.{name}({0})", embedding="self.{name}({0})", relu="relu({0})",
             shared="self.fc{args}({0})", layer_norm="self.{name}({0})", group_norm="self.{name}({0})",
             tanh="torch.tanh({0})", gelu="F.gelu({0})", dropout="F.dropout({0}, {args}, self.training)",
             exp="torch.exp({0})", square="{0}.square()", log_softmax="F.log_softmax({0}, -1)",
             logsumexp="{0}.logsumexp(-1)", average="{0}.mean()", slice="{0}[..., slice({args})]",
             sub="{0} - {1}", pick="{0}.gather(1, {1})", pixel_shuffle="F.pixel_shuffle({0}, {args})",
             sin="torch.sin({0})", softplus="F.softplus({0})", add="{0} + {1}", mul="{0} * {1}",
             matmul="{0} @ {1}", matmul_t="{0} @ {1}.transpose(-2, -1)", scale="{0} * {args}",
             softmax="F.softmax({0}, -1)", mean="{0}.mean({args})", reshape="{0}.reshape(-1, {args})",
             permute="{0}.permute(0, {args})", concat="torch.cat(({all}), {axis})",
             lstm="self.{name}({0})[0][:, -1]", gru="self.{name}({0})[0][:, -1]", cells="unrolled(self.{name}, {0})",
             positions="{0} + self.{name}.weight", block="self.{name}({0})", attention="attention({0}, {args})",
             conv="self.{name}({0})", conv_no_bias="self.{name}({0})", conv_transpose="self.{name}({0})",
             max_pool="F.max_pool{rank}d({0}, {args})", avg_pool="F.avg_pool{rank}d({0}, {args})",
             global_avg_pool="F.adaptive_avg_pool{rank}d({0}, 1).flatten(1)",
             upsample="F.interpolate({0}, scale_factor={args})",
             cross_entropy="F.cross_entropy({0}.flatten(0, -2), {1}.flatten())", mse="F.mse_loss({0}, {1})",
             bce="F.binary_cross_entropy_with_logits({0}, {1})", sample="sample(*{0}.chunk(2, -1))",
             kl="{args} * kl(*{0}.chunk(2, -1))")


class ChannelNorm(nn.LayerNorm):
    """Along the channels of images."""
    def forward(self, x): return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def unrolled(cell, x):
    """The state h behind the last step of a series."""
    state = None
    for k in range(x.shape[1]): state = cell(x[:, k], state)
    return state[0]


def attention(x, heads):
    """Causal, of queries, keys and values side by side."""
    q, k, v = x.unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)


class Block(nn.Module):
    """Of a transformer; self_attn only holds its parameters."""
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.self_attn = nn.LayerNorm(width), nn.MultiheadAttention(width, heads)
        self.norm2, self.linear1, self.linear2 = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        a = self.self_attn
        x = x + a.out_proj(attention(F.linear(self.norm1(x), a.in_proj_weight, a.in_proj_bias), a.num_heads))
        return x + self.linear2(F.gelu(self.linear1(self.norm2(x))))


CONV, BACK = {2: nn.Conv1d, 3: nn.Conv2d}, {2: nn.ConvTranspose1d, 3: nn.ConvTranspose2d}
def groups(op): return op.args[4] if op.args[4:] else 1


MODULES = dict(linear=lambda op, x: nn.Linear(x[-1], op.args[0]),
               batch_norm=lambda op, x: (nn.BatchNorm2d if len(x) == 3 else nn.BatchNorm1d)(x[0]),
               embedding=lambda op, x: nn.Embedding(*op.args),
               layer_norm=lambda op, x: ChannelNorm(x[0]) if len(x) == 3 else nn.LayerNorm(x[-1]),
               group_norm=lambda op, x: nn.GroupNorm(op.args[0], x[0]),
               lstm=lambda op, x: nn.LSTM(x[-1], op.args[0], op.args[1], batch_first=True),
               gru=lambda op, x: nn.GRU(x[-1], op.args[0], op.args[1], batch_first=True),
               cells=lambda op, x: nn.LSTMCell(x[-1], op.args[0]),
               positions=lambda op, x: nn.Embedding(*x), block=lambda op, x: Block(x[-1], op.args[0]),
               conv=lambda op, x: CONV[len(x)](x[0], *op.args[:4], groups=groups(op)),
               conv_no_bias=lambda op, x: CONV[len(x)](x[0], *op.args[:4], groups=groups(op), bias=False),
               conv_transpose=lambda op, x: BACK[len(x)](x[0], *op.args[:4], groups=groups(op)))


def sample(m, v): return m + torch.exp(0.5 * v) * torch.randn_like(m)
def kl(m, v): return (v.exp() + m * m - v - 1).mean()


def net_of(text):
    """A network as a user would write it: forward(columns..., relu=F.relu), the loss, has a line of Python a word."""
    ops = network.program(text)
    takes = [f"v{i}" for i, op in enumerate(ops) if op.word in network.COLUMNS]
    lines = [f"def forward(self, {', '.join(takes)}, relu=F.relu):"]
    for i, op in enumerate(ops):
        if op.word in network.COLUMNS: continue
        values = [f"v{k}" for k in op.inputs]
        line = LINES[op.word].format(*values, name=op.name, args=", ".join(map(str, op.args)), all=", ".join(values),
                                     axis=(op.args[1:] + [-1])[0], rank=len(ops[op.inputs[0]].shape) - 1)
        lines.append(f"    v{i} = {line}")
    scope = dict(torch=torch, F=F, sample=sample, kl=kl, attention=attention, unrolled=unrolled)
    exec("\n".join(lines + [f"    return v{len(ops) - 1}"]), scope)
    net = type("Net", (nn.Module,), dict(forward=scope["forward"]))()
    for op in ops:
        if op.name: setattr(net, op.name, MODULES[op.word](op, ops[op.inputs[0]].shape))
    return net


def precision(w, name=None):
    """Float32 products as named; the autocast to use beside."""
    name = name or w["precision"]
    torch.set_float32_matmul_precision("high" if name == "tf32" else "highest")
    torch.backends.cudnn.allow_tf32 = name == "tf32"
    dtype = torch.float16 if name == "fp16" else torch.bfloat16
    return torch.autocast(w["device"], dtype=dtype, enabled=name in ("bf16", "fp16"))


def optimizer(w, model, capturable):
    if w["opt"] == "adam": return torch.optim.Adam(model.parameters(), lr=1e-3, fused=True, capturable=capturable), 16
    return torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9, fused=True), 12


def stepper(model, columns, opt, amp):
    def step():
        opt.zero_grad(set_to_none=True)
        with amp: loss = model(*columns)
        loss.backward()
        opt.step()
    return step


def one_pass(w, model, columns):
    """The second convolution's forward pass, or that of a gradient, alone: no more than cuDNN's kernels."""
    ops = network.program(w["network"])
    op = [op for op in ops if "conv" in op.word][1]
    layer, x = getattr(model, op.name), columns[0].new_empty([w["batch"]] + ops[op.inputs[0]].shape)
    dtype = dict(bf16=torch.bfloat16, fp16=torch.float16).get(w["precision"], torch.float32)
    form = torch.channels_last if columns[0].is_contiguous(memory_format=torch.channels_last) else torch.contiguous_format
    x, weight = (t.detach().to(dtype, memory_format=form) for t in (x.uniform_(-1, 1), layer.weight))
    how = layer.stride, layer.padding, layer.dilation, layer.transposed, layer.output_padding, layer.groups
    forward = lambda: torch.ops.aten.convolution(x, weight, None, *how)
    dy, wanted = torch.randn_like(forward()), [w["pass"] == "dx", w["pass"] == "dw", False]
    return forward if w["pass"] == "forward" else lambda: torch.ops.aten.convolution_backward(dy, x, weight, None, *how, wanted)


def in_turn(steps, opts):
    """Steps of several networks as one, and what clears their gradients."""
    def step():
        for one in steps: one()

    class All:
        def zero_grad(self, **how):
            for opt in opts: opt.zero_grad(**how)
    return step, All()


def graphed(step, opt):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(5): step()
    torch.cuda.current_stream().wait_stream(side)
    opt.zero_grad(set_to_none=True)
    torch.cuda.reset_peak_memory_stats()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph): step()
    return lambda held=step: graph.replay()     # the model that the graph works on lives as long


def seconds(step, n):
    wait = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    wait()
    t = time.perf_counter()
    for _ in range(n): step()
    wait()
    return (time.perf_counter() - t) / n


def placed(layout, model, columns):
    """The same with images and their weights in this memory format."""
    return model.to(memory_format=layout), [c.contiguous(memory_format=layout) if c.dim() == 4 else c for c in columns]


def layout(w, columns):
    """The memory format that PyTorch trains a workload's images in: channels last where products are of 16 bits, else
    what is quicker, captured on a GPU."""
    if "conv" not in w["network"] or all(c.dim() < 4 for c in columns): return torch.contiguous_format
    if w["precision"] in ("bf16", "fp16"): return torch.channels_last
    took, gpu = {}, w["device"] == "cuda"
    for form in (torch.contiguous_format, torch.channels_last):
        amp = precision(w)
        model, images = placed(form, net_of(w["network"]).to(w["device"]), columns)
        opt, _ = optimizer(w, model, gpu)
        step = stepper(model, images, opt, amp)
        if gpu: step = graphed(step, opt)
        seconds(step, 2)
        took[form] = seconds(step, 5)
    return min(took, key=took.get)


class Server:
    def __init__(self, out): self.out, self.work, self.step, self.count = out, None, {}, {}

    def say(self, text): print(text, file=self.out, flush=True)

    def row(self, w):
        self.work, began = w, time.perf_counter()
        self.step, self.count = {}, {}
        gpu = w["device"] == "cuda"
        if gpu and not torch.cuda.is_available(): return self.say("no GPU for PyTorch")
        if w["threads"]: torch.set_num_threads(w["threads"])
        columns = data(w, w["batch"])
        self.layout = layout(w, columns)
        columns = placed(self.layout, nn.Module(), columns)[1]
        for variant in WANTED:
            if variant not in ("eager", "compile", "compile-max") and not (gpu and variant == "graph"): continue
            if w["pass"] and "compile" in variant: continue
            if time.perf_counter() - began > w["limit"]:
                self.say(f"torch-{variant} left out: {time.perf_counter() - began:.0f} s have gone")
                continue
            step = model = opt = f = None
            if hasattr(torch, "_dynamo"): torch._dynamo.reset()
            gc.collect()
            if gpu:
                torch.cuda.empty_cache()
                base = torch.cuda.memory_allocated()
            try:
                amp = precision(w)
                torch.manual_seed(0)
                model = [net_of(w["network"]).to(w["device"]).to(memory_format=self.layout) for _ in range(max(1, w["trainers"]))]
                params = sum(p.numel() for m in model for p in m.parameters())
                opts, (each, *_) = zip(*[optimizer(w, m, gpu and variant != "eager") for m in model])
                mode = "max-autotune-no-cudagraphs" if variant.endswith("max") else "default"
                f = [torch.compile(m, mode=mode) for m in model] if "compile" in variant else model
                step, opt = in_turn([stepper(m, columns, o, amp) for m, o in zip(f, opts)], opts)
                if w["pass"]: step = one_pass(w, model[0], columns)
                if gpu and variant != "eager": step = graphed(step, opt)
                seconds(step, 3)
                if gpu and variant == "eager": torch.cuda.reset_peak_memory_stats()
                took = seconds(step, 5)
                self.step[variant], self.count[variant] = step, max(3, min(2000, int(BLOCK / took)))
                rest = max(0, torch.cuda.max_memory_allocated() - base - each * params) if gpu and not w["pass"] else 0
                self.say(f"READY torch-{variant} {rest}")
            except Exception as e:
                self.say(f"torch-{variant} failed: {type(e).__name__}: {str(e)[:200]}")

    def block(self, who):
        variant = who.split("-", 1)[1]
        precision(self.work)
        seconds(self.step[variant], max(1, self.count[variant] // 4))       # clocks and caches are ours again
        self.say(f"TIME {seconds(self.step[variant], self.count[variant]) * 1e6:.3f}")

    def epochs(self, w):
        torch.set_num_threads(w["threads"])
        columns = data(w)
        form = layout(w, [c[:w["batch"]] for c in columns])
        model, columns = placed(form, net_of(w["network"]), columns)
        opt = torch.optim.Adam(model.parameters(), lr=1e-3)
        for e in range(4):
            t, order = time.perf_counter(), torch.randperm(len(columns[0]))
            for i in range(0, len(order), w["batch"]):
                j = order[i:i + w["batch"]]
                opt.zero_grad(set_to_none=True)
                model(*(c[j] for c in columns)).backward()
                opt.step()
            if e: self.say(f"TIME {(time.perf_counter() - t) * 1e6:.0f}")

    def process(self, mode, fashion, net):
        here = os.path.dirname(os.path.abspath(__file__))
        t = time.perf_counter()
        subprocess.run([sys.executable, f"{here}/torch_fashion.py", fashion, mode, net], stdout=subprocess.DEVNULL, check=True)
        self.say(f"TIME {(time.perf_counter() - t) * 1e6:.0f}")

    def parity(self, *steps):
        w = self.work
        *points, last, mean_of = map(int, steps)
        self.step, self.count = {}, {}
        columns = placed(self.layout, nn.Module(), data(w))[1]
        batch, per_epoch = w["batch"], len(columns[0]) // w["batch"]
        rows = lambda s: [c[(s - 1) % per_epoch * batch:((s - 1) % per_epoch + 1) * batch] for c in columns]
        model = net_of(w["network"]).to(w["device"]).to(memory_format=self.layout)
        for s in points:
            model.load_state_dict(safetensors(f"build/parity/{s}.safetensors"))
            exact = copy.deepcopy(model).double()
            ours = torch.tensor(np.fromfile(f"build/parity/{s}.gradient", np.float32), device=w["device"]).double()
            our_loss = float(open(f"build/parity/{s}.loss").read())
            wide = [c.double() if c.is_floating_point() else c for c in rows(s)]
            exact_loss, want = gradients(exact, w, wide, "exact")
            loss, theirs = gradients(model, w, rows(s), w["precision"])
            if list(model.buffers()): self.running(s, model, exact)
            off = [ours - want, theirs - want]
            nmse = lambda d: (d.square().sum() / want.square().sum()).item()
            if nmse(off[0]) > max(2 * nmse(off[1]), 1e-10) and " relu" in w["network"]:
                whole = [nmse(d) for d in off]
                doubt, count, off = undecided(exact, model, w, wide, rows(s), off)
                self.say(f"step {s}: NMSE {whole[0]:.2e}, peer's {whole[1]:.2e}; {doubt} ReLUs in doubt, decided "
                         f"otherwise than exactly: {count[0]}, by the peer {count[1]}. Without these:")
            self.say(f"PARITY {s} {our_loss:.9g} {loss:.9g} {exact_loss:.9g} {nmse(off[0]):.4g} {nmse(off[1]):.4g}")
        model.load_state_dict(safetensors("build/parity/1.safetensors"))    # step 1's weights are the initial ones
        opt, _ = optimizer(w, model, False)
        amp = precision(w)
        scaler = torch.amp.GradScaler(w["device"], enabled=w["precision"] == "fp16")
        total = 0.0
        for s in range(1, last + 1):
            opt.zero_grad(set_to_none=True)
            with amp: loss = model(*rows(s))
            scaler.scale(loss).backward()
            scaler.step(opt)
            scaler.update()
            if s > last - mean_of: total += loss.detach() / mean_of
        self.say(f"MEAN {float(total):.9g}")

    def running(self, s, model, exact):
        """Running statistics after step s: ours, the peer's after the same forward pass, those of float64."""
        ours, off = safetensors(f"build/parity/{s}.after"), [0.0, 0.0, 0.0]
        for (name, theirs), want in zip(model.named_buffers(), exact.buffers()):
            if not want.is_floating_point():
                if int(ours[name]) != int(want): off[0] = float("inf")
                continue
            mine = ours[name].to(want.device)
            for k, d in enumerate((mine - want, theirs - want, want)): off[k] += d.double().square().sum().item()
        self.say(f"BUFFERS {s} {off[0] / off[2]:.4g} {off[1] / off[2]:.4g}")


def safetensors(path):
    """The tensors of a file of float32 and int64, in its order of names."""
    raw = open(path, "rb").read()
    (n,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8:8 + n])
    head.pop("__metadata__", None)
    kinds = dict(F32=np.float32, I64=np.int64)
    part = lambda d: raw[8 + n + d["data_offsets"][0]:8 + n + d["data_offsets"][1]]
    return {k: torch.tensor(np.frombuffer(part(d), kinds[d["dtype"]]).reshape(d["shape"])) for k, d in head.items()}


def gradients(model, w, columns, prec, relu=F.relu):
    amp, scale = precision(w, prec), 65536.0 if prec == "fp16" else 1.0
    model.zero_grad(set_to_none=True)
    with amp: loss = model(*columns, relu=relu)
    (loss * scale).backward()
    return loss.item(), torch.cat([p.grad.double().flatten() for p in model.parameters()]) / scale


def gate(inputs=None, layer=-1, element=0):
    """A ReLU that appends what it is called with to inputs, and decides an element of call `layer` the other way."""
    calls = iter(range(1 << 30))

    def relu(z):
        if inputs is not None: inputs.append(z.detach())
        if next(calls) != layer: return F.relu(z)
        passes = (z > 0).to(z.dtype, memory_format=torch.contiguous_format)
        passes.view(-1)[element] = 1 - passes.view(-1)[element]
        return z * passes
    return relu


def undecided(exact, model, w, wide, columns, off):
    """Where a ReLU's input is within rounding of 0, the exact gradient is one of two that are equally right in this
    precision, and a whole sample's share of the gradient hangs on which. Takes from each side's distance to the exact
    gradient what such decisions explain: a ReLU counts as decided otherwise where that brings the gradient closer,
    the one that brings it closest first. How far rounding goes in a layer is seen in the peer's own inputs of its
    ReLUs. Returns how many are in doubt (of those, the nearest to 0 for their rounding are tried), how many each side
    was found to have decided otherwise; the distances left."""
    inputs, rounded = [], []
    with torch.no_grad():
        exact(*wide, relu=gate(inputs))
        with precision(w): model(*columns, relu=gate(rounded))
    rms = lambda d: d.double().square().mean().sqrt().clamp_min(1e-30)
    near = [(z.abs() / rms(z - r)).flatten() for z, r in zip(inputs, rounded)]
    ends = np.cumsum([len(n) for n in near])
    score, order = torch.cat(near).sort()
    doubt = int((score < 10).sum())         # products that cut off where the peer's round are 2.6 times as far off
    tried = min(doubt, 1024, 2 ** 29 // off[0].numel())
    alone = "batch_norm" not in w["network"]        # a sample's gradient is of this sample alone
    usual, share = {}, torch.empty(tried, off[0].numel(), dtype=torch.float64, device=off[0].device)
    for k, at in enumerate(order[:tried].tolist()):
        layer = int(np.searchsorted(ends, at, side="right"))
        at -= int(ends[layer - 1]) if layer else 0
        row, element = divmod(at, len(near[layer]) // w["batch"]) if alone else (0, at)
        part = [c[row:row + 1] for c in wide] if alone else wide
        if row not in usual: usual[row] = gradients(exact, w, part, "exact")[1]
        other = gradients(exact, w, part, "exact", gate(layer=layer, element=element))[1]
        share[k] = (other - usual[row]) / (w["batch"] if alone else 1)
    count, products = [], share @ share.t()
    for side in (0, 1):
        along, left, taken = share @ off[side], products.diagonal().clone(), torch.zeros(tried).to(share)
        while tried:
            gain = 2 * along - left
            best = int(gain.argmax())
            if gain[best] <= 0: break
            along, left[best], taken[best] = along - products[best], float("inf"), 1
        off[side] = off[side] - taken @ share
        count.append(int(taken.sum()))
    return doubt, count, off


def main():
    out = os.fdopen(os.dup(1), "w")     # what libraries print goes to the log
    os.dup2(2, 1)
    server = Server(out)
    for line in sys.stdin:
        what, _, rest = line.strip().partition(" ")
        try:
            if what in ("row", "epochs"): getattr(server, what)(json.loads(rest))
            elif what in ("block", "process", "parity"): getattr(server, what)(*rest.split())
        except Exception as e:
            server.say(f"torch {what} failed: {type(e).__name__}: {str(e)[:200]}")
        server.say("END")


if __name__ == "__main__": main()
