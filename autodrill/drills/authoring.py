"""The vocabulary of solution files: `given`, `scenario`, `mistake`, and the rules that draw inputs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Draw = Callable[[np.random.Generator, tuple[int, ...], Mapping[str, int]], NDArray[Any]]

__all__ = [
    "Bound",
    "Given",
    "Mistake",
    "Scenario",
    "ask",
    "away_from_zero",
    "below",
    "edit",
    "elementwise",
    "given",
    "gradient",
    "mistake",
    "normal",
    "scenario",
    "shared",
    "uniform",
]

_ARRAY = re.compile(r"(?P<name>[A-Za-z_]\w*)\[(?P<dims>[^\]]*)\]")
_OPTIONS = ("smooth", "remark", "empty", "large", "note", "draws", "tail", "scaled", "alias", "nan")
_BOUNDS = ("memory", "because")


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound on the cost of one call, enforced from outside the candidate's process.

    Its processor time is bounded like that of every large case: see `grading.cases.cost_limit`.

    Attributes:
        memory: The bytes that a call may allocate in addition to its arguments and results; 0 for the usual limit.
        because: What takes too much memory, or too much time if `memory` is 0, in the straightforward answer, as a
            noun phrase: "the T x T matrix".
    """

    memory: int = 0
    because: str = ""

    def __post_init__(self) -> None:
        if not self.because:
            raise ValueError('a bound needs `because="what costs too much"`')


@dataclass(frozen=True, slots=True)
class Given:
    """A class of inputs: arrays with their shapes, their values and the options of their cases.

    Attributes:
        arrays: The dimensions of each array, by name; a dimension is a size, or a symbol shared between arrays.
        values: The drawing rule or literal value of each array, by name. Any other array is drawn from N(0, 1).
        static: Arguments that are not arrays, such as `axis`.
        smooth: Whether the forward is differentiable at these inputs, so that finite differences are used.
        remark: Whether a wrong answer only earns a remark.
        empty: Whether an axis may have size 0; None for the `EMPTY` of the solution file.
        large: The sizes of the large case; True for default sizes (an estimator has none), False for no large case.
        note: The name of this class in a report, such as "at the kink".
        bound: The bound on the cost of a call. Such a class gives one case, at the sizes of `large`, and it runs last.
        draws: For an estimator, the number of calls, each with new draws of `sample`; their mean is compared.
        least: The smallest allowed size of each symbol that has one, such as `h>=3`.
        tail: Whether results far smaller than the cotangent need a small relative error, which `1 - sigmoid(30)` lacks.
        scaled: Whether to try tiny and huge cotangents. Set it to False if a series may stop at an absolute precision.
        alias: Whether two inputs may be one array. Set it to False if the forward is singular at equal inputs.
        nan: Whether to try cotangents of NaN. Set it to False if the task promises finite ones.
    """

    arrays: Mapping[str, tuple[int | str, ...]]
    values: Mapping[str, Any] = field(default_factory=dict)
    static: Mapping[str, Any] = field(default_factory=dict)
    smooth: bool = True
    remark: bool = False
    empty: bool | None = None
    large: Mapping[str, int] | bool = True
    note: str = ""
    bound: Bound | None = None
    draws: int = 0
    least: Mapping[str, int] = field(default_factory=dict)
    tail: bool = False
    scaled: bool = True
    alias: bool = True
    nan: bool = True

    def sizes(self, wanted: Mapping[str, int]) -> dict[str, int]:
        """Return the sizes wanted, each raised to the smallest that is allowed."""
        return {symbol: max(size, self.least.get(symbol, 0)) for symbol, size in wanted.items()}

    @property
    def symbols(self) -> tuple[str, ...]:
        """The dimension symbols, in order of first appearance."""
        dims = [d for shape in self.arrays.values() for d in shape if isinstance(d, str)]
        return tuple(dict.fromkeys(dims))


@dataclass(frozen=True, slots=True)
class Scenario:
    """A class of inputs for a program: a function of a random generator and a size.

    Attributes:
        make: The function `(rng, size)`, which returns a dict of the inputs by name. Small sizes must give small
            inputs, because the report shows the smallest size that fails.
        sizes: The sizes of its cases, ascending.
        note: The name of this class in a report.
        bound: The bound on the cost of a call. The cases of such a class run last.
    """

    make: Callable[[np.random.Generator, int], dict[str, Any]]
    sizes: tuple[int, ...]
    note: str = ""
    bound: Bound | None = None


@dataclass(frozen=True, slots=True)
class Mistake:
    """A known mistake: a wrong answer with the misconception behind it.

    Attributes:
        key: A short, stable name, unique in its exercise.
        because: What the author of such an answer believes, as a clause.
        hint: A question that leads to the fault and does not contain the line.
        remark: Whether the answer is accepted with a remark.
        line: The line of the wrong implementation in the solution file.
        source: The wrong implementation, as a candidate would submit it.
        changes: What `edit` changes in the worked solution; empty for a mistake that is written out.
    """

    key: str
    because: str
    hint: str
    remark: bool = False
    line: int = 0
    source: str = ""
    changes: tuple[str, ...] = ()


