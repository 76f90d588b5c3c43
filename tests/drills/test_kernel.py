from __future__ import annotations

import ast

import pytest

from autodrill.drills.kernel import kernel_signature, kernel_text
from autodrill.drills.kernel_rewrites import kernel_rewrites

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


def test_the_text_is_what_the_function_returns_and_where_that_begins() -> None:
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
def test_what_is_no_single_string_is_no_text(source: str) -> None:
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
def test_a_signature_is_read_as_people_write_it(text: str, signature: str | None) -> None:
    assert str(kernel_signature(text)) == (signature or "f(float* a, size_t n)")


def test_the_kernel_of_a_name_is_found_among_others() -> None:
    text = "__global__ void a(int n) {}\n__global__ void b(float* x) {}"
    assert str(kernel_signature(text, "b")) == "b(float* x)"
    assert kernel_signature(text, "c") is None


@pytest.mark.parametrize("text", ["", "void f(int n) {}", "__global__ void f(int n);", "__global__ void f(float) {}"])
def test_what_is_no_kernel_has_no_signature(text: str) -> None:
    assert kernel_signature(text) is None


def test_a_kernel_is_changed_in_one_line_at_a_time() -> None:
    changes = list(kernel_rewrites(RELU))
    lines = {(c.before, c.after) for c in changes}
    assert ("if (i >= n) return;", "if (i > n) return;") in lines
    assert ("if (i >= n) return;", "nothing") in lines
    assert ("dx[i] = g[i] > 0.0f ? g[i] : 0.0f;", "dx[i] = g[i] > 0.0f ? 0.0f : g[i];") in lines
    for change in changes:
        old, new = RELU.split("\n"), change.text.split("\n")
        assert [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b] == [change.line]


def test_a_signature_is_not_changed() -> None:
    signature = RELU.split("\n")[1]
    assert all(c.text.split("\n")[1] == signature for c in kernel_rewrites(RELU))


def test_a_text_that_is_no_kernel_is_left_alone() -> None:
    assert list(kernel_rewrites("if (i >= n) { return a + b; }")) == []
