#!/usr/bin/env python3
"""JAX and PyTorch as contenders of the benchmarks: `pip install jax torch`. The benchmarks start `jax_torch.py jax` and `jax_torch.py torch`, one process each.

64-bit floats, on one processor, compiled, called before anything is timed, results out of place; of several ways to write a program the fastest.
A line of standard input is a question, a line of standard output its answer:

  name                         name and version of the library; empty where it is not installed
  prepare|PROGRAM|SIZES|FILES  compiles a program for inputs in files of doubles: ok, or none
  call|FILE                    calls it, and writes its number (0 where it has none), then its arrays to the file: ok
  time|CALLS                   seconds of so many calls
"""

import contextlib
import os
import signal
import statistics
import sys
import time

# Seconds in which a way to write a program has to be compiled and timed: PyTorch's Hessian of 400 points takes minutes.
PATIENCE = 60.0

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
os.environ["OMP_NUM_THREADS"] = "1"


class Jax:
    def __init__(self):
        import jax
        import jax.numpy as jnp

        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_cpu_enable_async_dispatch", False)
        self.jax, self.np, self.name = jax, jnp, f"JAX {jax.__version__}"
        self.logsumexp = jax.scipy.special.logsumexp
        self.softplus = jax.nn.softplus
        self.stack = lambda arrays, axis: jnp.stack(arrays, axis)
        self.transposed = lambda a: a.T

    def array(self, values):
        return self.jax.device_put(values)

    def call(self, f, arguments):
        return self.jax.block_until_ready(f(*arguments))

    def ways(self, kind, f, by):
        """Compiled functions of all arguments."""
        jax = self.jax
        if kind == "value":
            return [jax.jit(f)]
        if kind == "gradient":
            return [jax.jit(jax.value_and_grad(f, by))]
        if kind == "hessian":
            (by,) = by
            return [jax.jit(jax.hessian(f, by)), jax.jit(jax.jacrev(jax.grad(f, by), by))]
        return [jax.jit(lambda *a: along(jax.jvp, jax.grad(f, by), by, a))]


class Torch:
    def __init__(self):
        import torch

        torch.set_num_threads(1)
        self.np = self.torch = torch
        self.name = f"PyTorch {torch.__version__}"
        self.logsumexp = lambda x, axis: torch.logsumexp(x, axis)
        self.softplus = torch.nn.functional.softplus
        self.stack = lambda arrays, axis: torch.stack(arrays, axis)
        self.transposed = lambda a: a.T.contiguous()

    def array(self, values):
        return self.torch.from_numpy(values)

    def call(self, f, arguments):
        return f(*arguments)

    def ways(self, kind, f, by):
        torch = self.torch

        def compiled(g):
            fast = torch.compile(g, dynamic=False)

            def run(*arguments):
                with torch.no_grad():
                    return fast(*arguments)

            return run

        if kind == "value":
            return [compiled(f)]
        if kind == "gradient":
            forward = torch.compile(f, dynamic=False)

            def tape(*arguments):
                arguments = list(arguments)
                for k in by:
                    arguments[k] = arguments[k].detach().requires_grad_()
                value = forward(*arguments)
                return value.detach(), torch.autograd.grad(value, [arguments[k] for k in by])

            def function(*arguments):
                gradients, value = torch.func.grad_and_value(f, by)(*arguments)
                return value, gradients

            return [tape, compiled(function)]
        if kind == "hessian":
            (by,) = by
            return [compiled(torch.func.hessian(f, by)), compiled(torch.func.jacrev(torch.func.grad(f, by), by))]
        return [compiled(lambda *a: along(torch.func.jvp, torch.func.grad(f, by), by, a))]


def along(jvp, gradient, by, arguments):
    """The gradient by the first arguments, and its derivative in the direction of the last ones."""
    count = len(by)
    rest = arguments[count:-count]
    return jvp(lambda *x: gradient(*x, *rest), arguments[:count], arguments[-count:])


def strict_lower(L, l):
    """The strict lower triangles alone, so that gradients are zero elsewhere."""
    return L.np.tril(l, -1)


def gmm(L, way):
    def value(alpha, mu, q, l, x, prior):
        np, l = L.np, strict_lower(L, l)
        eq, log_det = np.exp(q), q.sum(1)
        if way == "einsum":
            r = x[:, None, :] - mu[None]
            z = eq * r + np.einsum("kab,nkb->nka", l, r)
        elif way == "components":
            r = x[None] - mu[:, None]
            z = (eq[:, None] * r + r @ l.swapaxes(1, 2)).swapaxes(0, 1)
        else:
            k, d = mu.shape
            factors = l + eq[:, :, None] * np.eye(d, dtype=x.dtype)
            z = (x @ factors.reshape(k * d, d).T).reshape(-1, k, d) - (factors * mu[:, None]).sum(2)
        fits = L.logsumexp(alpha + log_det - 0.5 * (z * z).sum(2), 1).sum()
        gamma, m = prior[0], prior[1]
        squares = 0.5 * gamma * gamma * ((eq * eq).sum() + (l * l).sum()) - m * log_det.sum()
        return fits - x.shape[0] * L.logsumexp(alpha, 0) + squares

    return value


