"""Times on a GPU by events, medians over rounds that alternate between the libraries."""

from __future__ import annotations

import statistics
import time
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from autodrill import engine
from benchmarks.gpu.tasks import gradients, tasks, torch_gradients

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.gpu.tasks import Task

__all__ = ["bandwidth", "benchmark_lines", "overhead_lines"]

ROUNDS = 11


def by_events(xp: Any, f: Callable[[], Any]) -> float:
    """Return the seconds between two events on the current stream, one before and one after a call."""
    start, end = xp.cuda.Event(), xp.cuda.Event()
    start.record()
    f()
    end.record()
    end.synchronize()
    return float(xp.cuda.get_elapsed_time(start, end)) * 1e-3


def by_torch_events(torch: Any, f: Callable[[], Any]) -> float:
    """Return the same for PyTorch, which may have another current stream."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    f()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) * 1e-3


def bandwidth(xp: Any, *, small: bool) -> float:
    """Return the bytes per second that a copy on the device reads and writes."""
    source = xp.zeros(1000 if small else 100_000_000, dtype="float32")
    target = xp.empty_like(source)

    def copy() -> None:
        target[...] = source

    copy()
    seconds = statistics.median(by_events(xp, copy) for _ in range(3 if small else ROUNDS))
    return 2 * float(source.nbytes) / seconds if seconds else float("nan")


def _contenders(task: Task, xp: Any, *, small: bool) -> Iterator[tuple[str, Callable[[], float]]]:
    """Yield the libraries that are there, each with a function that runs the task once and returns its time."""
    inputs = task.inputs()
    ours = [xp.asarray(x) for x in inputs]
    yield "engine", lambda: by_events(xp, lambda: gradients(task.ours, *ours))
    if small or find_spec("torch") is None:
        return
    import torch

    if not torch.cuda.is_available():
        return
    theirs = [torch.from_numpy(x).cuda() for x in inputs]
    eager = partial(task.theirs, torch)
    yield "PyTorch", lambda: by_torch_events(torch, lambda: torch_gradients(torch, eager, *theirs))
    compiled = torch.compile(lambda *tensors: task.theirs(torch, *tensors))
    yield "torch.compile", lambda: by_torch_events(torch, lambda: torch_gradients(torch, compiled, *theirs))


def benchmark_lines(xp: Any, *, small: bool) -> Iterator[str]:
    """Yield the table of tasks, a line as soon as it is known; a task that fails has its reason there."""
    per_second = bandwidth(xp, small=small)
    yield f"A copy on the device moves {per_second / 1e9:,.0f} GB/s, reading and writing.\n"
    yield "| task | engine | PyTorch | torch.compile | µs an operation | a copy of the least memory |"
    yield "|---|---|---|---|---|---|"
    for task in tasks(small=small):
        times: dict[str, list[float]] = {}
        failures: dict[str, str] = {}
        runs: dict[str, Callable[[], float]] = {}
        try:
            for name, run in _contenders(task, xp, small=small):
                runs[name] = run  # noqa: PERF403 - those before a failure stay
        except Exception as error:  # noqa: BLE001 - memory may end, and the other tasks still run
            failures["engine" if not runs else "PyTorch"] = _short(error)
        for k in range((1 if small else ROUNDS) + 1):
            for name, run in runs.items():
                if name in failures:
                    continue
                try:
                    seconds = run()
                except Exception as error:  # noqa: BLE001 - as above
                    failures[name] = _short(error)
                    continue
                if k:  # the first compiles
                    times.setdefault(name, []).append(seconds)
        runs.clear()
        xp.get_default_memory_pool().free_all_blocks()  # the next task, or PyTorch, may need them
        shown = [
            failures.get(name) or (_milliseconds(times[name]) if name in times else "-")
            for name in ("engine", "PyTorch", "torch.compile")
        ]
        each = f"{1e6 * statistics.median(times['engine']) / task.operations:.2f}" if task.operations and times else "-"
        size = 4.0 * task.passes
        for length in task.shapes[0]:
            size *= length
        floor = f"{1e3 * size / per_second:.3f} ms" if task.passes else "-"
        yield f"| {task.name} | {' | '.join(shown)} | {each} | {floor} |"


def _milliseconds(times: list[float]) -> str:
    return f"{1e3 * statistics.median(times):.3f} ms"


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0][:60] if str(error) else ''}".replace("|", "/")


def overhead_lines(xp: Any, *, small: bool) -> Iterator[str]:
    """Yield the table of the time that the host takes for one small operation, without and with a graph."""
    count = 20 if small else 2000
    a, b = xp.ones((64, 64), dtype="float32"), xp.ones((64, 64), dtype="float32")
    x, y = engine.Tensor(a), engine.Tensor(b)
    leaf = engine.Tensor(a, requires_grad=True)

    def chained() -> None:
        z = leaf
        for _ in range(20):
            z = z * y
        z.sum().backward()

    calls: list[tuple[str, int, Callable[[], Any]]] = [
        ("the library's a * b", 1, lambda: a * b),
        ("the library's a @ b", 1, lambda: a @ b),
        ("engine x * y, nothing recorded", 1, lambda: x * y),
        ("engine x * y, recorded", 1, lambda: leaf * y),
        ("engine x @ y, recorded", 1, lambda: leaf @ y),
        ("engine, 20 products and their backward, each", 20, chained),
        ("engine.gelu, recorded", 1, lambda: engine.gelu(leaf)),
        ("engine.layer_norm, recorded", 1, lambda: engine.layer_norm(leaf)),
    ]
    if not small and find_spec("torch") is not None:
        calls += list(_torch_calls())
    yield "| call | µs of the host |"
    yield "|---|---|"
    for name, divisor, call in calls:
        times = []
        repeats = max(1, count // divisor)
        for _ in range(1 if small else 7):
            xp.cuda.Device().synchronize()
            start = time.perf_counter()
            for _ in range(repeats):
                call()
            times.append((time.perf_counter() - start) / repeats / divisor)
        yield f"| {name} | {1e6 * statistics.median(times):.2f} |"


def _torch_calls() -> Iterator[tuple[str, int, Callable[[], Any]]]:
    import torch

    if not torch.cuda.is_available():
        return
    a = torch.ones(64, 64, device="cuda")
    leaf = a.clone().requires_grad_()

    def chained() -> None:
        z = leaf
        for _ in range(20):
            z = z * a
        z.sum().backward()

    yield "PyTorch a * b", 1, lambda: a * a
    yield "PyTorch a * b, recorded", 1, lambda: leaf * a
    yield "PyTorch, 20 products and their backward, each", 20, chained
