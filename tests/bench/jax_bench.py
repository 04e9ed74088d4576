#!/usr/bin/env python3
"""The benchmark's steps in JAX: the whole step jitted, and many steps in one lax.scan, the least host overhead that JAX offers.
usage: jax_bench.py serve; requests and answers as torch_bench.py has them, "row" and "block" alone; random data, which cost the same.
BENCH_PEERS: the variants wanted, of jit,scan."""
import json
import os
import sys
import time
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax
import jax.numpy as jnp
from jax import lax

WANTED = os.environ.get("BENCH_PEERS", "jit,scan").split(",")
TYPES = {"bf16": jnp.bfloat16, "fp16": jnp.float16}
BLOCK = 0.06    # seconds


def variants(w):
    """name -> (function of a number of blocks' steps, its seconds a step, steps a call)"""
    s, B, dt, kind = w["sizes"], w["batch"], TYPES.get(w["precision"], jnp.float32), w["loss"]
    jax.config.update("jax_default_matmul_precision", "tensorfloat32" if w["precision"] == "tf32" else "float32" if w["precision"] == "fp32" else "bfloat16")
    key = jax.random.PRNGKey(0)
    p = [(jax.random.normal(k, (a, b)) * (2 / a) ** .5, jnp.zeros(b)) for k, a, b in zip(jax.random.split(key, len(s)), s, s[1:])]
    x = jax.random.normal(key, (B, s[0]))
    y = jax.random.randint(key, (B,), 0, s[-1]) if kind == "ce" else jax.random.normal(key, (B, s[-1]))
    act = jnp.tanh if w["act"] == "tanh" else jax.nn.relu

    def forward(p, t):
        h = x
        for i, (v, b) in enumerate(p):
            h = h.astype(dt) @ v.astype(dt) + b.astype(dt)
            if i < len(p) - 1: h = act(h)
            if i == 0 and w["dropout"]: h = jnp.where(jax.random.bernoulli(jax.random.fold_in(key, t), 1 - w["dropout"], h.shape), h / (1 - w["dropout"]), 0)
        return h.astype(jnp.float32)

    def loss(p, t):
        o = forward(p, t)
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(o), y[:, None], 1)) if kind == "ce" else jnp.mean((o - y) ** 2)
    zero = jax.tree.map(jnp.zeros_like, p)

    def step(state, _):
        p, m, v, t = state
        g = jax.grad(loss)(p, t)
        t = t + 1
        if w["opt"] == "adam":
            m = jax.tree.map(lambda m, g: .9 * m + .1 * g, m, g)
            v = jax.tree.map(lambda v, g: .999 * v + .001 * g * g, v, g)
            c = t.astype(jnp.float32)
            p = jax.tree.map(lambda p, m, v: p - 1e-3 * (m / (1 - .9 ** c)) / (jnp.sqrt(v / (1 - .999 ** c)) + 1e-8), p, m, v)
        else:
            m = jax.tree.map(lambda m, g: .9 * m + g, m, g)
            p = jax.tree.map(lambda p, m: p - 1e-2 * m, p, m)
        return (p, m, v, t), None

    def fresh(): return jax.tree.map(jnp.copy, p), jax.tree.map(jnp.copy, zero), jax.tree.map(jnp.copy, zero), jnp.int32(0)
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
                runs = {}
                runs = variants(json.loads(rest)) if jax.default_backend() == "gpu" and {"jit", "scan"} & set(WANTED) else {}
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
