#!/usr/bin/env python3
"""The benchmark's steps in JAX: the whole step jitted, and many steps in one lax.scan, the least host overhead that JAX offers.
usage: jax_bench.py serve; requests and answers as torch_bench.py has them, "row" and "block" alone; random weights,
which cost the same. A network with convolutions has channels last wherever the words have them first.
BENCH_PEERS: the variants wanted, of jit,scan."""
import json
import os
import sys
import time
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import network

WANTED = os.environ.get("BENCH_PEERS", "jit,scan").split(",")
TYPES = {"bf16": jnp.bfloat16, "fp16": jnp.float16}
BLOCK = 0.06    # seconds


def parameters(ops, key):
    """Weights and running statistics by layer."""
    weights, buffers = {}, {}
    for op in ops:
        x = ops[op.inputs[0]].shape if op.name else []
        draw = lambda *shape: jax.random.normal(jax.random.fold_in(key, len(weights)), shape)
        if op.word in CONVS:
            of = x[0] // (op.args[4] if op.args[4:] else 1)
            taps = [op.args[1]] * (len(x) - 1)
            weights[op.name] = (draw(*taps, of, op.args[0]) * (of * op.args[1] ** len(taps)) ** -.5,)
            if op.word != "conv_no_bias": weights[op.name] += (jnp.zeros(op.args[0]),)
        if op.word == "positions": weights[op.name] = draw(*x)
        if op.word == "block":
            norm, layer = lambda n: (jnp.ones(n), jnp.zeros(n)), lambda n, m: (draw(n, m) * n ** -.5, jnp.zeros(m))
            n = x[-1]
            weights[op.name] = norm(n), layer(n, 3 * n), layer(n, n), norm(n), layer(n, 4 * n), layer(4 * n, n)
        if op.word == "linear": weights[op.name] = draw(x[-1], op.args[0]) * (1 / x[-1]) ** .5, jnp.zeros(op.args[0])
        if op.word in ("layer_norm", "group_norm"):
            of = x[0] if len(x) == 3 else x[-1]
            weights[op.name] = jnp.ones(of), jnp.zeros(of)
        if op.word == "embedding": weights[op.name] = draw(*op.args)
        if op.word in GATES:
            hidden, layers = (op.args + [1])[:2]
            weights[op.name] = [(draw(hidden if k else x[-1], GATES[op.word] * hidden) * hidden ** -.5,
                                 draw(hidden, GATES[op.word] * hidden) * hidden ** -.5,
                                 *jnp.zeros((2, GATES[op.word] * hidden))) for k in range(layers)]
        if op.word == "batch_norm":
            weights[op.name] = jnp.ones(x[0]), jnp.zeros(x[0])
            buffers[op.name] = jnp.zeros(x[0]), jnp.ones(x[0])
    return weights, buffers


LAYOUTS = {3: ("NWC", "WIO", "NWC"), 4: ("NHWC", "HWIO", "NHWC")}


def conv(op, x, w, dt):
    """Convolutions of images with channels last."""
    kernel, stride, padding, groups = op.args[1:] + [1, 0, 1][len(op.args) - 2:]
    rank, x = x.ndim - 2, x.astype(dt)
    if op.word == "conv_transpose":
        pads = [(kernel - 1 - padding,) * 2] * rank
        y = lax.conv_transpose(x, w[0].astype(dt), [stride] * rank, pads, dimension_numbers=LAYOUTS[x.ndim])
    else:
        y = lax.conv_general_dilated(x, w[0].astype(dt), [stride] * rank, [(padding, padding)] * rank,
                                     dimension_numbers=LAYOUTS[x.ndim], feature_group_count=groups)
    return y + w[1].astype(dt) if w[1:] else y


def pool(op, x):
    kernel, stride, padding = op.args + [op.args[0], 0][len(op.args) - 1:]
    over = lambda each, rest: (rest,) + (each,) * (x.ndim - 2) + (rest,)
    most = op.word == "max_pool"
    y = lax.reduce_window(x, -jnp.inf if most else 0., lax.max if most else lax.add, over(kernel, 1), over(stride, 1),
                          over((padding, padding), (0, 0)))
    return y if most else y / kernel ** (x.ndim - 2)


