"""What the peers' programs share: the language in which network.h names a network (see there), and the data it draws."""
import collections

import numpy as np

COLUMNS = ("floats", "bytes", "bits", "labels", "ids", "tokens")
LAYERS = {"linear": "fc", "batch_norm": "bn", "embedding": "emb", "conv": "conv", "conv_no_bias": "filter",
          "conv_transpose": "back", "layer_norm": "ln", "group_norm": "gn", "lstm": "lstm", "gru": "gru", "cells": "cell",
          "positions": "pos", "block": "block"}
LOSSES = ("cross_entropy", "mse", "bce")
TAKES = dict.fromkeys(COLUMNS, 0) | dict.fromkeys(("add", "sub", "mul", "matmul", "matmul_t", "pick") + LOSSES, 2)    # others: one
# The result of op i is value i; inputs: numbers of values; name: a layer's; shape: without the batch.
Op = collections.namedtuple("Op", "word args inputs name shape")


def words(tokens):
    """(word, arguments) of an iterator's tokens up to a ")" that has no "(", repetitions written out."""
    found = []
    for token in tokens:
        if token == ")": break
        word, _, args = token.partition(":")
        if token.endswith("("): found += int(token[:-1]) * words(tokens)
        else: found.append((word, [float(a) if "." in a else int(a) for a in args.split(",") if a]))
    return found


def windows(sizes, kernel, stride=1, padding=0): return [(n + 2 * padding - kernel) // stride + 1 for n in sizes]

def widened(sizes, kernel, stride=1, padding=0): return [(n - 1) * stride - 2 * padding + kernel for n in sizes]


def shape_of(word, args, of):
    """The shape of a word's result; of: the shapes of what it takes."""
    if word in ("floats", "bytes", "bits", "reshape"): return args
    if word in ("ids", "tokens"): return args[:1]
    if word in ("labels", "kl", "average") or word in LOSSES: return []
    if word == "logsumexp": return of[0][:-1]
    if word == "slice": return of[0][:-1] + [args[1] - args[0]]
    if word == "pick": return of[1]
    if word == "pixel_shuffle": return [of[0][0] // args[0] ** 2] + [args[0] * n for n in of[0][1:]]
    if word == "sample": return of[0][:-1] + [of[0][-1] // 2]
    if word == "linear": return of[0][:-1] + args
    if word in ("conv", "conv_no_bias"): return args[:1] + windows(of[0][1:], *args[1:4])
    if word == "conv_transpose": return args[:1] + widened(of[0][1:], *args[1:4])
    if word in ("max_pool", "avg_pool"): return of[0][:1] + windows(of[0][1:], *(args if args[1:] else args * 2))
    if word == "global_avg_pool": return of[0][:1]
    if word == "upsample": return of[0][:1] + [args[0] * n for n in of[0][1:]]
    if word == "embedding": return of[0] + args[1:]
    if word in ("lstm", "gru", "cells"): return args[:1]
    if word == "attention": return of[0][:-1] + [of[0][-1] // 3]
    if word == "matmul": return of[0][:-1] + of[1][-1:]
    if word == "matmul_t": return of[0][:-1] + of[1][-2:-1]
    if word == "permute": return [of[0][a - 1] for a in args]
    if word == "mean": return of[0][:args[0] - 1] + of[0][args[0]:]
    if word == "concat" and args[1:]: return [sum(s[0] for s in of)] + of[0][1:]
    if word == "concat": return of[0][:-1] + [sum(s[-1] for s in of)]
    return of[0]


def program(text):
    """The network as a list of Op, each of which takes results of those before it; the last one's is the loss."""
    ops, stack, made = [], [], collections.Counter()
    for word, args in words(iter(text.split())):
        if word == "dup": stack.append(stack[-1])
        elif word == "over": stack.append(stack[-2])
        elif word == "third": stack.append(stack[-3])
        elif word == "swap": stack[-2:] = stack[-1], stack[-2]
        else:
            takes = args[0] if word == "concat" else TAKES.get(word, 1)
            inputs = [stack.pop() for _ in range(takes)][::-1]
            made[word] += 1
            name = f"{LAYERS[word]}{made[word]}" if word in LAYERS else None
            shapes = [ops[k].shape for k in inputs]
            if word == "shared": shape = shapes[0][:-1] + [op for op in ops if op.name == f"fc{args[0]}"][0].args
            elif len(shapes) == 2 and word in ("add", "sub", "mul"): shape = max(shapes)
            else: shape = shape_of(word, args, shapes)
            ops.append(Op(word, args, inputs, name, shape))
            stack.append(len(ops) - 1)
    return ops


def mixed(n, seed):
    """n values of the stream that network.h makes: uniform in -1 .. 1."""
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


def below(limit, stream): return (np.float32(limit) * np.float32(0.49999) * (1 + stream)).astype(np.int64)


def column(op, n, seed):
    """n rows of an input: float32 (bytes: uint8, of which 255 is 1) or int64."""
    rows = [n] + op.shape
    stream = mixed(int(np.prod(rows)), seed).reshape(rows)
    if op.word == "floats": return stream
    if op.word == "bytes": return (np.float32(127.5) * (1 + stream)).astype(np.uint8)
    if op.word == "bits": return (stream > 0).astype(np.float32)
    if op.word == "labels": return below(op.args[0], stream)
    if op.word == "tokens": return below(op.args[1], stream)
    return below(op.args[1], stream) + op.args[1] * np.arange(op.args[0])


def columns(w, most=None):
    """The first rows of a workload's data set, an array a column; most: how many are wanted."""
    n = min(most or 1 << 40, w["rows"] or 60000)
    inputs = [op for op in program(w["network"]) if op.word in COLUMNS]
    if not w["fashion"]:
        return [column(op, n, k + 1) for k, op in enumerate(inputs)]
    images = np.fromfile(f"{w['fashion']}/train-images-idx3-ubyte", np.uint8)[16:].reshape([-1] + inputs[0].shape)
    labels = np.fromfile(f"{w['fashion']}/train-labels-idx1-ubyte", np.uint8)[8:].astype(np.int64)
    return [images[:n], labels[:n]]
