"""The simulated device: its results, its findings, its limits and its confinement; kernels on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.drills.answer_records import FaultKind
from autodrill.drills.kernel_source import kernel_signature
from autodrill.errors import NoCompilerError
from autodrill.grading.grade import grade, start_runner
from autodrill.grading.kernels import gpu_runner
from autodrill.grading.kernels.device_faults import DEVICE_FAULTS, DeviceFault, description
from autodrill.grading.kernels.simulator_runner import KernelRunner, Workshop
from autodrill.grading.report import Report, Verdict
from autodrill.grading.submission import Submission
from autodrill.sandbox.limits import CHECK_LIMITS, Limits
from autodrill.sandbox.outcomes import Broken, Died, Loaded, NotDefined, Raised, Returned, TimedOut
from tests.grading.kernels.bodies import BEFORE, FINDS, HEAD, WORKS, I, X, file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from autodrill.drills.library import Library

    Run = Callable[..., Any]


@pytest.fixture(scope="module")
def workshop() -> Workshop:
    signature = kernel_signature(HEAD + "{")
    assert signature is not None
    return Workshop(signature)


@pytest.fixture(scope="module")
def run(workshop: Workshop) -> Iterator[Run]:
    """Load a kernel and launch it on x, 1 to 40; y is not initialized unless it is given."""
    limits = Limits(seconds=2.0)
    runner = KernelRunner.start(limits, launcher=workshop)

    def run(
        body: str,
        *,
        grid: int = 2,
        block: int = 32,
        shared: int = 128,
        y: NDArray[Any] | None = None,
        n: int = 40,
        before: str = "",
    ) -> Any:
        nonlocal runner
        if runner.finished:
            runner = runner.sibling(limits)
        loaded = runner.load(file(body, before).encode(), "answer.py", "answer")
        assert not isinstance(loaded, Broken), loaded
        bare = () if y is not None else (1,)
        out = np.full(n, np.nan, np.float32) if y is None else y
        return runner.call([((grid, 1, 1), (block, 1, 1), shared), (1,), bare, X, out, n], budget=1 << 16)

    yield run
    runner.close()


pytestmark = pytest.mark.compiler


# -- results -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WORKS)
def test_simulator_computes_what_a_right_kernel_should(run: Run, name: str) -> None:
    body, expected = WORKS[name]
    end = run(body, before=BEFORE)
    assert isinstance(end, Returned), end
    np.testing.assert_array_equal(end.value, expected.astype(np.float32))


# -- findings ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FINDS)
def test_simulator_finds_and_names_every_fault(run: Run, name: str) -> None:
    body, kind, line, words = FINDS[name]
    bare = name in {"never written", "last one wins", "blocks store the same elements"}
    y = None if bare else np.zeros(40, np.float32)
    ends = [run(body, block=64 if name == "warps are not in step" else 32, y=y) for _ in range(2)]
    (end, again) = ends
    assert isinstance(end, Raised), end
    assert (end.type, words in end.message) == (kind, True), end
    assert line in (None, end.line)
    assert end == again


def test_device_faults_have_a_rule_each() -> None:
    assert {kind for _, kind, _, _ in FINDS.values()} == set(DEVICE_FAULTS)


def test_simulator_finds_nothing_in_a_right_kernel(run: Run) -> None:
    body = f"""{I}
        __shared__ float s[32];
        for (int round = 0; round < 3; ++round) {{
            s[t] = round;
            __syncthreads();
            float next = s[(t + 1) % 32];
            __syncthreads();
            if (i < n) y[i] = next;
        }}
        atomicAdd(&y[39], 0.0f);"""
    assert run(body.replace("i < n", "i < 39"), y=np.zeros(40, np.float32)).value[0] == 2


@pytest.mark.parametrize(
    ("body", "threads"),
    [
        ("y[i] = x[i];", 24),
        ("if (i <= n) y[i] = x[i];", 1),
        ("if (i == 3) y[i + n] = 1; __syncthreads(); y[i - n] = 1;", 1),
        ("if (i == n + 3) y[0] = x[i]; if (i > n + 3) y[0] = i;", 1),
        ("__shared__ float s[32]; if (i == n) y[0] = x[i]; if (i > n) y[1] = s[31 - t], s[t] = i;", 1),
    ],
)
def test_simulator_counts_threads_out_of_bounds_before_a_barrier(run: Run, body: str, threads: int) -> None:
    end = run(f"{I}\n{body}", y=np.zeros(40, np.float32))
    assert end.type == "out of bounds"
    count = end.message.partition("; threads of the block out of bounds: ")[2]
    assert int(count or 1) == threads


@pytest.mark.parametrize("barriers", [0, 2])
def test_simulator_counts_barriers_before_one_is_missing(run: Run, barriers: int) -> None:
    end = run(f"{I} __shared__ float s[32];\n{'__syncthreads();' * barriers} s[t] = 1; if (i < n) y[i] = s[31 - t];")
    assert end.type == "missing barrier"
    assert end.message.endswith(f"barriers passed: {barriers}")


def test_device_fault_accepts_integers_only() -> None:
    assert (
        description(DeviceFault("1 0 40 40 1 8 -1 -1 -5 1"), ["x"])
        == "thread 8 of block 1 accesses `x[40]`, which has 40 elements"
    )
    for text in (
        "",
        "1 0",
        "9 0 0 0 0 0 0 0 0 0",
        "1 0 40 40 1 8 -1 -1 x 1",
        "1 0 40 40 1 8 -1 -1 5 1 ",
        "1 0 40 40 1 8 -1 -1 5",
    ):
        with pytest.raises(ValueError, match="finding"):
            DeviceFault(text)


# -- endless loops and compile errors ----------------------------------------------------------------------------------


def test_simulator_allows_all_of_the_shared_memory(run: Run) -> None:
    body = f"{I} __shared__ float s[12284]; extern __shared__ float d[]; s[t] = d[0] = 0; if (i < n) y[i] = s[t];"
    assert isinstance(run(body, block=1, shared=16), Returned)


def test_simulator_compiles_a_text_once(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    source = file("y[0] = 61;").encode()
    for runner in (KernelRunner.start(Limits(), launcher=workshop) for _ in range(2)):
        with runner:
            assert isinstance(runner.load(source, "answer.py", "answer"), Loaded)
        monkeypatch.setattr(workshop.compiler, "_compile", None)


@pytest.mark.slow
def test_simulator_stops_an_endless_loop(run: Run) -> None:
    assert isinstance(run(f"{I} while (t >= 0) {{ }}"), TimedOut)


def test_simulator_survives_a_stack_overflow(run: Run) -> None:
    body = "float big[1 << 20]; for (int k = 0; k < (1 << 20); ++k) big[k] = k; y[0] = big[n];"
    assert isinstance(run(body), Died | Raised)
    assert isinstance(run(f"{I} if (i < n) y[i] = 1;"), Returned)


@pytest.mark.parametrize(
    ("source", "message", "line"),
    [
        (file("y[0] = q[0];"), "q", 4),
        (file("y[0] = 1.0f\n"), "expected", None),
        (file("int a;\n\nhelper(a);"), "helper", 6),
        (file("#include <cstdio>"), "", None),
        (file("atomicMax(y, 1.0f);"), "atomicMax takes integers only", None),
        (file("y[0] = later(n);", before="__device__ float later(int);"), "later", None),
        (file("").replace("void k(", "void other("), "there is no kernel `__global__ void k(const float* x", 2),
        (file("").replace("int n", "long n"), "but yours has `k(const float* x, float* y, long n)`", 2),
        ("def answer():\n    return 'a' + 'b'\n", "must return the kernel's text as one string literal", 1),
        ("def answer(:\n", "", 1),
    ],
)
def test_kernel_runner_places_a_compile_error_at_its_line(
    workshop: Workshop, source: str, message: str, line: int | None
) -> None:
    with KernelRunner.start(Limits(), launcher=workshop) as runner:
        loaded = runner.load(source.encode(), "answer.py", "answer")
    assert isinstance(loaded, Broken), loaded
    assert message in loaded.message
    assert line in (None, loaded.line)


@pytest.mark.parametrize(
    "source",
    [
        file("").replace("def answer():\n    return ", "TEXT = ") + "def answer():\n    return TEXT\n",
        file("").replace("return ", "text = ") + "    return text\n",
        file("", before="#include <cuda_runtime.h>\n# include <math.h>\n#include <cmath>"),
    ],
)
def test_read_kernel_accepts_a_named_text_and_known_includes(workshop: Workshop, source: str) -> None:
    with KernelRunner.start(Limits(), launcher=workshop) as runner:
        assert isinstance(runner.load(source.encode(), "answer.py", "answer"), Loaded)


@pytest.mark.parametrize(
    "source",
    [
        "TEXT = 'a'\nTEXT = 'b'\ndef answer():\n    return TEXT\n",
        "if 1:\n    TEXT = 'a'\ndef answer():\n    return TEXT\n",
        "def answer():\n    text = 'a'\n    text += 'b'\n    return text\n",
        "TEXT = 'a'\ndef answer():\n    for TEXT in 'bc':\n        pass\n    return TEXT\n",
        "def answer():\n    return ''.strip()\n",
        "def answer(text='a'):\n    return text\n",
    ],
)
def test_read_kernel_refuses_a_text_that_needs_running(workshop: Workshop, source: str) -> None:
    with KernelRunner.start(Limits(), launcher=workshop) as runner:
        loaded = runner.load(source.encode(), "answer.py", "answer")
    assert isinstance(loaded, Broken)
    assert "because no code of the file runs" in loaded.message


def test_read_kernel_names_the_functions_of_a_wrong_file(workshop: Workshop) -> None:
    with KernelRunner.start(Limits(), launcher=workshop) as runner:
        assert runner.load(b"def other():\n    return ''\n", "a.py", "answer") == NotDefined(("other",))


# -- confinement ------------------------------------------------------------------------------------------------------


def test_kernel_cannot_fork_or_open_a_file(run: Run) -> None:
    body = f'{I} if (i < n) y[i] = i % 2 ? open("/etc/passwd", 0) : i % 4 ? open("/tmp", 0) : fork();'
    end = run(body, before='extern "C" int fork(); extern "C" int open(const char*, int, ...);')
    assert isinstance(end, Returned), end
    assert set(end.value.tolist()) == {-1.0}


def test_compiler_stops_after_its_time_limit(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autodrill.grading.kernels.compiler._SECONDS", 0.3)
    deep = "template <int n> struct F { static constexpr long v = F<n - 1>::v + F<n - 2>::v; };\n"
    deep += "constexpr long burn() { long s = 0; for (long i = 0; i < 20000000; ++i) s += i % 7; return s; }\n"
    with KernelRunner.start(Limits(), launcher=workshop) as runner:
        loaded = runner.load(file("static_assert(burn() > 0);", before=deep).encode(), "answer.py", "answer")
    assert isinstance(loaded, Broken)


def test_start_runner_refuses_a_kernel_without_a_compiler(shipped: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(NoCompilerError, match="no C\\+\\+ compiler"):
        start_runner(shipped.drill(shipped.find("cuda_relu_backward")), CHECK_LIMITS)


# -- on a GPU ----------------------------------------------------------------------------------------------------------

CUPY = """
import numpy as np
zeros, asarray, asnumpy = np.zeros, np.array, np.array