def upsample(x, factor):
    for axis in range(1, x.ndim - 1): x = jnp.repeat(x, factor, axis)
    return x


def normalized(x, weight, running):
    """Batch normalisation by the batch's statistics, in float32; and the running ones after it."""
    wide, n, axes = x.astype(jnp.float32), x.size // x.shape[-1], tuple(range(x.ndim - 1))
    mean, var = wide.mean(axes), wide.var(axes)
    y = (wide - mean) * lax.rsqrt(var + 1e-5) * weight[0] + weight[1]
    return y.astype(x.dtype), (.9 * running[0] + .1 * mean, .9 * running[1] + .1 * var * n / (n - 1))


def standard(x, axes):
    """Mean 0 and variance 1 along these axes, in float32."""
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) * lax.rsqrt(var + 1e-5)


def layer_norm(x, weight): return (standard(x.astype(jnp.float32), -1) * weight[0] + weight[1]).astype(x.dtype)


def group_norm(x, weight, groups):
    """Of images with channels last."""
    parts = x.astype(jnp.float32).reshape(x.shape[:-1] + (groups, x.shape[-1] // groups))
    return (standard(parts, (1, 2, 4)).reshape(x.shape) * weight[0] + weight[1]).astype(x.dtype)


def pixel_shuffle(x, r):
    n, h, w, c = x.shape
    return x.reshape(n, h, w, c // r ** 2, r, r).transpose(0, 1, 4, 2, 5, 3).reshape(n, h * r, w * r, c // r ** 2)


def recurrence(word, x, weights, dt):
    """The last layer's state behind the last step, by scans, of cells unrolled; states and gates are float32."""
    for w_ih, w_hh, b_ih, b_hh in weights:
        def lstm(state, x):
            h, c = state
            i, f, g, o = jnp.split(x + (h.astype(dt) @ w_hh.astype(dt)).astype(jnp.float32) + b_hh, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        def gru(h, x):
            z = (h.astype(dt) @ w_hh.astype(dt)).astype(jnp.float32) + b_hh
            (r, u, n), (s, v, m) = jnp.split(x, 3, -1), jnp.split(z, 3, -1)
            n, u = jnp.tanh(n + jax.nn.sigmoid(r + s) * m), jax.nn.sigmoid(u + v)
            h = n + u * (h - n)
            return h, h
        gates = (x.astype(dt) @ w_ih.astype(dt)).astype(jnp.float32) + b_ih
        zero = jnp.zeros((len(x), w_hh.shape[0]))
        step, first = (gru, zero) if word == "gru" else (lstm, (zero, zero))
        x = lax.scan(step, first, gates.swapaxes(0, 1), unroll=word == "cells")[1]
        x = x.swapaxes(0, 1)
    return x[:, -1]


def attention(x, heads):
    """Causal, of queries, keys and values side by side; by cuDNN where it can."""
    q, k, v = jnp.moveaxis(x.reshape(*x.shape[:2], 3, heads, -1), 2, 0)
    flash = x.dtype.itemsize == 2 and jax.default_backend() == "gpu"
    y = jax.nn.dot_product_attention(q, k, v, is_causal=True, implementation="cudnn" if flash else "xla")
    return y.reshape(*x.shape[:2], -1)


def block(x, weights, heads, dt):
    norm1, in_proj, out_proj, norm2, linear1, linear2 = weights
    linear = lambda x, w: x.astype(dt) @ w[0].astype(dt) + w[1].astype(dt)
    x = x + linear(attention(linear(layer_norm(x, norm1), in_proj), heads), out_proj)
    return x + linear(PLAIN["gelu"](linear(layer_norm(x, norm2), linear1)), linear2)


def cross_entropy(x, y): return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x), y[..., None], -1))
def mse(x, y): return jnp.mean((x - y) ** 2)
def bce(x, y): return jnp.mean(jax.nn.softplus(x) - x * y)


def kl(h, a):
    m, v = jnp.split(h.astype(jnp.float32), 2, -1)
    return a * jnp.mean(jnp.exp(v) + m * m - v - 1)


CONVS = ("conv", "conv_no_bias", "conv_transpose")
GATES = dict(lstm=4, gru=3, cells=4)
LOSSES = dict(cross_entropy=cross_entropy, mse=mse, bce=bce)
PLAIN = dict(relu=jax.nn.relu, tanh=jnp.tanh, gelu=lambda x: jax.nn.gelu(x, approximate=False), add=lambda x, y: x + y,
             exp=jnp.exp, square=jnp.square, sub=lambda x, y: x - y, average=jnp.mean, pixel_shuffle=pixel_shuffle,
             logsumexp=lambda x: jax.nn.logsumexp(x, -1), log_softmax=lambda x: jax.nn.log_softmax(x.astype(jnp.float32)),
             slice=lambda x, begin, end: x[..., begin:end], pick=lambda x, ids: jnp.take_along_axis(x, ids, 1),
             sin=jnp.sin, softplus=jax.nn.softplus, mul=lambda x, y: x * y,
             matmul=lambda x, y: x @ y, matmul_t=lambda x, y: x @ y.swapaxes(-2, -1), scale=lambda x, a: x * a,
             mean=lambda x, axis: x.mean(axis), softmax=lambda x: jax.nn.softmax(x.astype(jnp.float32)).astype(x.dtype),
             reshape=lambda x, *shape: x.reshape(len(x), *shape), permute=lambda x, *axes: x.transpose(0, *axes),
             attention=attention, kl=kl, upsample=upsample, global_avg_pool=lambda x: x.mean(tuple(range(1, x.ndim - 1))))


def forward(ops, dt, columns, weights, buffers, key):
    """The loss, and the running statistics after the step; products' operands have dtype dt."""
    values, columns, after = [], iter(columns), dict(buffers)
    for op in ops:
        x, w = [values[k] for k in op.inputs], weights.get(op.name)
        if op.word in network.COLUMNS: y = next(columns)
        elif op.word in ("linear", "shared"):
            w = w or weights[f"fc{op.args[0]}"]
            y = x[0].astype(dt) @ w[0].astype(dt) + w[1].astype(dt)
        elif op.word in CONVS: y = conv(op, x[0], w, dt)
        elif op.word in ("max_pool", "avg_pool"): y = pool(op, x[0])
        elif op.word == "concat": y = jnp.concatenate(x, -1)
        elif op.word == "embedding": y = w[x[0]].astype(dt)
        elif op.word == "positions": y = x[0] + w.astype(dt)
        elif op.word == "block": y = block(x[0], w, op.args[0], dt)
        elif op.word in GATES: y = recurrence(op.word, x[0], w, dt)
        elif op.word == "layer_norm": y = layer_norm(x[0], w)
        elif op.word == "group_norm": y = group_norm(x[0], w, op.args[0])
        elif op.word == "batch_norm": y, after[op.name] = normalized(x[0], w, buffers[op.name])
        elif op.word == "dropout":
            keep = 1 - op.args[0]
            y = jnp.where(jax.random.bernoulli(jax.random.fold_in(key, len(values)), keep, x[0].shape), x[0] / keep, 0)
        elif op.word == "sample":
            m, v = jnp.split(x[0], 2, -1)
            y = m + jnp.exp(v / 2) * jax.random.normal(jax.random.fold_in(key, len(values)), m.shape, m.dtype)
        elif op.word in LOSSES: y = LOSSES[op.word](x[0].astype(jnp.float32), x[1])
        else: y = PLAIN[op.word](*x, *op.args)
        values.append(y)
    return values[-1], after


def variants(w):
    """name -> (function of a number of blocks' steps, its seconds a step, steps a call)"""
    dt, ops, key = TYPES.get(w["precision"], jnp.float32), network.program(w["network"]), jax.random.PRNGKey(0)
    jax.config.update("jax_default_matmul_precision", "tensorfloat32" if w["precision"] == "tf32" else "float32" if w["precision"] == "fp32" else "bfloat16")
    columns = network.columns(w, w["batch"])
    if any(op.word in CONVS for op in ops): columns = [np.moveaxis(c, 1, -1) if c.ndim > 2 else c for c in columns]
    columns = [jnp.asarray(c / np.float32(255) if c.dtype == np.uint8 else c) for c in columns]
    nets = [parameters(ops, jax.random.fold_in(key, k)) for k in range(max(1, w["trainers"]))]
    p, buffers = [n[0] for n in nets], [n[1] for n in nets]

    def loss(p, buffers, columns, t):
        """The sum of the networks' losses: each one's gradient is of its own."""
        each = [forward(ops, dt, columns, n, b, jax.random.fold_in(key, t)) for n, b in zip(p, buffers)]
        return sum(e[0] for e in each), [e[1] for e in each]
    zero = jax.tree.map(jnp.zeros_like, p)

    def step(state, _):
        p, m, v, t, buffers, columns = state        # as constants, inputs would be computed with at compile time
        g, buffers = jax.grad(loss, has_aux=True)(p, buffers, columns, t)
        t = t + 1
        if w["opt"] == "adam":
            m = jax.tree.map(lambda m, g: .9 * m + .1 * g, m, g)
            v = jax.tree.map(lambda v, g: .999 * v + .001 * g * g, v, g)
            c = t.astype(jnp.float32)
            p = jax.tree.map(lambda p, m, v: p - 1e-3 * (m / (1 - .9 ** c)) / (jnp.sqrt(v / (1 - .999 ** c)) + 1e-8), p, m, v)
        else:
            m = jax.tree.map(lambda m, g: .9 * m + g, m, g)
            p = jax.tree.map(lambda p, m: p - 1e-2 * m, p, m)
        return (p, m, v, t, buffers, columns), None

    def fresh(): return jax.tree.map(jnp.copy, (p, zero, zero, jnp.int32(0), buffers, columns))
    one = jax.jit(lambda st: step(st, None)[0], donate_argnums=0)
    runs = {}

    def run(f, calls, st):
        for _ in range(calls): st = f(st)
        jax.block_until_ready(st)
        return st
    st = run(one, 3, fresh())
    t = time.perf_counter()
    st = run(one, 5, st)
    took = (time.perf_counter() - t) / 5
    n = max(3, min(1000, int(BLOCK / took)))
    if "jit" in WANTED: runs["jit"] = [one, n, n, st, run]
    if "scan" in WANTED:
        n = min(n, 200)
        many = jax.jit(lambda st: lax.scan(step, st, None, length=n)[0], donate_argnums=0)
        runs["scan"] = [many, max(1, int(0.5 * BLOCK / took / n)), n * max(1, int(0.5 * BLOCK / took / n)), run(many, 1, fresh()), run]
    return runs


def main():
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    say = lambda text: print(text, file=out, flush=True)
    runs = {}
    for line in sys.stdin:
        what, _, rest = line.strip().partition(" ")
        try:
            if what == "row":
                w, runs = json.loads(rest), {}
                here = jax.default_backend() == w["device"].replace("cuda", "gpu")
                if here and {"jit", "scan"} & set(WANTED): runs = variants(w)
                for name in runs: say(f"READY jax-{name} 0")
            elif what == "block":
                r = runs[rest.split("-", 1)[1]]
                r[3] = r[4](r[0], max(1, r[1] // 4), r[3])
                t = time.perf_counter()
                r[3] = r[4](r[0], r[1], r[3])
                say(f"TIME {(time.perf_counter() - t) / r[2] * 1e6:.3f}")
        except Exception as e:
            say(f"jax {what} failed: {type(e).__name__}: {str(e)[:200]}")
        say("END")


if __name__ == "__main__": main()
