#!/usr/bin/env python3
"""JAX and PyTorch on rows of the benchmarks: `pip install jax torch`, then `benches/jax_torch.py`. Whichever is absent is left out.

Value, and value with gradient, in 64-bit floats, on one thread, compiled: the median of 21 calls after the first, of the fastest way to write the program. To be read beside RESULTS.md.
"""

import os
import statistics
import time
from pathlib import Path

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

rng = np.random.default_rng(0)


def mixture(name):
    """α, μ, q, l (strict lower triangles as matrices), x, γ, m of a file of ADBench."""
    words = (Path(__file__).parent / "data" / name).read_text().split()
    d, k, n = map(int, words[:3])
    v = np.array(words[3:], dtype=float)
    alpha, mu, v = v[:k], v[k : k + k * d].reshape(k, d), v[k + k * d :]
    half = d * (d - 1) // 2
    icf, v = v[: k * (d + half)].reshape(k, d + half), v[k * (d + half) :]
    l = np.zeros((k, d, d))
    columns, rows = np.triu_indices(d, 1)
    l[:, rows, columns] = icf[:, d:]
    return alpha, mu, icf[:, :d].copy(), l, v[: n * d].reshape(n, d), float(v[n * d]), float(v[n * d + 1])


def programs(np, logsumexp, einsum):
    """The programs, over the functions of either library: the ways to write each."""

    def gmm(whitened):
        def value(alpha, mu, q, l, x, gamma, m):
            eq, log_det = np.exp(q), q.sum(1)
            z = whitened(mu, eq, l, x)
            fits = logsumexp(alpha + log_det - 0.5 * (z * z).sum(2), 1).sum()
            prior = 0.5 * gamma * gamma * ((eq * eq).sum() + (l * l).sum()) - m * log_det.sum()
            return fits - x.shape[0] * logsumexp(alpha, 0) + prior

        return value

    # The points less the means, times the factors: in ways of which one or the other suits a library.
    def by_einsum(mu, eq, l, x):
        r = x[:, None, :] - mu[None]
        return eq * r + einsum("kab,nkb->nka", l, r)

    def by_components(mu, eq, l, x):
        r = x[None] - mu[:, None]
        return (eq[:, None] * r + r @ l.swapaxes(1, 2)).swapaxes(0, 1)

    def by_one_product(mu, eq, l, x):
        k, d = mu.shape
        factors = l + eq[:, :, None] * np.eye(d, dtype=x.dtype)
        shift = (factors * mu[:, None]).sum(2)
        return (x @ factors.reshape(k * d, d).T).reshape(-1, k, d) - shift

    def softmax(w, b, x, y):
        s = x @ w.T + b
        return (logsumexp(s, 1) - (y * s).sum(1)).sum()

    def perceptron(w1, b1, w2, b2, x, y):
        e = np.tanh(x @ w1.T + b1) @ w2.T + b2 - y
        return 0.5 * (e * e).sum()

    def energy(x, z):
        dx, dy, r = x[:, 1:] - x[:, :-1], x[1:] - x[:-1], x - z
        return (dx * dx).sum() + (dy * dy).sum() + 0.5 * (r * r).sum()

    def corner(x):
        a = np.diag(x)
        return (a[:, 0] * a[0]).sum()

    def traces(x):
        a = np.diag(x)
        return np.trace(a) + np.trace(a) + np.trace(a) + np.trace(a)

    mixtures = [gmm(by_einsum), gmm(by_components), gmm(by_one_product)]
    return mixtures, [softmax], [perceptron], [energy], [lambda x: logsumexp(x, 0)], [corner], [traces]


def inputs():
    """Per program: sizes, arguments, and how many of them are differentiated by."""
    u = lambda *shape: rng.uniform(-1, 1, shape)
    hot = np.eye(10)[np.arange(256) % 10]
    layers = (0.05 * u(128, 784), 0.1 * u(128), 0.1 * u(10, 128), 0.1 * u(10))
    return [
        ("gmm", "d = 10, K = 25, n = 1000", mixture("gmm_d10_K25.txt"), 4),
        ("gmm", "d = 20, K = 50, n = 1000", mixture("gmm_d20_K50.txt"), 4),
        ("softmax", "batch = 256, 784 → 10", (0.1 * u(10, 784), u(10), u(256, 784), hot), 2),
        ("perceptron", "batch = 256, 784 → 128 → 10", (*layers, u(256, 784), hot), 4),
        ("energy", "side = 1024", (u(1024, 1024), u(1024, 1024)), 1),
        ("logsumexp", "n = 40000", (10 * u(40000),), 1),
        ("corner", "N = 8000", (u(8000),), 1),
        ("traces", "N = 8000", (u(8000),), 1),
    ]


NAMES = ("gmm", "softmax", "perceptron", "energy", "logsumexp", "corner", "traces")


def median(call):
    call()
    times = []
    for _ in range(21):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def run_jax():
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    table = dict(zip(NAMES, programs(jnp, jax.scipy.special.logsumexp, jnp.einsum)))
    for name, size, arguments, count in inputs():
        arguments = [jnp.asarray(a) for a in arguments]
        run = lambda f: median(lambda: jax.block_until_ready(f(*arguments)))
        values = [run(jax.jit(form)) for form in table[name]]
        gradients = [run(jax.jit(jax.value_and_grad(form, tuple(range(count))))) for form in table[name]]
        report("JAX", name, size, min(values), min(gradients))


def run_torch():
    import torch

    torch.set_num_threads(1)
    table = dict(zip(NAMES, programs(torch, lambda x, axis: torch.logsumexp(x, axis), torch.einsum)))
    for name, size, arguments, count in inputs():
        arguments = [torch.tensor(a, dtype=torch.float64) for a in arguments]
        forms = [torch.compile(form) for form in table[name]]

        def gradient(f):
            leaves = [a.detach().requires_grad_() for a in arguments[:count]]
            value = f(*leaves, *arguments[count:])
            return value, torch.autograd.grad(value, leaves, allow_unused=True)

        with torch.no_grad():
            values = [median(lambda: f(*arguments)) for f in forms]
        gradients = [median(lambda: gradient(f)) for f in forms]
        report("PyTorch", name, size, min(values), min(gradients))


def report(library, name, size, value, gradient):
    print(f"| {library} | {name} | {size} | {value:.1f} µs | {gradient:.1f} µs |", flush=True)


print("| library | program | size | value | value and gradient |\n| --- | --- | --- | --- | --- |")
for run in (run_jax, run_torch):
    try:
        run()
    except ImportError as absent:
        print(f"({absent.name} is not installed)")