class RawModule:
    def __init__(self, *, code, options, name_expressions):
        self.code = code

    def get_function(self, name):
        def kernel(grid, block, arguments, *, shared_mem):
            g, y, dx, n = arguments
            assert (grid, block, shared_mem, type(n)) == ((2, 1, 1), (16, 1, 1), 0, np.int32)
            dx[:] = np.where(y > 0, g, WRONG)
        return kernel

class cuda:
    class runtime:
        deviceSynchronize = staticmethod(lambda: None)
"""


def on_gpu(shipped: Library) -> Report:
    exercise = shipped.find("cuda_relu_backward")
    drill = shipped.drill(exercise)
    return grade(drill, Submission(drill.solution.source.encode(), "a.py", "a.py"), seed=0)


@pytest.mark.parametrize(("wrong", "verdict"), [("0", Verdict.PASS), ("1", Verdict.FAIL)])
def test_grade_runs_a_right_kernel_on_the_gpu_too(
    shipped: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str, verdict: Verdict
) -> None:
    # A stand-in for cupy: the process, the texts sent to it and its replies are real.
    (tmp_path / "cupy.py").write_text(CUPY.replace("WRONG", wrong), encoding="utf-8")
    monkeypatch.setattr(gpu_runner, "has_gpu", lambda: True)
    monkeypatch.setattr(gpu_runner, "cupy_folder", lambda: str(tmp_path))
    report = on_gpu(shipped)
    assert (report.verdict, report.device) == (verdict, "a simulated device and the GPU")


def test_grade_remarks_on_a_gpu_that_does_not_work(
    shipped: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cupy.py").write_text("raise ImportError('no driver')\n", encoding="utf-8")
    monkeypatch.setattr(gpu_runner, "has_gpu", lambda: True)
    monkeypatch.setattr(gpu_runner, "cupy_folder", lambda: str(tmp_path))
    report = on_gpu(shipped)
    assert (report.verdict, report.device) == (Verdict.PASS, "a simulated device")
    assert "no driver" in report.remarks[0].text


@pytest.mark.cuda
@pytest.mark.parametrize("name", ["cuda_relu_backward", "cuda_bias_grad"])
def test_gpu_runner_accepts_worked_solutions(shipped: Library, name: str) -> None:
    exercise = shipped.find(name)
    drill = shipped.drill(exercise)
    with gpu_runner.GpuRunner.for_exercise(exercise, CHECK_LIMITS) as runner:
        submission = Submission(drill.solution.source.encode(), "a.py", "a.py")
        report = grade(drill, submission, seed=0, runner=runner)
    assert (report.verdict, report.device) == (Verdict.PASS, gpu_runner.ON_GPU)


@pytest.mark.cuda
def test_gpu_runner_finds_a_wrong_kernel(shipped: Library) -> None:
    exercise = shipped.find("cuda_relu_backward")
    drill = shipped.drill(exercise)
    wrong = next(m for m in drill.solution.mistakes if m.key == "one-element-per-thread")
    with gpu_runner.GpuRunner.for_exercise(exercise, CHECK_LIMITS) as runner:
        report = grade(drill, Submission(wrong.source.encode(), "a.py", "a.py"), seed=0, runner=runner)
    assert report.failure is not None
    assert report.failure.kind is FaultKind.UNWRITTEN
