"""The traffic that the simulated device counts, and the remarks made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.drills.kernel_source import kernel_signature
from autodrill.grading.grade import grade
from autodrill.grading.kernels.simulator_runner import KernelRunner, Workshop
from autodrill.grading.kernels.traffic import Traffic
from autodrill.grading.report import Verdict
from autodrill.grading.submission import Submission
from autodrill.sandbox.limits import Limits
from autodrill.sandbox.outcomes import Loaded, Returned
from tests.grading.kernels.bodies import HEAD, file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodrill.drills.library import Library

    Count = Callable[[str], tuple[Traffic, KernelRunner]]

pytestmark = pytest.mark.compiler

T = "int t = threadIdx.x;"
SHARED = f"{T} __shared__ float s[1056]; for (int k = t; k < 1056; k += 32) s[k] = k; __syncthreads();"


@pytest.fixture(scope="module")
def runner() -> Iterator[KernelRunner]:
    signature = kernel_signature(HEAD + "{")
    assert signature is not None
    with KernelRunner.start(Limits(), launcher=Workshop(signature)) as runner:
        yield runner


@pytest.fixture
def count(runner: KernelRunner) -> Count:
    """Launch one block of 32 threads on arrays of 2048 floats, and return its traffic."""

    def count(body: str) -> tuple[Traffic, KernelRunner]:
        assert isinstance(runner.load(file(body).encode(), "answer.py", "answer"), Loaded)
        arrays: list[Any] = [np.zeros(2048, np.float32) for _ in range(2)]
        end = runner.call([((1, 1, 1), (32, 1, 1), 0, True), (1,), (), *arrays, 2048], budget=1 << 14)
        assert isinstance(end, Returned), end
        return Traffic(*map(int, end.value)), runner

    return count


@pytest.mark.parametrize(
    ("body", "sectors"),
    [
        ("y[t] = x[t];", (0, 0)),  # nothing is wasted
        ("y[t] = x[t + 1];", (5, 4)),
        ("y[t] = x[2 * t];", (8, 4)),
        ("y[t] = x[8 * t];", (32, 4)),
        ("y[t] = x[31 - t];", (0, 0)),
        ("y[t] = x[0];", (0, 0)),
        ("y[t] = t < 4 ? x[8 * t] : 0.0f;", (4, 1)),
        ("float s = 0; for (int k = 0; k < 64; ++k) s += x[64 * (t % 8) + k]; y[t] = s;", (8, 1)),
    ],
)
def test_device_counts_sectors_of_loads(count: Count, body: str, sectors: tuple[int, int]) -> None:
    traffic, runner = count(f"{T}\n{body}")
    assert (traffic.load_sectors, traffic.load_least) == sectors
    assert (traffic.store_sectors, traffic.bank_ways) == (0, 0)
    assert runner.line_of(traffic.load_at) == (5 if sectors[0] else None)


def test_device_counts_sectors_of_stores(count: Count) -> None:
    traffic, _ = count(f"{T} y[16 * t] = x[t];")
    assert (traffic.load_sectors, traffic.store_sectors, traffic.store_least) == (0, 32, 4)


def test_device_counts_bytes_read_with_repetitions(count: Count) -> None:
    assert count(f"{T} y[t] = x[t];")[0].bytes_read == 32 * 4
    assert count(f"{T} float s = 0; for (int k = 0; k < 3; ++k) s += x[t]; y[t] = s;")[0].bytes_read == 3 * 32 * 4
    assert count(f"{T} y[t] = x[0];")[0].bytes_read == 32


@pytest.mark.parametrize(
    ("index", "ways"),
    [("t", 1), ("0", 1), ("2 * t", 2), ("8 * t", 8), ("32 * t", 32), ("33 * t", 1), ("t / 2", 1), ("31 - t", 1)],
)
def test_device_counts_bank_conflicts(count: Count, index: str, ways: int) -> None:
    traffic, _ = count(f"{SHARED} y[t] = s[{index}];")
    assert traffic.bank_ways == ways


NAIVE = """def cuda_matmul_backward_dw():
    return r\"\"\"
__global__ void matmul_dw(const float* X, const float* G, float* dW,
                          int N, int D, int E) {
    int d = blockIdx.y * 8 + threadIdx.y, e = blockIdx.x * 8 + threadIdx.x;
    if (d >= D || e >= E) return;
    float sum = 0.0f;
    for (int n = 0; n < N; ++n) sum += X[n * D + d] * G[n * E + e];
    dW[d * E + e] = sum;
}
\"\"\"
""".replace("\\", "")


def test_kernel_that_reads_its_inputs_often_earns_a_remark(shipped: Library) -> None:
    drill = shipped.drill(shipped.find("cuda_matmul_backward_dw"))
    report = grade(drill, Submission(NAIVE.encode(), "a.py", "a.py"), seed=0)
    assert report.verdict is Verdict.PASS
    (remark,) = [remark for remark in report.remarks if remark.key == "reads-again"]
    assert "times the bytes that the inputs have; the worked solution reads 4." in remark.text
