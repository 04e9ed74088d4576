#!/usr/bin/env python3
"""The benchmark's work in PyTorch, and the proof that both sides compute the same: bench.c starts it and asks line by line.

usage: torch_bench.py serve; requests on standard input, answers on standard output, each ending in a line "END":
    row JSON            prepares a workload (sizes, batch, rows, precision, loss, act, opt, dropout, fashion, limit) in the variants that
                        BENCH_PEERS names: "READY torch-eager rest_bytes" for each. After `limit` seconds it begins none
    block WHO           times a block of steps of that variant: "TIME microseconds"
    parity              reads build/parity/ (weights, losses, gradients at three steps): "PARITY step loss peer_loss nmse peer_nmse", "MEAN loss"
    epochs THREADS FASHION, process MODE FASHION    whole epochs of the small network on the CPU, whole processes: "TIME microseconds"
BENCH_PEERS: the variants wanted, of eager,graph,compile,compile-max. 'compile' is torch.compile with the whole step in one captured
graph, the fastest that a PyTorch user gets; '-max' the same with max-autotune. Times are of blocks of steps by the wall clock, inputs
resident on the GPU; rest_bytes is the peak of allocated memory without inputs, parameters, gradients and optimizer states. FP16 is
trained without a loss scale in the timed steps, which costs a user less, and with one in the proof.
"""
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

WANTED = os.environ.get("BENCH_PEERS", "eager,graph,compile").split(",")
BLOCK = 0.06    # seconds


def mixed(n, seed):
    """n values of the stream that bench.c makes: uniform in -1 .. 1."""
    x = np.arange(n, dtype=np.uint32)
    x *= np.uint32(0x9E3779B1)
    x += np.uint32((seed * 0x85EBCA77 + 1) & 0xFFFFFFFF)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x7FEB352D)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x846CA68B)
    x ^= x >> np.uint32(16)
    x >>= np.uint32(8)
    f = x.astype(np.float32)
    f /= np.float32(8388608)
    f -= np.float32(1)
    return f


def data(w, dev, most=None):
    """The first rows of the workload's data set, as floats; most: how many are wanted."""
    sizes = w["sizes"]
    n = min(most or 1 << 40, w["rows"] or 60000)
    if w["fashion"]:
        x = np.fromfile(f"{w['fashion']}/train-images-idx3-ubyte", np.uint8)[16:].reshape(-1, 784)[:n]
        y = np.fromfile(f"{w['fashion']}/train-labels-idx1-ubyte", np.uint8)[8:].astype(np.int64)[:n]
        return torch.tensor(x, device=dev).float() / 255, torch.tensor(y, device=dev)
    x = mixed(n * sizes[0], 1)
    if not w["rows"]: x = (np.float32(127.5) * (1 + x)).astype(np.uint8)
    x = torch.tensor(x.reshape(n, -1), device=dev).float()
    if not w["rows"]: x /= 255
    if w["loss"] == "mse": return x, torch.tensor(mixed(n * sizes[-1], 2).reshape(n, -1), device=dev)
    y = (np.float32(sizes[-1]) * np.float32(0.49999) * (1 + mixed(n, 2))).astype(np.int64)
    return x, torch.tensor(y, device=dev)


class Net(nn.Module):
    def __init__(self, w):
        super().__init__()
        sizes = w["sizes"]
        self.depth, self.act, self.p = len(sizes) - 1, torch.tanh if w["act"] == "tanh" else F.relu, w["dropout"]
        for i, (a, b) in enumerate(zip(sizes, sizes[1:])): setattr(self, f"fc{i + 1}", nn.Linear(a, b))

    def forward(self, x):
        for i in range(1, self.depth + 1):
            x = getattr(self, f"fc{i}")(x)
            if i < self.depth: x = self.act(x)
            if i == 1 and self.p: x = F.dropout(x, self.p, self.training)
        return x


def precision(name):
    """Float32 products as named; the autocast to use beside."""
    torch.set_float32_matmul_precision("high" if name == "tf32" else "highest")
    return torch.autocast("cuda", dtype=torch.float16 if name == "fp16" else torch.bfloat16, enabled=name in ("bf16", "fp16"))


def loss_of(kind, out, y): return F.cross_entropy(out.float(), y) if kind == "ce" else F.mse_loss(out.float(), y)


def optimizer(w, model, capturable):
    if w["opt"] == "adam": return torch.optim.Adam(model.parameters(), lr=1e-3, fused=True, capturable=capturable), 16
    return torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9, fused=True), 12


def stepper(model, kind, x, y, opt, amp):
    def step():
        opt.zero_grad(set_to_none=True)
        with amp: loss = loss_of(kind, model(x), y)
        loss.backward()
        opt.step()
    return step


def graphed(step, opt):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(5): step()
    torch.cuda.current_stream().wait_stream(side)
    opt.zero_grad(set_to_none=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph): step()
    return lambda held=step: graph.replay()     # the model that the graph works on lives as long