def given(pattern: str, /, **options: Any) -> Given:
    """Declare a class of array inputs.

    Args:
        pattern: Names with dimensions, such as `"X[n,d] W[d,k]"`; `x[]` is a scalar, `a[n,1]` has an axis of size 1,
            and in `x[h>=3,w]` the size `h` is at least 3.
        **options: `smooth`, `remark`, `empty`, `large`, `note`, `draws`, `tail`, `scaled`, `alias`, `nan` as in
            `Given`; `memory`, `because` as in `Bound`. An option with the name of an array gives its values: a
            drawing rule, a number that fills the declared shape, or nested lists, which fix the sizes of their
            symbols. `g` fixes the cotangent or the tangents. Any other option is a static argument.

    Raises:
        ValueError: The pattern is malformed, an array is declared twice, a bound is incomplete, or `large` has a size
            that no array has.
    """
    arrays: dict[str, tuple[int | str, ...]] = {}
    least: dict[str, int] = {}
    rest = _ARRAY.sub("", pattern).strip()
    if rest:
        raise ValueError(f"`{rest}` in `{pattern}` is not of the form name[sizes], such as `X[n,d]`")
    for match in _ARRAY.finditer(pattern):
        name = match["name"]
        if name in arrays:
            raise ValueError(f"`{name}` is declared twice in `{pattern}`")
        dims = []
        for dim in filter(None, (d.strip() for d in match["dims"].split(","))):
            symbol, bounded, size = (part.strip() for part in dim.partition(">="))
            if bounded and not (symbol.isidentifier() and size.isdigit()):
                raise ValueError(f"`{dim}` in `{pattern}` is not of the form size>=number, such as `n>=2`")
            if bounded:
                least[symbol] = max(int(size), least.get(symbol, 0))
            if not (symbol.isidentifier() or symbol.isdigit()):
                raise ValueError(f"`{dim}` in `{pattern}` is not of the form size, number or size>=number")
            dims.append(symbol)
        arrays[name] = tuple(int(d) if d.isdigit() else d for d in dims)
    settings = {key: options.pop(key) for key in _OPTIONS if key in options}
    large = settings.get("large")
    for symbol in large if isinstance(large, dict) else ():
        if not any(symbol in dims for dims in arrays.values()):
            raise ValueError(f"`large` gives a size for `{symbol}`, but `{pattern}` has no such letter")
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
    """Declare a class of inputs of a program: decorates a function `(rng, size)` that returns them as a dict.

    Args:
        *sizes: The sizes of its cases.
        note: The name of this class in a report; by default the function's name.
        **bound: `memory` and `because` as in `Bound`.
    """
    cost = Bound(**bound) if bound else None

    def wrap(make: Callable[[np.random.Generator, int], dict[str, Any]]) -> Scenario:
        return Scenario(make, tuple(sorted(sizes)), note or make.__name__.replace("_", " ").strip(), cost)

    return wrap


def mistake(key: str, because: str, hint: str, *, remark: bool = False) -> Callable[[Any], Mistake]:
    """Declare a known mistake: decorates a wrong implementation. `Mistake` describes the arguments."""

    def wrap(_: Any) -> Mistake:
        return Mistake(key, because, hint, remark)

    return wrap


def edit(key: str, because: str, hint: str, *changes: str, remark: bool = False) -> Mistake:
    """Declare a known mistake as changes of the worked solution, for the list `MISTAKES`.

    Args:
        key: See `Mistake`.
        because: See `Mistake`.
        hint: See `Mistake`.
        *changes: Texts `"old -> new"`. The old text occurs once in the worked solution; one that ends in `...` extends
            to the end of its line. An empty new text deletes the old one.
        remark: See `Mistake`.
    """
    return Mistake(key, because, hint, remark, changes=changes)


_MODERATE = (4.5, 5.5, 6.5, 8.0, 12.0, 20.0)
_GAPS = (1e-3, 1e-9)


