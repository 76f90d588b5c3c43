"""NVRTC compiles every text of a kernel: of exercises, of candidates' right answers and of the simulator's tests."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.exercise import kind_named
from autodrill.drills.kernel_source import kernel_text
from autodrill.drills.library import Library
from autodrill.grading.kernels.gpu_runner import text_for_nvrtc
from tests.grading.kernels.bodies import BEFORE, FINDS, WORKS, file
from tests.grading.kernels.nvrtc import compile_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.nvrtc

ARCHITECTURES = ("sm_80", "sm_90")
"""A100 and H100. Reductions of a warp need the first of them."""

LIBRARY = Library.open(environ={})
KERNELS = [e for e in map(LIBRARY.find, LIBRARY.paths) if kind_named(e.kind).on_device]
ANSWERS = Path(__file__).parents[2] / "corpus" / "answers"


def sources(name: str) -> Iterator[tuple[str, str]]:
    """Yield what each file of an exercise is called, and its source."""
    drill = LIBRARY.drill(LIBRARY.find(name))
    yield "stub", drill.exercise.stub
    yield "solution", drill.solution.source
    for mistake in drill.solution.mistakes:
        yield mistake.key, mistake.source
    for path in sorted(ANSWERS.glob(f"{name}/right/*.py")):
        yield path.stem, path.read_text(encoding="utf-8")


def errors(source: str, entry: str, architecture: str) -> str:
    kernel = kernel_text(ast.parse(source), entry)
    assert kernel is not None
    return compile_errors(text_for_nvrtc(kernel, entry), architecture)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("name", [e.id for e in KERNELS])
def test_nvrtc_compiles_every_text_of_an_exercise(name: str, architecture: str) -> None:
    found = {what: errors(source, name, architecture) for what, source in sources(name)}
    assert {what: text for what, text in found.items() if text} == {}
    assert len(found) > 4  # stub, solution and mistakes


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_nvrtc_compiles_the_texts_of_the_simulator_tests(architecture: str) -> None:
    bodies = {name: str(body) for name, (body, *_) in [*WORKS.items(), *FINDS.items()]}
    found = {name: errors(file(body, BEFORE), "answer", architecture) for name, body in bodies.items()}
    assert {name: text for name, text in found.items() if text} == {}


def test_nvrtc_compiles_the_template_of_a_new_kernel() -> None:
    template = kind_named("kernel").template("cuda_scale")
    assert [errors(text, "cuda_scale", "sm_90") for text in (template.stub, template.solution)] == ["", ""]


@pytest.mark.parametrize(
    ("body", "architecture", "words"),
    [
        ("y[0] = q;", "sm_90", 'identifier "q" is undefined'),
        ("atomicMax(y, 1.0f);", "sm_90", "no instance of overloaded function"),
        ("y[0] = __reduce_add_sync(~0u, n);", "sm_75", "__reduce_add_sync"),
        ("__shared__ float s[12289]; s[n] = 0; y[0] = s[0];", "sm_80", "uses too much shared data"),
    ],
)
def test_nvrtc_refuses_what_no_gpu_has(body: str, architecture: str, words: str) -> None:
    assert words in errors(file(body), "answer", architecture)
