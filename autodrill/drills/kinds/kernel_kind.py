"""Kind `kernel`: a CUDA C++ kernel, in the text that a function returns."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Any

from autodrill.drills.answer_records import Fault, FaultKind
from autodrill.drills.case import DISTINCT, Case, case_of, named_arguments
from autodrill.drills.cases import draw, sizes_of, small_arrays, takes_draws
from autodrill.drills.kernel_source import C_TYPES, kernel_signature, kernel_text
from autodrill.drills.kind import Kind
from autodrill.drills.solution_file import authored
from autodrill.drills.source import Parameter
from autodrill.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from autodrill.drills.answer_records import Expected, Part
    from autodrill.drills.authoring import Given
    from autodrill.drills.exercise import Drill
    from autodrill.drills.template import Template

    Array = NDArray[Any]

__all__ = ["KIND", "Kernel", "left_unwritten", "not_written_yet"]

_BELOW_A_BLOCK, _ABOVE_A_BLOCK, _MANY = (2, 3, 5, 7), (37, 41, 43, 47, 53, 59, 61), (101, 103, 107, 109)
"""Sizes of the cases. They are primes, so that no block size divides them."""

_SIDES = (1, 2, 3, 5, 9, 17, 33, 65)
"""Sizes of the cases that are tried as the smallest failing one: many are one more than a power of 2."""

_UNWRITTEN = 0x7FD1DEAD
"""A sentinel in every 32 bits of a result before the launch: a NaN that no arithmetic produces."""

_MOST_THREADS = 1024

_STUB = '''def {name}():
    return r"""
__global__ void {stem}(const float* g, float* dx, int n) {{
{body}}}
"""
'''

_GIVEN = """CASES = [given("x[n]")]  # FILL IN: one `given(...)` for each class of inputs; all sizes are primes


def forward(x):
    return x  # FILL IN: the forward, in operations of `autodrill.engine`; both oracles differentiate it


def launch(n):
    return (n + 31) // 32, 32  # FILL IN: the grid and the block, each a number or a tuple


