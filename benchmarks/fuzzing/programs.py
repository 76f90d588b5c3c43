"""Random programs of the operations in the tests' samples, for the engine and for PyTorch.

A program is a table of leaves (arrays) and of steps. A step calls the operation of one sample. Its inputs are
constants, or values of the program that are brought to the sample's shape and into its domain by smooth functions.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from autodrill import engine
from tests.engine.exclusions import (
    WITHOUT_COUNTERPART,
    WITHOUT_FORWARD_MODE,
    WITHOUT_SECOND_ORDER,
    is_refused_by_pytorch,
)
from tests.engine.samples import COUNTERPARTS, SAMPLES
from tests.engine.samples.base import Interval, real

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST = 30.0
"""Results with a larger element, or with one that is not finite, take no part: the step is drawn again."""

NUDGE = 1e-11
"""How far leaves and results are moved, relative to their size, to see how far PyTorch's own derivatives move."""

NEAR = 0.02
"""How far a value may move a drawn input. Elements that must not be tied are drawn at least 0.05 apart."""


@dataclass(frozen=True)
class Used:
    """An input made from a value of the program.

    Attributes:
        of: The value.
        places: For each element of the input, the element of the flattened value it is made from.
        middle: Added to the sine of that element: a number or an array.
        scale: The factor of the sine; None takes the element itself.
        imaginary: The factor of a sine that is the imaginary part, for an input of complex numbers.
    """

    of: int
    places: Any
    middle: Any
    scale: float | None
    imaginary: float | None


@dataclass(frozen=True)
class Step:
    """A call of the operation of `SAMPLES[sample]`; an input is an array or a `Used`."""

    sample: int
    inputs: tuple[Any, ...]

    @property
    def uses(self) -> set[int]:
        """The values it is made from."""
        return {i.of for i in self.inputs if isinstance(i, Used)}


@dataclass(frozen=True)
class Program:
    """Leaves and steps by the number of the value each makes, in order, and the values that are the outputs."""

    leaves: dict[int, Any]
    steps: dict[int, Step]
    outputs: tuple[int, ...]
    seed: int = 0
    values: dict[int, Any] = field(default_factory=dict, repr=False, compare=False)

    def names(self) -> list[str]:
        """Return the operations, in order."""
        return [SAMPLES[step.sample].name for step in self.steps.values()]

    def at(self, leaves: Sequence[Any]) -> Program:
        """Return the same program at other leaves."""
        return replace(self, leaves=dict(zip(self.leaves, leaves, strict=True)))

    def pruned(self) -> Program:
        """Return the program without what no output needs."""
        needed = set(self.outputs)
        for k in sorted(self.steps, reverse=True):
            if k in needed:
                needed |= self.steps[k].uses
        return replace(
            self,
            leaves={k: v for k, v in self.leaves.items() if k in needed},
            steps={k: v for k, v in self.steps.items() if k in needed},
        )


class Ours:
    """How a program runs on the engine, or on plain arrays."""

    def flat(self, x: Any, places: Any) -> Any:
        if x.shape == places.shape:
            return x
        return engine.getitem(engine.reshape(x, -1), places)

    def sin(self, x: Any) -> Any:
        return engine.sin(x)

    def complex(self, x: Any, y: Any) -> Any:
        return engine.complex(x, y)

    def real(self, x: Any) -> Any:
        return engine.real(x) if x.dtype.kind == "c" else x

    def imag(self, x: Any) -> Any:
        return engine.imag(x) if x.dtype.kind == "c" else x

    def constant(self, array: Any) -> Any:
        return array

    def call(self, sample: Any, inputs: list[Any]) -> Any:
        return sample.function()(*inputs)