def seconds(step, n):
    torch.cuda.synchronize()
    t = time.perf_counter()
    for _ in range(n): step()
    torch.cuda.synchronize()
    return (time.perf_counter() - t) / n


class Server:
    def __init__(self, out): self.out, self.work, self.step, self.count = out, None, {}, {}

    def say(self, text): print(text, file=self.out, flush=True)

    def row(self, text):
        self.work, began = json.loads(text), time.perf_counter()
        self.step, self.count = {}, {}
        w = self.work
        if not torch.cuda.is_available(): return self.say("no GPU for PyTorch")
        x, y = data(w, "cuda", w["batch"])
        for variant in WANTED:
            if variant not in ("eager", "graph", "compile", "compile-max"): continue
            if time.perf_counter() - began > w["limit"]:
                self.say(f"torch-{variant} left out: {time.perf_counter() - began:.0f} s have gone")
                continue
            step = model = opt = f = None
            if hasattr(torch, "_dynamo"): torch._dynamo.reset()
            gc.collect()
            torch.cuda.empty_cache()
            base = torch.cuda.memory_allocated()
            torch.cuda.reset_peak_memory_stats()
            try:
                amp = precision(w["precision"])
                torch.manual_seed(0)
                model = Net(w).cuda()
                params = sum(p.numel() for p in model.parameters())
                opt, each = optimizer(w, model, variant != "eager")
                f = model if "compile" not in variant else torch.compile(model, mode="max-autotune-no-cudagraphs" if variant.endswith("max") else "default")
                step = stepper(f, w["loss"], x, y, opt, amp)
                if variant != "eager": step = graphed(step, opt)
                seconds(step, 3)
                took = seconds(step, 5)
                self.step[variant], self.count[variant] = step, max(3, min(2000, int(BLOCK / took)))
                self.say(f"READY torch-{variant} {max(0, torch.cuda.max_memory_allocated() - base - each * params)}")
            except Exception as e:
                self.say(f"torch-{variant} failed: {type(e).__name__}: {str(e)[:200]}")

    def block(self, who):
        variant = who.split("-", 1)[1]
        if self.work["precision"] != "fp32": precision(self.work["precision"])
        seconds(self.step[variant], max(1, self.count[variant] // 4))       # clocks and caches are ours again
        self.say(f"TIME {seconds(self.step[variant], self.count[variant]) * 1e6:.3f}")

    def epochs(self, threads, fashion=""):
        torch.set_num_threads(int(threads))
        w = dict(sizes=[784, 256, 128, 10], rows=0, loss="ce", act="relu", dropout=0, fashion=fashion if os.path.exists(f"{fashion}/train-images-idx3-ubyte") else "")
        X, Y = data(w, "cpu")
        model = Net(w)
        opt = torch.optim.Adam(model.parameters(), lr=1e-3)
        for e in range(4):
            t, order = time.perf_counter(), torch.randperm(60000)
            for i in range(0, 60000, 128):
                j = order[i:i + 128]
                opt.zero_grad(set_to_none=True)
                F.cross_entropy(model(X[j]), Y[j]).backward()
                opt.step()
            if e: self.say(f"TIME {(time.perf_counter() - t) * 1e6:.0f}")

    def process(self, mode, fashion):
        here = os.path.dirname(os.path.abspath(__file__))
        t = time.perf_counter()
        subprocess.run([sys.executable, f"{here}/torch_fashion.py", fashion, mode], stdout=subprocess.DEVNULL, check=True)
        self.say(f"TIME {(time.perf_counter() - t) * 1e6:.0f}")

    def parity(self):
        w = self.work
        self.step, self.count = {}, {}
        X, Y = data(w, "cuda")
        batch, per_epoch = w["batch"], len(X) // w["batch"]
        rows = lambda s: slice((s - 1) % per_epoch * batch, ((s - 1) % per_epoch + 1) * batch)
        model = Net(w).cuda()
        for s in (1, 100, 400):
            model.load_state_dict(safetensors(f"build/parity/{s}.safetensors"))
            ours = torch.tensor(np.fromfile(f"build/parity/{s}.gradient", np.float32), device="cuda").double()
            our_loss = float(open(f"build/parity/{s}.loss").read())
            x, y = X[rows(s)], Y[rows(s)]
            _, exact = gradients(model, w["loss"], x, y, "fp32")
            loss, theirs = gradients(model, w["loss"], x, y, w["precision"])
            off = [ours - exact, theirs - exact]
            nmse = lambda d: (d.square().sum() / exact.square().sum()).item()
            if nmse(off[0]) > 2 * nmse(off[1]) and w["act"] == "relu":
                whole = [nmse(d) for d in off]
                doubt, count, off = undecided(model, w, x, y, off)
                self.say(f"step {s}: NMSE {whole[0]:.2e}, peer's {whole[1]:.2e}; {doubt} ReLUs in doubt, decided otherwise than by float32: {count[0]}, by the peer {count[1]}. Without these:")
            self.say(f"PARITY {s} {our_loss:.9g} {loss:.9g} {nmse(off[0]):.4g} {nmse(off[1]):.4g}")
        model.load_state_dict(safetensors("build/parity/1.safetensors"))    # step 1's weights are the initial ones
        opt, _ = optimizer(w, model, False)
        amp = precision(w["precision"])
        scaler = torch.amp.GradScaler("cuda", enabled=w["precision"] == "fp16")
        total = 0.0
        for s in range(1, 470):
            opt.zero_grad(set_to_none=True)
            with amp: loss = loss_of(w["loss"], model(X[rows(s)]), Y[rows(s)])
            scaler.scale(loss).backward()
            scaler.step(opt)
            scaler.update()
            if s >= 370: total += loss.detach() / 100
        self.say(f"MEAN {float(total):.9g}")


def safetensors(path):
    """The tensors of a float32 file, in its order of names."""
    raw = open(path, "rb").read()
    (n,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8:8 + n])
    head.pop("__metadata__", None)
    cut = lambda d: np.frombuffer(raw[8 + n + d["data_offsets"][0]:8 + n + d["data_offsets"][1]], np.float32).reshape(d["shape"])
    return {k: torch.tensor(cut(d)) for k, d in head.items()}


def gradients(model, kind, x, y, prec):
    amp, scale = precision(prec), 65536.0 if prec == "fp16" else 1.0
    model.zero_grad(set_to_none=True)
    with amp: loss = loss_of(kind, model(x), y)
    (loss * scale).backward()
    return loss.item(), torch.cat([p.grad.double().flatten() for p in model.parameters()]) / scale


def undecided(model, w, x, y, off):
    """Where a ReLU's input is within rounding of 0, float32's gradient is one of two that are equally right in this precision, and a whole
    sample's share of the gradient hangs on which. Takes from each side's distance to float32's gradient what such decisions explain: a ReLU
    counts as decided otherwise where that brings the gradient closer, the one that brings it closest first. Returns how many are in doubt
    (of those, the nearest to 0 for their rounding are tried), how many each side was found to have decided otherwise; the distances left."""
    precision("fp32")
    unit = {"fp32": 2.0 ** -24, "tf32": 2.0 ** -11, "bf16": 2.0 ** -8, "fp16": 2.0 ** -11}[w["precision"]]
    near = []
    with torch.no_grad():
        h, var = x.double(), torch.zeros_like(x, dtype=torch.float64)
        for i in range(1, model.depth):
            weight = getattr(model, f"fc{i}").weight.double().t()
            z = h @ weight + getattr(model, f"fc{i}").bias.double()
            var = (2 * unit ** 2 * h.square() + var) @ weight.square()      # both operands are rounded, and h has an error of its own
            near.append((z.abs() / var.sqrt()).flatten())
            h, var = z.relu(), var * (z > 0)
    ends = np.cumsum([len(n) for n in near])
    score, order = torch.cat(near).sort()
    doubt = int((score < 4).sum())
    tried = min(doubt, 1024, 2 ** 29 // off[0].numel())
    usual, share = {}, torch.empty(tried, off[0].numel(), dtype=torch.float64, device=x.device)
    for k, at in enumerate(order[:tried].tolist()):
        layer = int(np.searchsorted(ends, at, side="right"))
        row, column = divmod(at - (ends[layer - 1] if layer else 0), len(near[layer]) // len(x))
        if row not in usual: usual[row] = sample_gradient(model, w, x[row:row + 1], y[row:row + 1])
        share[k] = (sample_gradient(model, w, x[row:row + 1], y[row:row + 1], layer + 1, column) - usual[row]) / len(x)
    count = []
    for side in (0, 1):
        left = share.square().sum(1)
        count.append(0)
        while tried:
            gain = 2 * share @ off[side] - left
            best = int(gain.argmax())
            if gain[best] <= 0: break
            off[side], left[best] = off[side] - share[best], float("inf")
            count[side] += 1
    return doubt, count, off


def sample_gradient(model, w, x, y, layer=0, column=0):
    """The gradient of one sample's loss in float32; layer, column: whose ReLU is decided the other way."""
    model.zero_grad(set_to_none=True)
    h = x
    for i in range(1, model.depth + 1):
        h = getattr(model, f"fc{i}")(h)
        if i == model.depth: break
        gate = (h > 0).float()
        if i == layer: gate[0, column] = 1 - gate[0, column]
        h = h * gate
    loss_of(w["loss"], h, y).backward()
    return torch.cat([p.grad.double().flatten() for p in model.parameters()])


def main():
    out = os.fdopen(os.dup(1), "w")     # what libraries print goes to the log
    os.dup2(2, 1)
    server = Server(out)
    for line in sys.stdin:
        what, _, rest = line.strip().partition(" ")
        try:
            if what == "row": server.row(rest)
            elif what in ("block", "epochs", "process", "parity"): getattr(server, what)(*rest.split())
        except Exception as e:
            server.say(f"torch {what} failed: {type(e).__name__}: {str(e)[:200]}")
        server.say("END")


if __name__ == "__main__": main()