"""


class Kernel(Kind):
    """A CUDA kernel. It is graded only in float32, because another dtype would be another kernel."""

    linear = True
    single_precision = True
    keeps_memory_rules = False
    on_device = True

    # -- what the candidate writes

    def parameters(self, entry: str, defined: Mapping[str, ast.stmt]) -> tuple[Parameter, ...]:
        """Return the parameters of the kernel; none if they cannot be read."""
        text = kernel_text(ast.Module([defined[entry]], []), entry)
        kernel = kernel_signature(text.text) if text else None
        known = kernel is not None and all(p.type in C_TYPES for p in kernel.parameters)
        return tuple(Parameter(p.name) for p in kernel.parameters) if kernel and known else ()

    def stub_problem(self, entry: str, parameters: tuple[Parameter, ...]) -> str | None:
        """Return the problem of a stub without a readable kernel."""
        if parameters:
            return None
        kernel = "`__global__ void name(const float* x, int n) { }`"
        return (
            f"`{entry}` must return one string with a kernel: {kernel}. The parameter types may be {', '.join(C_TYPES)}"
        )

    def solution_problems(self, settings: Mapping[str, Any]) -> Iterator[str]:
        """Yield a problem if `launch` is missing."""
        if not callable(settings.get("launch")):
            yield "`launch` is missing: define a function of the kernel's arguments that returns the grid and the block"

    def template(self, name: str) -> Template:
        """Return the template of a kernel with one thread for each element."""
        from autodrill.drills.template import WRITTEN, WRONG, Template

        stem, line = name.removeprefix("cuda_"), "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        bodies = (
            "",
            *(f"{line}    if (i < n) dx[i] = g[i];{what.replace('#', '//')}\n" for what in (WRITTEN, WRONG)),
        )
        stub, right, wrong = (_STUB.format(name=name, stem=stem, body=body) for body in bodies)
        return Template(stub, right, wrong, _GIVEN)

    # -- the cases

    def cases(self, entry: Given, rng: np.random.Generator, *, zero: bool) -> list[Case]:
        """Return cases at sizes that no block size divides: above a block, below a block, 1, and large."""
        symbols = entry.symbols

        def drawn(sizes: Sequence[int]) -> dict[str, int]:
            return dict(zip(symbols, rng.permutation(sizes)[: len(symbols)].tolist(), strict=True))

        def case(what: str, sizes: Mapping[str, int], **changes: Any) -> Case:
            inputs = draw(entry, sizes, rng)
            settings = {"dtype": "float32", "sizes": sizes_of(entry, inputs), **changes}
            return case_of(entry, what, inputs, rng, **settings)

        cases = [case(DISTINCT if len(symbols) > 1 else "", drawn(_ABOVE_A_BLOCK))]
        if not takes_draws(entry) or not symbols:
            return cases
        cases.append(case("less than a block", drawn(_BELOW_A_BLOCK)))
        if len(symbols) > 1:
            cases += [case(f"{symbol} = 1", {**drawn(_ABOVE_A_BLOCK), symbol: 1}) for symbol in symbols]
        cases.append(case("every size 1", dict.fromkeys(symbols, 1)))
        if entry.large is not False:
            sizes = entry.large if isinstance(entry.large, dict) else {}
            cases.append(case("many", {**drawn(_MANY), **sizes}))
        if entry.values.get("g") is None:
            cases.append(case("zero cotangent", drawn(_ABOVE_A_BLOCK), cotangent=0.0))
        return cases

    def smaller(self, entry: Given, like: Case, rng: np.random.Generator) -> Iterator[Case]:
        """Yield cases of a class like one that failed, from below a block upwards."""
        return small_arrays(entry, like, rng, sides=_SIDES)

    # -- putting a case

    def arguments(self, drill: Drill, case: Case, expected: Expected, draw: int = 0) -> list[Any]:
        """Return the arguments of the device's driver.

        They are the launch, the indices of the results, the indices of those that begin with the sentinel, and the
        arguments of the kernel.

        Raises:
            InternalError: A result is not a parameter of the kernel, or the launch is impossible.
        """
        named = _named(drill, case, expected)
        order = list(named)
        for part in expected.parts:
            if part.name not in named:
                raise InternalError(
                    f"the kernel of `{drill.exercise.id}` has no parameter for the result `{part.name}`: "
                    "add a pointer of that name"
                )
        results = tuple(order.index(part.name) for part in expected.parts)
        bare = tuple(i for i in results if left_unwritten(_array(named[order[i]])))
        return [_launch(drill, named), results, bare, *named.values()]

    def shown_arguments(self, drill: Drill, case: Case, expected: Expected) -> dict[str, Any]:
        """Return the arguments without the results, and the launch without trailing axes of size 1."""
        named = _named(drill, case, expected)
        results = {part.name for part in expected.parts}
        grid, block, dynamic = _launch(drill, named)
        launch: dict[str, Any] = {
            name: axes[0] if axes[1:] == (1, 1) else axes[:2] if axes[2] == 1 else axes
            for name, axes in (("grid", grid), ("block", block))
        }
        if dynamic:
            launch["shared bytes"] = dynamic
        return {name: value for name, value in named.items() if name not in results} | launch

    # -- comparing what comes back

    def fault(
        self, drill: Drill, case: Case, expected: Expected, value: Any, got: Sequence[Array | None], fault: Fault | None
    ) -> Fault | None:
        """Return `UNWRITTEN` for a wrong result in which a sentinel is left."""
        if fault is None:
            return None
        for part, array in zip(expected.parts, got, strict=True):
            count = 0 if array is None else left_unwritten(array)
            if array is not None and count:
                where = f" in {count} of {array.size} places" if count < array.size else ""
                return Fault(FaultKind.UNWRITTEN, f"{part.name} is never written{where}")
        return fault


def not_written_yet(part: Part) -> Array:
    """Return an array for a result, filled with a sentinel, so that unwritten elements are detected."""
    import numpy as np

    words = part.dtype.itemsize // 4
    if not words:
        return np.zeros(part.value.shape, part.dtype)
    filled = np.full((*part.value.shape, words), _UNWRITTEN, np.uint32)
    return filled.view(part.dtype).reshape(part.value.shape)


def left_unwritten(array: Array) -> int:
    """Return how many elements of a result still hold the sentinel."""
    import numpy as np

    if array.dtype.itemsize % 4 or not array.size:
        return 0
    words = np.ascontiguousarray(array).reshape(-1, 1).view(np.uint32)
    return int((words == _UNWRITTEN).all(axis=1).sum())


def _named(drill: Drill, case: Case, expected: Expected) -> dict[str, Any]:
    """Return the kernel's arguments by name, with the sizes of dimensions and the arrays to write to."""
    unwritten = {part.name: not_written_yet(part) for part in expected.parts}
    return named_arguments(drill, case, expected, known={**unwritten, **case.sizes})


def _launch(drill: Drill, named: Mapping[str, Any]) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Return the grid, the block, and the bytes of dynamic shared memory."""
    launch = drill.solution.launch
    if launch is None:
        raise InternalError("the exercise has no `launch`")
    with authored(drill.solution.path, "launch"):
        code = launch.__code__
        wanted = code.co_varnames[: code.co_argcount]
        given = launch(**{name: named[name] for name in wanted})
        grid, block = (_axes(each) for each in given[:2])
        dynamic = int(given[2]) if len(given) > 2 else 0
    if min(*grid, *block) < 1 or math.prod(block) > _MOST_THREADS:
        raise InternalError(
            f"the exercise's `launch` gives a grid of {grid} and a block of {block}: "
            f"every axis must be at least 1, and a block has at most {_MOST_THREADS} threads"
        )
    return grid, block, dynamic


def _axes(given: Any) -> tuple[int, ...]:
    axes = tuple(int(n) for n in (given if isinstance(given, tuple) else (given,)))
    return (*axes, 1, 1)[:3]


def _array(value: Any) -> Array:
    import numpy as np

    return np.asarray(value)


KIND = Kernel()
