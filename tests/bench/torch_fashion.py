#!/usr/bin/env python3
"""A whole process in PyTorch: Fashion-MNIST by an MLP (784-256-128-10) or a convolutional network, batch 128, Adam 1e-3, 5 epochs, as
examples/03_fashion.c and 06_cnn.c train them.
usage: torch_fashion.py FOLDER [eager|graph|cpu] [mlp|cnn]      files gunzipped or not; prints each epoch's test accuracy and seconds so far"""
import time
T0 = time.perf_counter()
import gzip
import os
import sys
import torch
import torch.nn as nn
import torch.nn.functional as F

t_import = time.perf_counter() - T0
torch.set_float32_matmul_precision("high")
torch.backends.cudnn.benchmark = True
folder, mode, net = (sys.argv[1:] + ["eager", "mlp"][len(sys.argv) - 2:])[:3]
dev = "cuda" if torch.cuda.is_available() and mode != "cpu" else "cpu"


def idx(name, offset, shape):
    path = f"{folder}/{name}"
    raw = open(path, "rb").read() if os.path.exists(path) else gzip.open(path + ".gz").read()
    return torch.frombuffer(bytearray(raw[offset:]), dtype=torch.uint8).view(shape)


X, Y = idx("train-images-idx3-ubyte", 16, (-1, 784)).to(dev).float() / 255, idx("train-labels-idx1-ubyte", 8, (-1,)).to(dev).long()
XT, YT = idx("t10k-images-idx3-ubyte", 16, (-1, 784)).to(dev).float() / 255, idx("t10k-labels-idx1-ubyte", 8, (-1,)).to(dev).long()
torch.manual_seed(0)
layers = [nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10)]
if net == "cnn":
    layers = [nn.Unflatten(1, (1, 28, 28)), nn.Conv2d(1, 32, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, 1, 1),
              nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(3136, 128), nn.ReLU(), nn.Linear(128, 10)]
m = nn.Sequential(*layers).to(dev)
opt = torch.optim.Adam(m.parameters(), lr=1e-3, **(dict(fused=True, capturable=mode == "graph") if dev == "cuda" else {}))
B = 128
sx, sy = torch.empty(B, 784, device=dev), torch.empty(B, dtype=torch.long, device=dev)


def step():
    opt.zero_grad(set_to_none=True)
    F.cross_entropy(m(sx), sy).backward()
    opt.step()


if mode == "graph":
    side = torch.cuda.Stream()
    sx.copy_(X[:B]); sy.copy_(Y[:B])
    with torch.cuda.stream(side):
        for _ in range(3): step()
    torch.cuda.current_stream().wait_stream(side)
    opt.zero_grad(set_to_none=True)
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g): step()
for e in range(5):
    p = torch.randperm(60000, device=dev)
    for i in range(0, 60000 - B + 1, B):
        j = p[i:i + B]
        torch.index_select(X, 0, j, out=sx)
        torch.index_select(Y, 0, j, out=sy)
        g.replay() if mode == "graph" else step()
    with torch.no_grad(): acc = (m(XT).argmax(1) == YT).float().mean().item()
    print(f"{net} {mode} epoch {e + 1} accuracy {acc:.4f} at {time.perf_counter() - T0:.2f} s (import {t_import:.2f} s)", flush=True)