class Theirs:
    """How a program runs on PyTorch.

    Attributes:
        noise: What moves every result by a factor near 1, see `differences.sensitivity`.
    """

    noise: np.random.Generator | None = None

    def flat(self, x: Any, places: Any) -> Any:
        return x if tuple(x.shape) == places.shape else x.reshape(-1)[torch.from_numpy(places)]

    def sin(self, x: Any) -> Any:
        return torch.sin(x)

    def complex(self, x: Any, y: Any) -> Any:
        return torch.complex(x, y)

    def real(self, x: Any) -> Any:
        return x.real if x.is_complex() else x

    def imag(self, x: Any) -> Any:
        return x.imag if x.is_complex() else x

    def constant(self, array: Any) -> Any:
        return torch.tensor(array)

    def call(self, sample: Any, inputs: list[Any]) -> Any:
        if sample.of_complex:  # few operations of PyTorch take both kinds
            inputs = [x + 0j if x.is_floating_point() else x for x in inputs]
        inputs = [x.contiguous() for x in inputs]  # some counterparts use `view`
        result = COUNTERPARTS[sample.name](torch)(*inputs, **sample.static)
        if self.noise is None:
            return result
        factor = 1 + NUDGE * self.noise.normal(size=tuple(result.shape))
        if result.is_complex():  # across a branch cut too
            factor = factor + 1j * NUDGE * self.noise.normal(size=factor.shape)
        return result * torch.tensor(factor)


OURS, THEIRS = Ours(), Theirs()


def given(library: Any, one: Any, values: dict[int, Any]) -> Any:
    """Return an input of a step."""
    if not isinstance(one, Used):
        return library.constant(one)
    x = library.flat(values[one.of], one.places)
    if one.scale is None:
        return x if one.imaginary is not None else library.real(x)
    part = library.constant(one.middle) + one.scale * library.sin(library.real(x))
    return part if one.imaginary is None else library.complex(part, one.imaginary * library.sin(library.imag(x)))


def run(library: Any, program: Program, leaves: Sequence[Any]) -> dict[int, Any]:
    """Return every value of a program."""
    values = dict(zip(program.leaves, leaves, strict=True))
    for k, step in program.steps.items():
        values[k] = library.call(SAMPLES[step.sample], [given(library, one, values) for one in step.inputs])
    return values


def function(library: Any, program: Program) -> Any:
    """Return the function of the leaves."""

    def f(*leaves: Any) -> list[Any]:
        values = run(library, program, leaves)
        return [values[k] for k in program.outputs]

    return f


def usable(kind: str) -> dict[str, list[int]]:
    """Return the samples by operation, of the operations that PyTorch has in a mode: `first`, `forward`, `second`."""
    without = {"first": {}, "forward": WITHOUT_FORWARD_MODE, "second": WITHOUT_SECOND_ORDER}[kind]
    found: dict[str, list[int]] = {}
    for k, sample in enumerate(SAMPLES):
        if sample.name not in WITHOUT_COUNTERPART and sample.name not in without and not is_refused_by_pytorch(sample):
            found.setdefault(sample.name, []).append(k)
    return found


USABLE = {kind: usable(kind) for kind in ("first", "forward", "second")}


def fitted(rng: np.random.Generator, k: int, value: Any, sample: Any, place: int, drawn: Any) -> Used:
    """Return an input made from a value, in the domain of what the sample draws at a place."""
    is_complex = place in sample.of_complex
    same = value.shape == drawn.shape and rng.random() < 0.8
    places = np.arange(value.size).reshape(value.shape) if same else rng.integers(0, value.size, drawn.shape)
    draw = sample.draws[place]
    imaginary = 0.8 if is_complex else None
    if draw == real:
        if not same:  # the drawn numbers keep elements apart that are made of the same one
            return Used(k, places, drawn.real.copy(), 0.7, imaginary)
        small = np.max(np.abs(value), initial=0) < 2
        straight = small and (value.dtype.kind == "c") == is_complex
        return Used(k, places, np.asarray(0.0), None if straight else 2.0, imaginary)
    if isinstance(draw, Interval):
        return Used(k, places, np.asarray((draw.low + draw.high) / 2), 0.49 * (draw.high - draw.low), imaginary)
    return Used(k, places, drawn.real.copy(), NEAR, NEAR if is_complex else None)


def is_fit(value: Any) -> bool:
    """Return whether a result can be used further."""
    return value.dtype.kind in "fc" and bool(np.isfinite(value).all()) and np.max(np.abs(value), initial=0) < LARGEST