def elementwise(
    name: str = "x",
    *,
    at: Sequence[float],
    kinks: Sequence[float] = (),
    far: float = 1000.0,
    **options: Sequence[Any],
) -> list[Given]:
    """Return the classes of inputs of a function of each element of one array, such as an activation.

    They are random values, the chosen points, values of moderate size, values next to 0 and next to each kink, the
    kinks, values far from 0, and one number. Some arrays are empty. The moderate values show a function that is taken
    as saturated too early. The values next to a point show a comparison such as `isclose`.

    Args:
        name: The name of the array.
        at: Points that tell right from wrong, such as 0 and a minimum. The function is differentiable at each.
        kinks: Points at which the function is not differentiable, so that the task says which slope is meant. Random
            values keep a distance from them.
        far: The largest magnitude of the values far from 0, which begin at 10. Both signs of it occur.
        **options: Static arguments, each with a list of values. All lists are equally long; their first values belong
            together, and so on.

    Raises:
        ValueError: The lists of values differ in length.
    """

    def apart(values: NDArray[Any]) -> NDArray[Any]:
        for kink in kinks:
            values = values + 0.1 * (2 * (values > kink) - 1) * (abs(values - kink) < 0.1)
        return values

    def near(rng: np.random.Generator, shape: tuple[int, ...], _: Mapping[str, int]) -> NDArray[Any]:
        return apart(rng.normal(0, 2, shape))

    def distant(rng: np.random.Generator, shape: tuple[int, ...], _: Mapping[str, int]) -> NDArray[Any]:
        sizes = 10 * (far / 10) ** rng.uniform(0, 1, shape)
        sizes.flat[:2] = far
        sizes.flat[1::2] *= -1
        return apart(sizes)

    beside = [point + side * gap for point in sorted({0.0, *kinks}) for gap in _GAPS for side in (1, -1)]
    made: list[Given] = []
    for values in zip(*options.values(), strict=True) if options else [()]:
        static = dict(zip(options, values, strict=True))

        def classes(dims: str, rule: Any, static: dict[str, Any] = static, **settings: Any) -> None:
            made.append(given(f"{name}[{dims}]", **{name: rule}, **static, **settings))

        classes("n,m", near, empty=None if made else True)
        classes("k", [*map(float, at)], note="chosen points")
        classes("k", [side * size for size in _MODERATE for side in (1, -1)], note="values from 4 to 20")
        classes("k", beside, note="next to 0 and to each kink" if any(kinks) else "next to 0", smooth=not kinks)
        if kinks:
            classes("k", [*map(float, kinks)], note="at the kinks", smooth=False)
        classes("n", distant, note="far from 0", large=False)
        classes("", near, note="one number")
    return made


def shared(beside: str, name: str) -> Any:
    """Return a module that several solution files share, such as scenarios and a judge.

    The module may provide scenarios and the functions `forward`, `saved`, `expected`, `judge` and `drive`. Worked
    solutions and mistakes cannot use it, because they are cut out of their own file and sent to another process.

    Args:
        beside: The `__file__` of the solution file.
        name: The name of the shared file without `.py`, or its path relative to the solution file. The file name begins
            with an underscore, unlike that of an exercise.

    Returns:
        The module, executed anew for each solution file.

    Raises:
        ValueError: The file name does not begin with an underscore.
        FileNotFoundError: There is no such file.
    """
    from types import ModuleType

    path = (Path(beside).parent / f"{name}.py").resolve()
    if not path.name.startswith("_"):
        raise ValueError(f"`{path.name}` would be read as a solution file: begin its name with an underscore")
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True), module.__dict__)  # noqa: S102 author's code
    return module


def _filled(number: float) -> Draw:
    """Return a rule that fills the shape with one number."""

    def draw(_: np.random.Generator, shape: tuple[int, ...], __: Mapping[str, int]) -> NDArray[Any]:
        import numpy as np

        return np.full(shape, number)

    return draw


def normal(scale: float = 1.0, mean: float = 0.0) -> Draw:
    """Return a rule that draws float64 values from N(mean, scale²)."""
    return lambda rng, shape, _: rng.normal(mean, scale, shape)


def uniform(low: float, high: float) -> Draw:
    """Return a rule that draws float64 values uniformly from [low, high)."""
    return lambda rng, shape, _: rng.uniform(low, high, shape)


def away_from_zero(gap: float = 0.1, scale: float = 2.0) -> Draw:
    """Return a rule for functions with a kink at 0: float64 values from N(0, scale²), moved away from 0 by `gap`."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...], _: Mapping[str, int]) -> NDArray[Any]:
        values = rng.normal(0, scale, shape)
        return values + gap * (2 * (values > 0) - 1)

    return draw


def below(bound: int | str) -> Draw:
    """Return a rule that draws int64 indices from [0, bound); `bound` is a number or a dimension symbol."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...], sizes: Mapping[str, int]) -> NDArray[Any]:
        high = sizes[bound] if isinstance(bound, str) else bound
        return rng.integers(0, max(high, 1), shape)

    return draw


def ask(value: Any) -> Any:
    """Within `drive`: return what the exercise's `answer` returns for a value; it runs outside the candidate's process.

    Raises:
        RuntimeError: It is called elsewhere.
    """
    raise RuntimeError(f"`ask({value!r})` is called outside `drive`")


def gradient(function: Callable[..., Any], *primals: Any) -> list[NDArray[Any]]:
    """Return the engine's gradient of a scalar function, compared with finite differences.

    An `expected` uses it for programs, such as training loops, whose right answer needs gradients.

    Args:
        function: Takes tensors shaped like `primals` and returns a scalar tensor.
        *primals: Numbers or float arrays.

    Returns:
        A float64 array for each primal, of its shape.

    Raises:
        InternalError: The two oracles disagree.
    """
    import numpy as np

    from autodrill.drills.crosscheck import crosschecked_vjp

    arrays = [np.asarray(p, dtype=np.float64) for p in primals]
    return crosschecked_vjp(function, arrays, (np.asarray(1.0),), smooth=True, thorough=True)
