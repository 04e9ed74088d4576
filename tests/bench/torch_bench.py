#!/usr/bin/env python3
"""The benchmark's work in PyTorch, and the proof that both sides compute the same.

usage: torch_bench.py time ROW FASHION      prints "ROW work who us us_min us_max rest_bytes" for each variant
       torch_bench.py parity ROW FASHION    reads build/parity/ (weights, losses, gradients at three steps) and prints
                                            "PARITY step loss peer_loss nmse peer_nmse" and "MEAN loss"
FASHION: folder of Fashion-MNIST, gunzipped; "" or without the files: random bytes, the same ones as bench.c makes.
BENCH_PEERS: the variants wanted, of eager,graph,compile,compile-max. 'compile' is torch.compile with the whole step in one captured
graph, the fastest that a PyTorch user gets; '-max' the same with max-autotune. Times are of blocks of steps by the wall clock,
inputs resident on the GPU; rest_bytes is the peak of allocated memory without inputs and 16 bytes a parameter.
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

ROWS = {  # sizes, batch, rows of data (0: Fashion-MNIST), precision, loss, steps a block
    "mlp-small-b128-tf32": ([784, 256, 128, 10], 128, 0, "tf32", "ce", 500),
    "mlp-small-b1024-tf32": ([784, 256, 128, 10], 1024, 0, "tf32", "ce", 500),
    "mlp-wide-bf16": ([4096] * 5, 4096, 8192, "bf16", "mse", 20),
    "mlp-wide-tf32": ([4096] * 5, 4096, 8192, "tf32", "mse", 20),
}
WANTED = os.environ.get("BENCH_PEERS", "eager,graph,compile,compile-max").split(",")


def mixed(n, seed):
    """n values of the stream that bench.c makes: uniform in -1 .. 1."""
    x = (np.arange(n, dtype=np.uint32) * np.uint32(0x9E3779B1) + np.uint32((seed * 0x85EBCA77 + 1) & 0xFFFFFFFF)).astype(np.uint32)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x7FEB352D)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x846CA68B)
    x ^= x >> np.uint32(16)
    return (x >> np.uint32(8)).astype(np.float32) / np.float32(8388608) - np.float32(1)


def data(row, fashion, dev):
    sizes, _, rows, _, loss, _ = ROWS[row]
    if rows:
        x, y = mixed(rows * sizes[0], 1).reshape(rows, -1), mixed(rows * sizes[-1], 2).reshape(rows, -1)
        return torch.tensor(x, device=dev), torch.tensor(y, device=dev)
    if fashion and os.path.exists(f"{fashion}/train-images-idx3-ubyte"):
        x = np.fromfile(f"{fashion}/train-images-idx3-ubyte", np.uint8)[16:].reshape(-1, 784)
        y = np.fromfile(f"{fashion}/train-labels-idx1-ubyte", np.uint8)[8:].astype(np.int64)
    else:
        x = (np.float32(127.5) * (1 + mixed(60000 * 784, 1))).astype(np.uint8).reshape(-1, 784)
        y = (np.float32(4.999) * (1 + mixed(60000, 2))).astype(np.int64)
    return torch.tensor(x, device=dev).float() / 255, torch.tensor(y, device=dev)


class Net(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.depth = len(sizes) - 1
        for i, (a, b) in enumerate(zip(sizes, sizes[1:])): setattr(self, f"fc{i + 1}", nn.Linear(a, b))

    def forward(self, x):
        for i in range(1, self.depth + 1):
            x = getattr(self, f"fc{i}")(x)
            if i < self.depth: x = F.relu(x)
        return x


def precision(name):
    """Float32 products as named; the autocast to use beside."""
    torch.set_float32_matmul_precision("high" if name == "tf32" else "highest")
    return torch.autocast("cuda", dtype=torch.bfloat16, enabled=name == "bf16")


def loss_of(kind, out, y): return F.cross_entropy(out.float(), y) if kind == "ce" else F.mse_loss(out.float(), y)


def timed(step, n, blocks=7):
    for _ in range(10): step()
    torch.cuda.synchronize()
    ts = []
    for _ in range(blocks):
        t = time.perf_counter()
        for _ in range(n): step()
        torch.cuda.synchronize()
        ts.append((time.perf_counter() - t) / n * 1e6)
    return sorted(ts)


def report(row, who, ts, rest=0.0):
    print(f"ROW {row} {who} {ts[len(ts) // 2]:.3f} {ts[0]:.3f} {ts[-1]:.3f} {rest:.0f}", flush=True)


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
    return graph.replay


def time_steps(row, fashion):
    sizes, batch, _, prec, kind, n = ROWS[row]
    X, Y = data(row, fashion, "cuda")
    x, y = X[:batch].clone(), Y[:batch].clone()
    del X, Y
    for variant in WANTED:
        if variant not in ("eager", "graph", "compile", "compile-max"): continue
        step = model = opt = None
        if hasattr(torch, "_dynamo"): torch._dynamo.reset()
        gc.collect()
        torch.cuda.empty_cache()
        base = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        try:
            amp = precision(prec)
            torch.manual_seed(0)
            model = Net(sizes).cuda()
            params = sum(p.numel() for p in model.parameters())
            opt = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True, capturable=variant != "eager")
            f = model if "compile" not in variant else torch.compile(model, mode="max-autotune-no-cudagraphs" if variant.endswith("max") else "default")
            step = stepper(f, kind, x, y, opt, amp)
            if variant != "eager": step = graphed(step, opt)
            ts = timed(step, n)
            report(row, "torch-" + variant, ts, max(0, torch.cuda.max_memory_allocated() - base - 16 * params))
        except Exception as e:
            print(f"torch-{variant} failed: {type(e).__name__}: {str(e)[:200]}", flush=True)


def time_epochs(row, fashion):
    threads = 1 if "1t" in row else 2
    torch.set_num_threads(threads)
    X, Y = data("mlp-small-b128-tf32", fashion, "cpu")
    model = Net([784, 256, 128, 10])
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    ts = []
    for _ in range(4):
        t, order = time.perf_counter(), torch.randperm(60000)
        for i in range(0, 60000, 128):
            j = order[i:i + 128]
            opt.zero_grad(set_to_none=True)
            F.cross_entropy(model(X[j]), Y[j]).backward()
            opt.step()
        ts.append((time.perf_counter() - t) * 1e6)
    report(row, "torch", sorted(ts[1:]))


def time_processes(row, fashion):
    here = os.path.dirname(os.path.abspath(__file__))
    for mode in ("eager", "graph"):
        if mode not in WANTED: continue
        ts = []
        for _ in range(2):
            t = time.perf_counter()
            subprocess.run([sys.executable, f"{here}/torch_fashion.py", fashion, mode], stdout=subprocess.DEVNULL, check=True)
            ts.append((time.perf_counter() - t) * 1e6)
        report(row, "torch-" + mode, sorted(ts))


def safetensors(path):
    """The tensors of a float32 file, in its order of names."""
    raw = open(path, "rb").read()
    (n,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8:8 + n])
    head.pop("__metadata__", None)
    cut = lambda d: np.frombuffer(raw[8 + n + d["data_offsets"][0]:8 + n + d["data_offsets"][1]], np.float32).reshape(d["shape"])
    return {k: torch.tensor(cut(d)) for k, d in head.items()}


def gradients(model, kind, x, y, prec):
    amp = precision(prec)
    model.zero_grad(set_to_none=True)
    with amp: loss = loss_of(kind, model(x), y)
    loss.backward()
    return loss.item(), torch.cat([p.grad.double().flatten() for p in model.parameters()])


def parity(row, fashion):
    sizes, batch, _, prec, kind, _ = ROWS[row]
    X, Y = data(row, fashion, "cuda")
    per_epoch = len(X) // batch
    rows = lambda s: slice((s - 1) % per_epoch * batch, ((s - 1) % per_epoch + 1) * batch)
    model = Net(sizes).cuda()
    for s in (1, 100, 400):
        model.load_state_dict(safetensors(f"build/parity/{s}.safetensors"))
        ours = torch.tensor(np.fromfile(f"build/parity/{s}.gradient", np.float32), device="cuda").double()
        our_loss = float(open(f"build/parity/{s}.loss").read())
        x, y = X[rows(s)], Y[rows(s)]
        _, exact = gradients(model, kind, x, y, "fp32")
        loss, theirs = gradients(model, kind, x, y, prec)
        nmse = lambda g: (((g - exact) ** 2).sum() / (exact ** 2).sum()).item()
        print(f"PARITY {s} {our_loss:.9g} {loss:.9g} {nmse(ours):.4g} {nmse(theirs):.4g}", flush=True)
    model.load_state_dict(safetensors("build/parity/1.safetensors"))    # step 1's weights are the initial ones
    opt = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    amp = precision(prec)
    total = 0.0
    for s in range(1, 470):
        opt.zero_grad(set_to_none=True)
        with amp: loss = loss_of(kind, model(X[rows(s)]), Y[rows(s)])
        loss.backward()
        opt.step()
        if s >= 370: total += loss.item() / 100
    print(f"MEAN {total:.9g}", flush=True)


if __name__ == "__main__":
    what, row, fashion = sys.argv[1], sys.argv[2], (sys.argv + [""])[3]
    if what == "parity": parity(row, fashion)
    elif row in ROWS: time_steps(row, fashion)
    elif row.startswith("cpu-mlp"): time_epochs(row, fashion)
    elif row == "process-mlp": time_processes(row, fashion)