def softmax(L):
    def value(x, w, b, y):
        s = x @ w.T + b
        return (y.sum(1) * L.logsumexp(s, 1) - (y * s).sum(1)).sum()

    return value


def perceptron(L):
    def value(x, w1, b1, w2, b2, y):
        e = L.np.tanh(x @ w1.T + b1) @ w2.T + b2 - y
        return 0.5 * (e * e).sum()

    return value


def energy(x, z):
    dx, dy, r = x[:, 1:] - x[:, :-1], x[1:] - x[:-1], x - z
    return (dx * dx).sum() + (dy * dy).sum() + 0.5 * (r * r).sum()


def corner(L):
    def value(x):
        a = L.np.diag(x)
        return (a[:, 0] * a[0]).sum()

    return value


def traces(L):
    def value(x):
        a = L.np.diag(x)
        return L.np.trace(a) + L.np.trace(a) + L.np.trace(a) + L.np.trace(a)

    return value


def springs(L):
    def value(x, p):
        d = x[:-1] - x[1:]
        length = L.np.sqrt(L.np.clip((d * d).sum(1), 1e-6, None))
        return (p[0] * (length - p[1]) ** 2).sum()

    return value


def logistic(L):
    def value(x, y, w):
        s = x @ w
        return (L.softplus(s) - y * s).sum()

    return value


def means(L):
    return lambda x, alpha, mu: -L.logsumexp(alpha - 0.5 * (x[:, None] - mu) ** 2, 1).sum()


def pairs(L):
    def value(x):
        d = x[:, None] - x[None]
        return 0.5 * (L.np.sqrt(1.0 + (d * d).sum(2)).sum() - x.shape[0])

    return value


def springs_in_space(L):
    def value(x):
        near, far = x[1:] - x[:-1], x[2:] - x[:-2]
        length = lambda d: L.np.sqrt((d * d).sum(1))
        return ((length(near) - 1.0) ** 2).sum() + ((length(far) - 1.5) ** 2).sum()

    return value


def rosenbrock(x):
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


def residual(L):
    """Reprojection errors, by columns."""

    def value(cam, x, w, feature):
        np = L.np
        r, y = [cam[:, k] for k in range(3)], [x[:, k] - cam[:, 3 + k] for k in range(3)]
        cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        q = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
        turns = q > 0
        t = np.sqrt(np.where(turns, q, np.ones_like(q)))
        s, c, n = np.sin(t), np.cos(t), [r[k] / t for k in range(3)]
        ny, ry = cross(n, y), cross(r, y)
        along = (n[0] * y[0] + n[1] * y[1] + n[2] * y[2]) * (1.0 - c)
        p = [np.where(turns, y[k] * c + ny[k] * s + n[k] * along, y[k] + ry[k]) for k in range(3)]
        u, v = p[0] / p[2], p[1] / p[2]
        g = u * u + v * v
        f = cam[:, 6] * (1.0 + cam[:, 9] * g + cam[:, 10] * g * g)
        return L.stack([w * (f * u + cam[:, 7] - feature[:, 0]), w * (f * v + cam[:, 8] - feature[:, 1])], 1)

    return value


def reprojection(L):
    errors = residual(L)

    def value(cam, x, w, feature):
        r = errors(cam, x, w, feature)
        return 0.5 * (r * r).sum()

    return value


