"""The speed of the engine compared with PyTorch. Run `python benchmarks/engine.py`.

Each task is a forward and a backward. Rounds alternate between the two, so that load on the machine slows both. Each
time is a median, and the ratio is the median of the ratios of the rounds; below 1 the engine is faster. Both use one
thread. BLAS libraries read their number of threads once, when they are loaded, so the script sets it and then starts
itself again.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from autodrill import engine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROUNDS = 11


@dataclass(frozen=True)
class Task:
    """The same computation in both libraries; the time is divided by `operations` for the time of one operation."""

    name: str
    operations: int
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    tolerance: float = 1e-9


def leaf(array: Any) -> engine.Tensor:
    return engine.Tensor(array, requires_grad=True)


def torch_leaf(array: Any) -> torch.Tensor:
    return torch.tensor(array, requires_grad=True)


def scalar_graph(x: Any, y: Any) -> Any:
    for _ in range(2000):
        z = x * y
        w = z + x
        y = w * 0.5
        x = y - z * 0.1
    return x


def scalar_task() -> Task:
    def run(make: Any) -> Any:
        x, y = make(np.float64(0.3)), make(np.float64(0.2))
        scalar_graph(x, y).backward()
        return x.grad

    return Task("scalar graph, 10,000 operations", 10_000, lambda: run(leaf), lambda: run(torch_leaf))


def chain_task(n: int, dtype: Any = np.float64) -> Task:
    rng = np.random.default_rng(0)
    a, c = rng.normal(size=n).astype(dtype), rng.normal(size=n).astype(dtype)

    def run(make: Any, constant: Any, tanh: Any) -> Any:
        x = start = make(a)
        for _ in range(50):
            x = tanh(x * constant) + constant - 0.1
        x.sum().backward()
        return start.grad

    ours, theirs = engine.Tensor(c), torch.tensor(c)
    return Task(
        f"200 elementwise operations, n = {n:,}, {np.dtype(dtype).name}",
        200,
        lambda: run(leaf, ours, engine.tanh),
        lambda: run(torch_leaf, theirs, torch.tanh),
        1e-9 if dtype is np.float64 else 1e-3,
    )


def mlp_task() -> Task:
    rng = np.random.default_rng(0)
    sizes = (784, 256, 128, 10)
    x, labels = rng.normal(size=(64, 784)).astype(np.float32), rng.integers(0, 10, 64)
    weights = [(rng.normal(size=s) / np.sqrt(s[0])).astype(np.float32) for s in pairwise(sizes)]
    biases = [np.zeros(n, dtype=np.float32) for n in sizes[1:]]

    def run(make: Any, batch: Any, target: Any, relu: Any, cross_entropy: Any) -> Any:
        ws, bs = [make(w) for w in weights], [make(b) for b in biases]
        h = batch
        for k, (w, b) in enumerate(zip(ws, bs, strict=True)):
            h = h @ w + b
            if k < 2:
                h = relu(h)
        cross_entropy(h, target).backward()
        return ws[0].grad

    f = torch.nn.functional
    ours, theirs = engine.Tensor(x), torch.tensor(x)
    return Task(
        "MLP 784-256-128-10, batch 64, float32",
        9,
        lambda: run(leaf, ours, labels, engine.relu, engine.cross_entropy),
        lambda: run(torch_leaf, theirs, torch.tensor(labels), f.relu, f.cross_entropy),
        1e-4,
    )


def softmax_task(batch: int, classes: int) -> Task:
    rng = np.random.default_rng(0)
    logits, labels = rng.normal(size=(batch, classes)), rng.integers(0, classes, batch)
    target = torch.tensor(labels)

    def run(make: Any, cross_entropy: Any, labels: Any) -> Any:
        x = make(logits)
        cross_entropy(x, labels).backward()
        return x.grad

    return Task(
        f"softmax cross-entropy, ({batch}, {classes})",
        1,
        lambda: run(leaf, engine.cross_entropy, labels),
        lambda: run(torch_leaf, torch.nn.functional.cross_entropy, target),
    )


def network_task(name: str, shapes: Sequence[tuple[int, ...]], ours: Any, theirs: Any, operations: int = 1) -> Task:
    """Return the task of a neural network operation in float32 with gradients of all inputs.

    The cotangent is random. With ones the gradient of a softmax or a normalisation is 0 except for rounding.
    """
    rng = np.random.default_rng(0)
    inputs = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    cotangent = rng.normal(size=ours(*inputs).shape).astype(np.float32)

    def run(f: Any, make: Any, seed: Any) -> Any:
        leaves = [make(x) for x in inputs]
        f(*leaves).backward(seed)
        return leaves[0].grad

    seeds = engine.Tensor(cotangent), torch.tensor(cotangent)
    return Task(
        f"{name}, float32",
        operations,
        lambda: run(ours, leaf, seeds[0]),
        lambda: run(theirs, torch_leaf, seeds[1]),
        1e-3,
    )


def network_tasks() -> list[Task]:
    f, heads = torch.nn.functional, (8, 8, 128, 64)
    return [
        network_task("relu, (64, 768)", [(64, 768)], engine.relu, f.relu),
        network_task("gelu, (512, 768)", [(512, 768)], engine.gelu, f.gelu),
        network_task(
            "gelu by tanh, (512, 768)",
            [(512, 768)],
            lambda x: engine.gelu(x, "tanh"),
            lambda x: f.gelu(x, approximate="tanh"),
        ),
        network_task("silu, (512, 768)", [(512, 768)], engine.silu, f.silu),
        network_task("softmax, (8, 8, 128, 128)", [(8, 8, 128, 128)], engine.softmax, lambda x: f.softmax(x, -1)),
        network_task(
            "layer_norm with scale and shift, (512, 768)",
            [(512, 768), (768,), (768,)],
            lambda x, w, b: engine.layer_norm(x, -1, w, b),
            lambda x, w, b: f.layer_norm(x, (768,), w, b),
        ),
        network_task("linear, (512, 768) to 768", [(512, 768), (768, 768), (768,)], engine.linear, f.linear),
        network_task(
            "conv2d, (8, 16, 32, 32) by (32, 16, 3, 3)",
            [(8, 16, 32, 32), (32, 16, 3, 3), (32,)],
            lambda x, w, b: engine.conv2d(x, w, b, padding=1),
            lambda x, w, b: f.conv2d(x, w, b, padding=1),
        ),
        network_task(
            "max_pool2d by 2, (8, 32, 32, 32)",
            [(8, 32, 32, 32)],
            lambda x: engine.max_pool2d(x, 2),
            lambda x: f.max_pool2d(x, 2),
        ),
        network_task(
            "attention, 8 x 8 heads of (128, 64)",
            [heads] * 3,
            engine.scaled_dot_product_attention,
            f.scaled_dot_product_attention,
        ),
    ]


def hvp_task(n: int) -> Task:
    rng = np.random.default_rng(0)
    a, x, v = rng.normal(size=(n, n)) / n, rng.normal(size=n), rng.normal(size=n)
    matrix = torch.tensor(a)

    def ours() -> Any:
        return engine.hvp(lambda t: (engine.tanh(engine.matmul(a, t)) ** 2).sum(), (x,), (v,))

    def theirs() -> Any:
        f = torch.func.grad(lambda t: (torch.tanh(matrix @ t) ** 2).sum())
        return torch.func.jvp(f, (torch.tensor(x),), (torch.tensor(v),))[1]

    return Task(f"Hessian-vector product, forward over reverse, n = {n}", 4, ours, theirs)


def seconds(f: Callable[[], Any], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        f()
    return (time.perf_counter() - start) / repeats


def compare(task: Task) -> str:
    ours, theirs = np.asarray(task.ours().numpy()), np.asarray(task.theirs().numpy())
    assert np.allclose(ours, theirs, rtol=task.tolerance, atol=task.tolerance), f"{task.name}: the gradients differ"
    repeats = max(1, int(0.02 / seconds(task.theirs, 1)))
    rounds = [(seconds(task.ours, repeats), seconds(task.theirs, repeats)) for _ in range(ROUNDS)]
    a, b = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(x / y for x, y in rounds)
    each = a / task.operations * 1e6
    return f"{task.name:58}{a * 1e3:10.3f} ms{b * 1e3:10.3f} ms{ratio:8.2f}{each:10.1f} us"


def numerical_seconds() -> tuple[float, float]:
    x, g = np.random.default_rng(0).normal(size=(4, 6)), np.ones((4, 6))

    def f(t: Any) -> Any:
        for _ in range(4):
            t = np.tanh(t) + np.exp(-t * t)
        return t

    alone = statistics.median(seconds(lambda: f(x), 100) for _ in range(ROUNDS))
    return alone, statistics.median(seconds(lambda: engine.numerical_vjp(f, [x], g), 5) for _ in range(ROUNDS))


def import_seconds(statement: str) -> float:
    script = f"import time; import numpy; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    runs = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True) for _ in range(7)
    ]
    return statistics.median(float(run.stdout) for run in runs)


def main() -> None:
    torch.set_num_threads(1)
    print(f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}; load {os.getloadavg()[0]:.1f}")
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, PyTorch {torch.__version__}\n")
    print(f"{'forward and backward':58}{'autodrill':>13}{'PyTorch':>13}{'ratio':>8}{'each op':>13}")
    tasks = [
        scalar_task(),
        chain_task(10),
        chain_task(1000),
        chain_task(100_000),
        chain_task(1_000_000, np.float32),
        softmax_task(8, 10),
        softmax_task(256, 1000),
        mlp_task(),
        hvp_task(20),
        *network_tasks(),
    ]
    for task in tasks:
        print(compare(task), flush=True)
    alone, checked = numerical_seconds()
    print(f"\nnumerical_vjp, 24 elements of a {alone * 1e6:.1f} us function: {checked * 1e3:.2f} ms")
    print(f"import autodrill.engine after numpy: {import_seconds('import autodrill.engine') * 1e3:.1f} ms")


ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

if __name__ == "__main__":
    if os.environ.items() >= ONE_THREAD.items():
        main()
    else:
        sys.exit(subprocess.call([sys.executable, *sys.argv], env=os.environ | ONE_THREAD))
