"""The words a solution file is written with: `given`, `scenario`, `mistake` and how inputs are drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    Draw = Callable[[np.random.Generator, tuple[int, ...], Mapping[str, int]], NDArray[Any]]

__all__ = [
    "Bound",
    "Given",
    "Mistake",
    "Scenario",
    "away_from_zero",
    "below",
    "given",
    "gradient",
    "mistake",
    "normal",
    "scenario",
    "shared",
    "uniform",
]

_ARRAY = re.compile(r"(?P<name>[A-Za-z_]\w*)\[(?P<dims>[^\]]*)\]")
_OPTIONS = ("smooth", "remark", "empty", "large", "note", "draws", "tail", "scaled", "alias")
_BOUNDS = ("memory", "seconds", "because")


@dataclass(frozen=True, slots=True)
class Bound:
    """What one call may cost, enforced from outside the candidate's process.

    Attributes:
        memory: Bytes it may allocate, beside room for its arguments and results; 0 for as much as any other call.
        seconds: Wall time it may take; 0 for as long as any other large case.
        because: What costs too much in the straightforward answer, as a noun: "the T x T matrix".
    """

    memory: int = 0
    seconds: float = 0.0
    because: str = ""

    def __post_init__(self) -> None:
        if not (self.memory or self.seconds) or not self.because:
            raise ValueError("a bound on `memory` or `seconds` says in `because` what costs too much")


@dataclass(frozen=True, slots=True)
class Given:
    """A class of inputs: which arrays, of which shapes, drawn how, with which options.

    Attributes:
        arrays: Name to dimensions; a dimension is a size or a symbol shared between arrays.
        values: Name to a drawing rule or to the literal value, for arrays not drawn from N(0, 1).
        static: Arguments that are not arrays, such as `axis`; strings inside are passed as they are.
        smooth: Whether the forward is differentiable here, so that finite differences may vote.
        remark: Whether a wrong answer here earns a remark instead of failing.
        empty: Whether a size-0 axis makes sense.
        large: Sizes for the one large case, or True to choose them, save for an estimator; `False` for no large case.
        note: A few words that name this class in a report, such as "at the kink".
        bound: What a call may cost; such a class is put once, at the sizes of `large`, to what is right elsewhere.
        draws: For an estimator: how often it is asked, each time with other draws of `sample`; its mean is judged.
        least: The smallest size that makes sense, for symbols that may not be 0 or 1.
        tail: Whether results far smaller than the cotangent must be right in digits of their own: 1 - σ is then wrong.
        scaled: Whether a tiny and a huge cotangent make sense: not where a series may end at an absolute precision.
        alias: Whether two inputs drawn alike may be one array: not where the forward is singular if they are equal.
    """

    arrays: Mapping[str, tuple[int | str, ...]]
    values: Mapping[str, Any] = field(default_factory=dict)
    static: Mapping[str, Any] = field(default_factory=dict)
    smooth: bool = True
    remark: bool = False
    empty: bool = True
    large: Mapping[str, int] | bool = True
    note: str = ""
    bound: Bound | None = None
    draws: int = 0
    least: Mapping[str, int] = field(default_factory=dict)
    tail: bool = False
    scaled: bool = True
    alias: bool = True

    def sizes(self, wanted: Mapping[str, int]) -> dict[str, int]:
        """Return sizes as they are wanted, none too small."""
        return {symbol: max(size, self.least.get(symbol, 0)) for symbol, size in wanted.items()}

    @property
    def symbols(self) -> tuple[str, ...]:
        """The dimension symbols in order of first appearance."""
        dims = [d for shape in self.arrays.values() for d in shape if isinstance(d, str)]
        return tuple(dict.fromkeys(dims))


@dataclass(frozen=True, slots=True)
class Scenario:
    """A class of inputs for a program: a function of a random generator and a size.

    Attributes:
        make: `(rng, size) -> dict` of the inputs by name. Small sizes must give small inputs: the
            report shows the smallest size that fails.
        sizes: The sizes graded, ascending.
        note: A few words that name this class in a report.
        bound: What a call may cost; such a class is put to what is right elsewhere.
    """

    make: Callable[[np.random.Generator, int], dict[str, Any]]
    sizes: tuple[int, ...]
    note: str = ""
    bound: Bound | None = None


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong answer with the misconception it stands for.

    Attributes:
        key: Short stable name, unique in its exercise.
        because: What a person who writes this believes, as a clause.
        hint: A question or nudge that lets them find it, without giving the line.
        remark: Whether the answer is accepted with a remark instead of failed.
        line: Line of the wrong implementation in the solution file.
        source: The wrong implementation as a candidate would have written it.
    """

    key: str
    because: str
    hint: str
    remark: bool = False
    line: int = 0
    source: str = ""


