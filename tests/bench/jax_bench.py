#!/usr/bin/env python3
"""The benchmark's steps in JAX: the whole step jitted, and many steps in one lax.scan, the least host overhead that JAX offers.
usage: jax_bench.py time ROW FASHION      prints "ROW work who us us_min us_max rest_bytes"; random data, which cost the same.
BENCH_PEERS: the variants wanted, of jit,scan."""
import os
import sys
import time
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax
import jax.numpy as jnp
from jax import lax

ROWS = {  # sizes, batch, type of products, loss, steps a block
    "mlp-small-b128-tf32": ([784, 256, 128, 10], 128, jnp.float32, "ce", 200),
    "mlp-small-b1024-tf32": ([784, 256, 128, 10], 1024, jnp.float32, "ce", 200),
    "mlp-wide-bf16": ([4096] * 5, 4096, jnp.bfloat16, "mse", 20),
    "mlp-wide-tf32": ([4096] * 5, 4096, jnp.float32, "mse", 20),
}
WANTED = os.environ.get("BENCH_PEERS", "jit,scan").split(",")


def run(row):
    s, B, dt, kind, n = ROWS[row]
    jax.config.update("jax_default_matmul_precision", "tensorfloat32")
    key = jax.random.PRNGKey(0)
    p = [(jax.random.normal(k, (a, b)) * (2 / a) ** .5, jnp.zeros(b)) for k, a, b in zip(jax.random.split(key, len(s)), s, s[1:])]
    x = jax.random.normal(key, (B, s[0]))
    y = jax.random.randint(key, (B,), 0, s[-1]) if kind == "ce" else jax.random.normal(key, (B, s[-1]))

    def forward(p, x):
        for i, (w, b) in enumerate(p):
            x = x.astype(dt) @ w.astype(dt) + b.astype(dt)
            if i < len(p) - 1: x = jax.nn.relu(x)
        return x.astype(jnp.float32)

    def loss(p):
        o = forward(p, x)
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(o), y[:, None], 1)) if kind == "ce" else jnp.mean((o - y) ** 2)
    zero = jax.tree.map(jnp.zeros_like, p)

    def step(state, _):
        p, m, v, t = state
        g = jax.grad(loss)(p)
        t = t + 1
        m = jax.tree.map(lambda m, g: .9 * m + .1 * g, m, g)
        v = jax.tree.map(lambda v, g: .999 * v + .001 * g * g, v, g)
        p = jax.tree.map(lambda p, m, v: p - 1e-3 * (m / (1 - .9 ** t)) / (jnp.sqrt(v / (1 - .999 ** t)) + 1e-8), p, m, v)
        return (p, m, v, t), None
    one = jax.jit(lambda st: step(st, None)[0], donate_argnums=0)
    many = jax.jit(lambda st: lax.scan(step, st, None, length=n)[0], donate_argnums=0)
    for name, f, k in (("jit", one, n), ("scan", many, 1)):
        if name not in WANTED: continue
        st = (jax.tree.map(jnp.copy, p), jax.tree.map(jnp.copy, zero), jax.tree.map(jnp.copy, zero), jnp.float32(0))
        st = f(st)
        jax.block_until_ready(st)
        ts = []
        for _ in range(7):
            t0 = time.perf_counter()
            for _ in range(k): st = f(st)
            jax.block_until_ready(st)
            ts.append((time.perf_counter() - t0) / n * 1e6)
        ts.sort()
        print(f"ROW {row} jax-{name} {ts[3]:.3f} {ts[0]:.3f} {ts[-1]:.3f} 0", flush=True)


if len(sys.argv) > 2 and sys.argv[1] == "time" and sys.argv[2] in ROWS and jax.default_backend() == "gpu": run(sys.argv[2])