def draw_program(seed: int, kind: str, length: tuple[int, int] = (10, 40)) -> Program:
    """Return a random program of operations that PyTorch has in a mode.

    Args:
        seed: Of the random numbers; the same seed gives the same program.
        kind: One of `USABLE`.
        length: The fewest and the most steps.
    """
    rng = np.random.default_rng(seed)
    count = length[0] + int((length[1] - length[0] + 1) * rng.random() ** 2)  # more of the short ones
    values: dict[int, Any] = {}
    leaves: dict[int, Any] = {}
    steps: dict[int, Step] = {}
    for shape in [(3,), (2, 3), ()]:
        leaves[len(values)] = values[len(values)] = np.asarray(rng.uniform(-1.5, 1.5, shape))
    if rng.random() < 0.4:
        z = rng.uniform(-1, 1, (2, 2)) + 1j * rng.uniform(-1, 1, (2, 2))
        leaves[len(values)] = values[len(values)] = z
    table = USABLE[kind]
    names = list(table)
    while len(steps) < count:
        numbers = table[names[rng.integers(len(names))]]
        number = numbers[rng.integers(len(numbers))]
        sample = SAMPLES[number]
        inputs: list[Any] = []
        fresh: dict[int, Any] = {}
        for place, drawn in enumerate(sample.inputs(rng)):
            chosen = [k for k in values if values[k].size or not drawn.size]
            if drawn.dtype.kind not in "fc":
                inputs.append(drawn)
            elif rng.random() < 0.15:
                at = len(values) + len(fresh)
                fresh[at] = drawn
                whole = np.arange(drawn.size).reshape(drawn.shape)
                inputs.append(Used(at, whole, np.asarray(0.0), None, 0.8 if place in sample.of_complex else None))
            else:
                late = rng.random() < 0.7
                k = chosen[-1 - int(rng.integers(min(6, len(chosen))))] if late else chosen[rng.integers(len(chosen))]
                inputs.append(fitted(rng, k, values[k], sample, place, drawn))
        step = Step(number, tuple(inputs))
        known = {**values, **fresh}
        try:
            result = np.asarray(OURS.call(sample, [given(OURS, one, known) for one in inputs]))
        except (ValueError, np.linalg.LinAlgError):
            continue  # a matrix that is not positive definite
        if not is_fit(result):
            continue
        leaves |= fresh
        values = {**known, len(known): result}
        steps[len(known)] = step
    used = set().union(*(step.uses for step in steps.values()))
    outputs = tuple(k for k in steps if k not in used)
    program = Program(leaves, steps, outputs, seed, values)
    return replace(program.pruned(), values=values)


def source(program: Program) -> str:
    """Return a program as text to paste into Python, in the engine's functions."""
    lines = [
        "import numpy as np; from autodrill import engine as e; from tests.engine.samples import SAMPLES as S",
        *(f"v{k} = np.array({np.asarray(v).tolist()!r}).reshape({v.shape})" for k, v in program.leaves.items()),
        f"def f({', '.join(f'v{k}' for k in program.leaves)}):",
    ]

    def expression(one: Any, inputs: Program) -> str:
        if not isinstance(one, Used):
            return f"np.array({one.tolist()!r}, dtype={str(one.dtype)!r}).reshape({one.shape})"
        shape = np.shape(inputs.leaves.get(one.of, inputs.values.get(one.of)))
        name = f"v{one.of}"
        x = name if shape == one.places.shape else f"e.reshape({name}, -1)[np.array({one.places.tolist()}, dtype=int)]"
        if one.scale is None:
            return x if one.imaginary is not None else f"e.real({x})"
        middle = f"np.array({np.asarray(one.middle).tolist()}).reshape({np.shape(one.middle)})"
        part = f"{middle} + {one.scale} * e.sin(e.real({x}))"
        return part if one.imaginary is None else f"e.complex({part}, {one.imaginary} * e.sin(e.imag({x})))"

    for k, step in program.steps.items():
        arguments = ", ".join(expression(one, program) for one in step.inputs)
        lines.append(f"    v{k} = S[{step.sample}].function()({arguments})  # {SAMPLES[step.sample]}")
    return "\n".join([*lines, f"    return [{', '.join(f'v{k}' for k in program.outputs)}]"])


def quiet() -> None:
    """Silence the warnings of both libraries for this process: of poles, and of PyTorch's own deprecations."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    torch.set_num_threads(1)