def table(L):
    """Of each program: the shapes of its inputs by sizes, what of it is asked, by which arguments, and the ways to write it."""
    mixture = lambda n, k, d: [(k,), (k, d), (k, d), (k, d, d), (n, d), (2,)]
    mixtures = [gmm(L, way) for way in ("einsum", "components", "product")]
    layer = lambda n, d, k: [(n, d), (k, d), (k,), (n, k)]
    layers = lambda n, p, q, r: [(n, p), (q, p), (q,), (r, q), (r,), (n, r)]
    images = lambda h, w: [(h, w), (h, w)]
    row = lambda n: [(n,)]
    observations = lambda n: [(n, 11), (n, 3), (n,), (n, 2)]
    dot = lambda a, b: (a * b).sum()
    squares = lambda a: (a * a).sum()
    log_sum = lambda x: L.logsumexp(x, 0)
    return {
        "dot": (lambda n: [(n,), (n,)], "value", (), [dot]),
        "dot_grad": (lambda n: [(n,), (n,)], "gradient", (0,), [dot]),
        "squares": (row, "value", (), [squares]),
        "squares_grad": (row, "gradient", (0,), [squares]),
        "matvec": (lambda n, m: [(n, m), (m,)], "value", (), [lambda a, x: a @ x]),
        "matmul": (lambda n, k, m: [(n, k), (k, m)], "value", (), [lambda a, b: a @ b]),
        "exp": (row, "value", (), [L.np.exp]),
        "ln": (row, "value", (), [L.np.log]),
        "tanh": (row, "value", (), [L.np.tanh]),
        "sin": (row, "value", (), [L.np.sin]),
        "gmm": (mixture, "value", (), mixtures),
        "gmm_grad": (mixture, "gradient", (0, 1, 2, 3), mixtures),
        "softmax": (layer, "value", (), [softmax(L)]),
        "softmax_grad": (layer, "gradient", (1, 2), [softmax(L)]),
        "perceptron": (layers, "value", (), [perceptron(L)]),
        "perceptron_grad": (layers, "gradient", (1, 2, 3, 4), [perceptron(L)]),
        "energy": (images, "value", (), [energy]),
        "energy_grad": (images, "gradient", (0,), [energy]),
        "springs": (lambda n: [(n, 2), (2,)], "value", (), [springs(L)]),
        "springs_grad": (lambda n: [(n, 2), (2,)], "gradient", (0,), [springs(L)]),
        "logsumexp": (row, "value", (), [log_sum]),
        "logsumexp_grad": (row, "gradient", (0,), [log_sum]),
        "corner": (row, "value", (), [corner(L)]),
        "corner_grad": (row, "gradient", (0,), [corner(L)]),
        "traces": (row, "value", (), [traces(L)]),
        "traces_grad": (row, "gradient", (0,), [traces(L)]),
        "logistic_hessian": (lambda n, d: [(n, d), (n,), (d,)], "hessian", (2,), [logistic(L)]),
        "least_squares_hessian": (lambda n, d: [(n, d), (n,), (d,)], "hessian", (2,), [lambda a, b, x: 0.5 * ((a @ x - b) ** 2).sum()]),
        "means_hessian": (lambda n, k: [(n,), (k,), (k,)], "hessian", (2,), [means(L)]),
        "log_sum_hessian": (row, "hessian", (0,), [log_sum]),
        "pairs_hessian": (lambda n: [(n, 2)], "hessian", (0,), [pairs(L)]),
        "springs_hessian": (lambda n: [(n, 3)], "hessian", (0,), [springs_in_space(L)]),
        "rosenbrock_hessian": (row, "hessian", (0,), [rosenbrock]),
        "transposed": (lambda n, m: [(n, m)], "value", (), [L.transposed]),
        "bundle": (observations, "value", (), [residual(L)]),
        "bundle_grad": (observations, "gradient", (0, 1, 2), [reprojection(L)]),
        "bundle_hvp": (lambda n: [*observations(n), (n, 11), (n, 3)], "product", (0, 1), [reprojection(L)]),
    }


def leaves(result):
    return [leaf for part in result for leaf in leaves(part)] if isinstance(result, (tuple, list)) else [result]


@contextlib.contextmanager
def at_most(seconds):
    """Ends with an error what takes longer, at the next step of Python."""

    def end(*_):
        raise TimeoutError(f"takes more than {seconds} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Program:
    """The fastest way of those that compile in time."""

    def __init__(self, L, entry, sizes, files):
        import numpy

        shapes, kind, by, forms = entry
        inputs = [numpy.fromfile(f).reshape(s) for f, s in zip(files, shapes(*sizes), strict=True)]
        self.L, self.arguments, found = L, [L.array(x) for x in inputs], []
        for way in [way for f in forms for way in L.ways(kind, f, by)]:
            try:
                with at_most(PATIENCE):
                    L.call(way, self.arguments)
                    seconds = statistics.median(self.run(way, 1) for _ in range(5))
                found.append((seconds, len(found), way))
            except Exception as fault:
                print(f"{L.name}: {fault}", file=sys.stderr)
        self.way = min(found)[2]

    def run(self, way, calls):
        call, arguments = self.L.call, self.arguments
        # As every contender: what the one before left in the caches is not what a call finds.
        call(way, arguments)
        start = time.perf_counter()
        for _ in range(calls):
            call(way, arguments)
        return time.perf_counter() - start

    def write(self, file):
        import numpy

        parts = [numpy.asarray(leaf, dtype=float).ravel() for leaf in leaves(self.L.call(self.way, self.arguments))]
        # A number comes first: the value of a gradient, or the only result.
        if len(parts[0]) != 1:
            parts.insert(0, numpy.zeros(1))
        numpy.concatenate(parts).tofile(file)


def serve(library):
    answers, sys.stdout = sys.stdout, sys.stderr
    try:
        L = {"jax": Jax, "torch": Torch}[library]()
    except ImportError:
        return
    programs, program = table(L), None
    for line in sys.stdin:
        word, *rest = line.rstrip("\n").split("|")
        answer = "none"
        if word == "name":
            answer = L.name
        elif word == "prepare" and rest[0] in programs:
            try:
                program = Program(L, programs[rest[0]], map(int, rest[1].split()), rest[2].split())
                answer = "ok"
            except Exception as fault:
                print(f"{L.name}, {rest[0]}: {fault}", file=sys.stderr)
        elif word == "call":
            program.write(rest[0])
            answer = "ok"
        elif word == "time":
            answer = repr(program.run(program.way, int(rest[0])))
        print(answer, file=answers, flush=True)


if __name__ == "__main__":
    serve(sys.argv[1] if len(sys.argv) > 1 else "jax")
