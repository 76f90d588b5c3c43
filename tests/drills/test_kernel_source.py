from __future__ import annotations

import ast
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pytest

from autodrill.drills.cases import battery, small_cases
from autodrill.drills.kernel_rewrites import kernel_rewrites
from autodrill.drills.kernel_source import kernel_signature, kernel_text
from autodrill.drills.kinds.kernel_kind import left_unwritten
from autodrill.drills.library import Library
from autodrill.drills.source import Parameter
from autodrill.drills.template import new_files
from autodrill.errors import ContentError, InternalError
from autodrill.grading.oracle.expected import expected_results

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from autodrill.drills.exercise import Drill

    Load = Callable[..., Drill]

RELU = """
__global__ void relu(const float* g, float* dx, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    dx[i] = g[i] > 0.0f ? g[i] : 0.0f;
}
"""


def read(source: str) -> tuple[str, int] | None:
    found = kernel_text(ast.parse(source), "k")
    return None if found is None else (found.text, found.line)


def test_kernel_text_has_the_returned_text_and_its_line() -> None:
    assert read('"""Task."""\n\n\ndef k():\n    return r"""\nint n;\n"""\n') == ("\nint n;\n", 5)


@pytest.mark.parametrize(
    "source",
    [
        "def other():\n    return 'x'\n",
        "def k():\n    raise NotImplementedError\n",
        "def k():\n    return 'a' + 'b'\n",
        "def k():\n    return f'{1}'\n",
        "def k():\n    return 3\n",
        "def k(x=0):\n    if x:\n        return 'a'\n    return 'b'\n",
        "k = 'x'\n",
    ],
)
def test_kernel_text_needs_one_string_literal(source: str) -> None:
    assert read(source) is None


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ("__global__ void f(const float* g, int n) {}", "f(const float* g, int n)"),
        ("__global__ void f(float const *g,int n){}", "f(const float* g, int n)"),
        ('extern "C" __global__ void f(float * __restrict__ g) {}', "f(float* g)"),
        ("__global__ void __launch_bounds__(128) f(unsigned int n) {}", "f(unsigned int n)"),
        ("// __global__ void g(int a) {}\n__global__ void f(/* b */ int a) {}", "f(int a)"),
        ("__device__ float h(float x) { return x; }\n__global__ void f(\n  float* a,\n  size_t n)\n{}", None),
        ("__global__ void f() {}", "f()"),
    ],
)
def test_kernel_signature_accepts_common_spellings(text: str, signature: str | None) -> None:
    assert str(kernel_signature(text)) == (signature or "f(float* a, size_t n)")


def test_kernel_signature_finds_a_kernel_by_name() -> None:
    text = "__global__ void a(int n) {}\n__global__ void b(float* x) {}"
    assert str(kernel_signature(text, "b")) == "b(float* x)"
    assert kernel_signature(text, "c") is None


@pytest.mark.parametrize("text", ["", "void f(int n) {}", "__global__ void f(int n);", "__global__ void f(float) {}"])
def test_kernel_signature_of_other_text_is_none(text: str) -> None:
    assert kernel_signature(text) is None


def test_kernel_rewrites_change_one_line_each() -> None:
    changes = list(kernel_rewrites(RELU))
    lines = {(c.before, c.after) for c in changes}
    assert ("if (i >= n) return;", "if (i > n) return;") in lines
    assert ("if (i >= n) return;", "nothing") in lines
    assert ("dx[i] = g[i] > 0.0f ? g[i] : 0.0f;", "dx[i] = g[i] > 0.0f ? 0.0f : g[i];") in lines
    for change in changes:
        old, new = RELU.split("\n"), change.text.split("\n")
        assert [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b] == [change.line]


def test_kernel_rewrites_keep_the_signature() -> None:
    signature = RELU.split("\n")[1]
    assert all(c.text.split("\n")[1] == signature for c in kernel_rewrites(RELU))


def test_kernel_rewrites_ignore_other_text() -> None:
    assert list(kernel_rewrites("if (i >= n) { return a + b; }")) == []


# -- the two files -----------------------------------------------------------------------------------------------------