def given(pattern: str, /, **options: Any) -> Given:
    """Declare a class of array inputs.

    Args:
        pattern: Names with dimensions, such as `"X[n,d] W[d,k]"`; `x[]` is a scalar, `a[n,1]` has an axis of size 1,
            and in `x[h>=3,w]` the size `h` is never below 3.
        **options: `smooth`, `remark`, `empty`, `large`, `note`, `draws`, `tail`, `scaled`, `alias` as in `Given`;
            `memory`, `seconds`, `because` as in `Bound`. An option named like an array gives its values: a drawing
            rule, a number that fills the declared shape, or nested lists, whose own sizes hold. `g` fixes the
            cotangent, or the tangents; any other is a static argument.

    Raises:
        ValueError: If the pattern is malformed or names an array twice, or a bound does not say why.
    """
    arrays: dict[str, tuple[int | str, ...]] = {}
    least: dict[str, int] = {}
    rest = _ARRAY.sub("", pattern).strip()
    if rest:
        raise ValueError(f"`{rest}` in `{pattern}` is not of the form name[dims]")
    for match in _ARRAY.finditer(pattern):
        name = match["name"]
        if name in arrays:
            raise ValueError(f"`{name}` stands twice in `{pattern}`")
        dims = []
        for dim in filter(None, (d.strip() for d in match["dims"].split(","))):
            symbol, bounded, size = (part.strip() for part in dim.partition(">="))
            if bounded and not (symbol.isidentifier() and size.isdigit()):
                raise ValueError(f"`{dim}` in `{pattern}` is not of the form size>=number")
            if bounded:
                least[symbol] = max(int(size), least.get(symbol, 0))
            if not (symbol.isidentifier() or symbol.isdigit()):
                raise ValueError(f"`{dim}` in `{pattern}` is not of the form size, number or size>=number")
            dims.append(symbol)
        arrays[name] = tuple(int(d) if d.isdigit() else d for d in dims)
    settings = {key: options.pop(key) for key in _OPTIONS if key in options}
    bound = {key: options.pop(key) for key in _BOUNDS if key in options}
    if bound:
        settings["bound"] = Bound(**bound)
    values = {key: options.pop(key) for key in [*arrays, "g"] if key in options}
    for name in arrays.keys() & values.keys():
        if arrays[name] and isinstance(values[name], int | float):
            values[name] = _filled(values[name])
    return Given(arrays, values, options, least=least, **settings)


def scenario(
    *sizes: int, note: str = "", **bound: Any
) -> Callable[[Callable[[np.random.Generator, int], dict[str, Any]]], Scenario]:
    """Decorate a function `(rng, size) -> inputs` as a class of inputs of a program, graded at the given sizes.

    Args:
        sizes: The sizes.
        note: A few words that name this class in a report; the function's name without it.
        bound: `memory`, `seconds` and `because` as in `Bound`.
    """
    cost = Bound(**bound) if bound else None

    def wrap(make: Callable[[np.random.Generator, int], dict[str, Any]]) -> Scenario:
        return Scenario(make, tuple(sorted(sizes)), note or make.__name__.replace("_", " ").strip(), cost)

    return wrap


def mistake(key: str, because: str, hint: str, *, remark: bool = False) -> Callable[[Any], Mistake]:
    """Decorate a wrong implementation; see `Mistake` for the meaning of the arguments."""

    def wrap(_: Any) -> Mistake:
        return Mistake(key, because, hint, remark)

    return wrap


def shared(beside: str, name: str) -> Any:
    """Return what several solution files have in common, such as scenarios and a judge: a file next to them.

    Args:
        beside: The solution file's own `__file__`.
        name: The other's name, without `.py`, or a path to it from there. It begins with an underscore, as no
            exercise does.

    Returns:
        Its contents as a module, read anew for each solution file: scenarios, and what can stand in a solution file
        under the names `forward`, `saved`, `expected`, `judge` and `drive`; worked solutions and mistakes, which are
        cut out of their own file and sent to a process, cannot use it.

    Raises:
        ValueError: The name has no underscore in front.
        FileNotFoundError: There is no such file.
    """
    from types import ModuleType

    path = (Path(beside).parent / f"{name}.py").resolve()
    if not path.name.startswith("_"):
        raise ValueError(f"`{path.name}` would be taken for a solution: begin its name with an underscore")
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True), module.__dict__)  # noqa: S102 authors' code
    return module


def _filled(number: float) -> Draw:
    """Draw nothing: every element is a number given."""

    def draw(_: np.random.Generator, shape: tuple[int, ...], __: Mapping[str, int]) -> NDArray[Any]:
        import numpy as np

        return np.full(shape, number)

    return draw


def normal(scale: float = 1.0, mean: float = 0.0) -> Draw:
    """Draw float64 values from N(mean, scale²)."""
    return lambda rng, shape, _: rng.normal(mean, scale, shape)


def uniform(low: float, high: float) -> Draw:
    """Draw float64 values uniformly from [low, high)."""
    return lambda rng, shape, _: rng.uniform(low, high, shape)


def away_from_zero(gap: float = 0.1, scale: float = 2.0) -> Draw:
    """Draw float64 values from N(0, scale²), pushed outwards by `gap`: for functions with a kink at 0."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...], _: Mapping[str, int]) -> NDArray[Any]:
        values = rng.normal(0, scale, shape)
        return values + gap * (2 * (values > 0) - 1)

    return draw


def below(bound: int | str) -> Draw:
    """Draw int64 indices from [0, bound), `bound` a number or a dimension symbol."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...], sizes: Mapping[str, int]) -> NDArray[Any]:
        high = sizes[bound] if isinstance(bound, str) else bound
        return rng.integers(0, max(high, 1), shape)

    return draw


def gradient(function: Callable[..., Any], *primals: Any) -> list[NDArray[Any]]:
    """Return the gradient of a scalar function by the engine, held against finite differences.

    For programs whose right answer is the outcome of a training loop: both oracles, always.

    Args:
        function: Takes tensors shaped like `primals`, returns a scalar tensor.
        *primals: Numbers or float arrays.

    Returns:
        One float64 array a primal, of its shape.

    Raises:
        InternalError: If the two oracles disagree.
    """
    import numpy as np

    from autodrill.drills.crosscheck import crosschecked_vjp

    arrays = [np.asarray(p, dtype=np.float64) for p in primals]
    return crosschecked_vjp(function, arrays, (np.asarray(1.0),), smooth=True, thorough=True)