HEAD = "from autodrill.drills import"
IMPORTS = f"from autodrill import engine\n{HEAD}"


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return a function that loads the exercise of `autodrill new`, with passages of its files replaced."""

    def load(*changes: str) -> Drill:
        texts = [text.replace("FILL IN: ", "") for text in new_files("cuda_scale", "kernel")]
        for old, new in zip(changes[::2], changes[1::2], strict=True):
            assert any(old in text for text in texts)
            texts = [text.replace(old, new, 1) for text in texts]
        for folder, text in zip(("exercises", "solutions"), texts, strict=True):
            path = tmp_path / folder / "demo" / "cuda_scale.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        library = Library([tmp_path])
        exercise = library.find("cuda_scale")
        return library.drill(exercise)

    return load


def test_kernel_exercise_has_the_kernel_parameters(load: Load) -> None:
    assert load().exercise.parameters == (Parameter("g"), Parameter("dx"), Parameter("n"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("__global__ ", "", "`cuda_scale` must return one string with a kernel"),
        ("const float* g", "const half* g", "The parameter types may be float, double"),
        ("def launch", "def start", "`launch` is missing: define a function"),
    ],
)
def test_kernel_files_report_missing_parts(load: Load, old: str, new: str, message: str) -> None:
    with pytest.raises(ContentError, match=message.replace("(", "\\(")):
        load(old, new)


def test_kernel_cases_have_prime_sizes_and_float32(load: Load) -> None:
    cases = battery(load('"x[n]"', '"x[n,m] b[m]", large={"n": 307}'), seed=3)
    sizes = [tuple(c.sizes.values()) for c in cases]
    assert {c.dtype for c in cases} == {"float32"}
    assert all(n == 1 or all(n % k for k in range(2, n)) for each in sizes for n in each)
    assert (1, 1) in sizes
    assert max(n for n, _ in sizes) == 307
    assert [(c.inputs["x"].shape, c.inputs["b"].shape) for c in cases] == [((n, m), (m,)) for n, m in sizes]


def test_kernel_case_has_the_sizes_of_literal_values(load: Load) -> None:
    (case,) = battery(load('"x[n]"', '"x[n]", x=[1.0, 2.0, 3.0]'), seed=0)
    assert case.sizes == {"n": 3}


def test_small_kernel_cases_grow_past_a_block(load: Load) -> None:
    drill = load()
    like = battery(drill, 0)[0]
    assert [c.sizes["n"] for c in islice(small_cases(drill, like, 0), 8)] == [2, 3, 5, 9, 17, 33, 65, 1]


def test_kernel_arguments_are_launch_results_and_values(load: Load) -> None:
    drill = load()
    case = battery(drill, 0)[0]
    known = expected_results(drill, case)
    launch, results, bare, g, dx, n = drill.kind.arguments(drill, case, known)
    assert (launch, results, bare) == ((((n + 31) // 32, 1, 1), (32, 1, 1), 0), (1,), (1,))
    assert (g.dtype, dx.dtype, dx.shape, left_unwritten(dx)) == (np.float32, np.float32, (n,), n)
    assert list(drill.kind.shown_arguments(drill, case, known)) == ["g", "n", "grid", "block"]


def test_kernel_result_starts_with_the_array_from_saved(load: Load) -> None:
    drill = load("def launch", 'def saved(x):\n    return {"dx": 0 * x}\n\n\ndef launch')
    case = battery(drill, 0)[0]
    _, _, bare, _, dx, _ = drill.kind.arguments(drill, case, expected_results(drill, case))
    assert (bare, dx.any()) == ((), False)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(n + 31) // 32, 32", "1, 2048", r"gives a grid of \(1, 1, 1\) and a block of \(2048, 1, 1\)"),
        ("(n + 31) // 32, 32", "0, 32", "gives a grid of"),
        ("def launch(n)", "def launch(m)", "the exercise's `launch` raises KeyError"),
        ("def launch", 'RESULTS = ("dz",)\n\n\ndef launch', "takes `dx`, which its solution file does not provide"),
    ],
)
def test_impossible_launch_is_an_internal_error(load: Load, old: str, new: str, message: str) -> None:
    drill = load(old, new)
    case = battery(drill, 0)[0]
    with pytest.raises(InternalError, match=message):
        drill.kind.arguments(drill, case, expected_results(drill, case))


def test_kernel_forward_is_compared_with_differences(load: Load) -> None:
    kink = 'given("x[n]", x=[0.0, 1.0])'
    drill = load('given("x[n]")', kink, "return x  #", "return engine.relu(x)  #", HEAD, IMPORTS)
    (case,) = battery(drill, 0)
    with pytest.raises(InternalError, match="differences"):
        expected_results(drill, case)
