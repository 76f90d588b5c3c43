"""The base class of the kinds of exercises.

A kind decides what the candidate writes, how that code is called for a case, how its results are compared, and what
`autodrill new` writes. Each kind is one module in `autodrill/drills/kinds/`: a class that overrides what differs from
`Kind`, and its instance `KIND`. No other module asks which kind an exercise has.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING, Any

from autodrill.drills.answer_records import Fault, Part, Rule
from autodrill.drills.case import in_memory, named_arguments
from autodrill.drills.cases import array_cases, small_arrays
from autodrill.drills.source import parameters_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from autodrill.drills.answer_records import Expected
    from autodrill.drills.authoring import Given
    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill, Exercise
    from autodrill.drills.source import Parameter
    from autodrill.drills.template import Template

    Array = NDArray[Any]

__all__ = ["Kind"]

_CONVENTIONS = (
    "You can import NumPy and the standard library. Unless the task says otherwise, do not modify the arguments, and "
    "return each gradient as a new array of the dtype that all float inputs share. "
    "NaN in {} must stay NaN; where its factor is 0, 0 is also right."
)
_COST = " For large inputs, the work must grow no faster than in the forward."


class Kind:
    """A kind of exercise. The defaults fit a function of arrays that is called directly.

    Attributes:
        linear: Whether an answer depends only on its arguments and is linear in the cotangents or tangents.
        has_forward: Whether the candidate also writes the forward, which is compared before the backward.
        may_return_outputs: Whether `OUTPUTS` makes the candidate's code return them before the gradients.
        moving: The word for what the answer is linear in: "cotangent" or "tangent".
        takes_cotangents: Whether the candidate is handed cotangents of the outputs.
        large_case: Whether there is a large case, in which finite differences cost too much.
        single_precision: Whether all floating arguments are float32.
        any_dtype: Whether results may have any dtype.
        keeps_memory_rules: Whether results must own their memory and arguments must stay unchanged.
        on_arrays: Whether an answer maps arrays to arrays, so that a framework could hold them.
        on_device: Whether answers are compiled and launched on a device instead of being imported.
        no_prediction: Why no gradient can be worked out by hand before the code is written, as a clause; empty if one
            can.
        default_results: The names of the results if the author gives none; empty for `d` and the input's name.
        nonlinear: The rule of an answer that is not linear: f(g1 + g2) differs from f(g1) + f(g2).
        nonlinear_in_scale: The rule of an answer that is not linear for very small or very large cotangents.
        constant: The rule of an answer that does not depend on the cotangent.
        zero: The rule of an answer that is wrong only in cases named "x = 0".
        mutated: The rule of an answer that changes an argument, or None for the general one.
    """

    linear = False
    has_forward = False
    may_return_outputs = False
    moving = "cotangent"
    takes_cotangents = True
    large_case = False
    single_precision = False
    any_dtype = False
    keeps_memory_rules = True
    on_arrays = True
    on_device = False
    no_prediction = "its answer is not a gradient"
    default_results: tuple[str, ...] = ()
    nonlinear = Rule(
        "nonlinear-in-g",
        "a VJP is linear in the cotangent, f(g1+g2) = f(g1)+f(g2), and yours is not",
        "which nonlinear operation does your code apply to g?",
    )
    nonlinear_in_scale = Rule(
        "nonlinear-in-g",
        "a VJP is linear in the cotangent, f(c g) = c f(g), but yours breaks this rule for a very small or large c",
        "which step cuts off very small or large values, or cannot represent them?",
    )
    constant = Rule(
        "ignores-upstream",
        "a result does not depend on the upstream gradient",
        "by the chain rule every gradient depends on g: where does your code use g?",
    )
    zero = Rule("empty", "wrong for an array with an axis of size 0", "what does your code do with an empty array?")
    mutated: Rule | None = None

    @property
    def conventions(self) -> str:
        """What is graded although the task does not say it, as a paragraph; empty if there is nothing."""
        moving = "an upstream gradient" if self.takes_cotangents else f"a {self.moving}"  # no other NaN is graded
        if not (self.linear and self.keeps_memory_rules):
            return ""
        return _CONVENTIONS.format(moving) + (_COST if self.large_case else "")

    # -- what the candidate writes

    def refused_name(self, name: str) -> tuple[str, str] | None:
        """Return a message and a hint if a new exercise cannot have this id, otherwise None."""
        return None

    def entry(self, name: str) -> str:
        """Return the names to define, separated by spaces, for an exercise whose header has no `entry`."""
        return name

    def parameters(self, entry: str, defined: Mapping[str, ast.stmt]) -> tuple[Parameter, ...]:
        """Return the parameters that receive the arguments of a case.

        Args:
            entry: The names to define.
            defined: The definitions of these names in the stub.
        """
        name, _, method = entry.split(maxsplit=1)[0].partition(".")
        node = defined[name]
        method = method or ("forward" if self.has_forward else "")
        if not isinstance(node, ast.ClassDef) or not method:
            return parameters_of(node)
        found = next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == method), None)
        return self.method_parameters(found) if found else ()

    def method_parameters(self, method: ast.FunctionDef) -> tuple[Parameter, ...]:
        """Return the parameters of a method that receive the arguments of a case: all except `self`."""
        static = any(ast.unparse(decorator) == "staticmethod" for decorator in method.decorator_list)
        return parameters_of(method)[0 if static else 1 :]

    def stub_problem(self, entry: str, parameters: tuple[Parameter, ...]) -> str | None:
        """Return the problem of a stub of this kind, or None."""
        return None

    def solution_problems(self, settings: Mapping[str, Any]) -> Iterator[str]:
        """Yield the problems of a solution file of this kind.

        Args:
            settings: The names that the solution file defines.
        """
        yield from ()

    def directions(self, exercise: Exercise, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of the cotangents or tangents."""
        return tuple(settings.get("COTANGENTS", ("g",)))

    def differentiated(self, exercise: Exercise, settings: Mapping[str, Any]) -> tuple[str, ...] | None:
        """Return the names of the differentiated inputs, or None for every floating input."""
        wrt = settings.get("WRT")
        return None if wrt is None else tuple(wrt)

    def template(self, name: str) -> Template:
        """Return the template of an exercise of this kind, for `autodrill new`."""
        raise NotImplementedError

    # -- the cases

    def cases(self, entry: Given, rng: np.random.Generator, *, zero: bool) -> list[Case]:
        """Return the cases of a class of inputs.

        Args:
            entry: The class.
            rng: Draws sizes and values.
            zero: Whether to add a case with a zero cotangent.
        """
        return array_cases(entry, rng, zero=zero) if entry.bound is None else []

    def smaller(self, entry: Given, like: Case, rng: np.random.Generator) -> Iterator[Case]:
        """Yield cases of a class like one that failed, smallest first."""
        return small_arrays(entry, like, rng)

    # -- calling the candidate's code

    def driver(self, drill: Drill) -> str | None:
        """Return the source of a function `drive(candidate, *arguments)`, or None to call the code directly.

        It runs in the candidate's process. An exercise with its own `drive` does not use it.
        """
        return None

    def scenario(self, drill: Drill) -> str | None:
        """Return the source of `drive` for an exercise: its own or that of the kind; None to call the code directly."""
        source = drill.solution.drive or self.driver(drill)
        if "old-numpy" not in drill.solution.remarks:
            return source
        from autodrill.drills.customs import OLD_NUMPY

        return OLD_NUMPY + (source or "def drive(candidate, *arguments):\n    return candidate(*arguments)\n")

    def arguments(self, drill: Drill, case: Case, expected: Expected, draw: int = 0) -> list[Any]:
        """Return the arguments of `Runner.call` for a case; for an estimator, those of one draw.

        Raises:
            InternalError: A parameter of the stub has no value.
        """
        return in_memory(case, named_arguments(drill, case, expected, draw))

    def shown_arguments(self, drill: Drill, case: Case, expected: Expected) -> dict[str, Any]:
        """Return the arguments of a case by name, as a report shows them."""
        return named_arguments(drill, case, expected)

    # -- comparing what comes back

    def results(self, drill: Drill, value: Any) -> Any | Fault:
        """Return the results in the value that a call returned, or a fault if there are none."""
        return value

    def fault(
        self, drill: Drill, case: Case, expected: Expected, value: Any, got: Sequence[Array | None], fault: Fault | None
    ) -> Fault | None:
        """Return the fault of an answer.

        Args:
            drill: The exercise.
            case: The case.
            expected: Its expected results.
            value: The value that the call returned.
            got: The results as arrays.
            fault: The first fault that the comparison of the numbers found, or None.
        """
        return fault

    # -- expected results

    def aim(self, outputs: Sequence[Array], inputs: Sequence[Array]) -> Sequence[Array]:
        """Return the arrays that give the cotangents or tangents their shapes: outputs, or differentiated inputs."""
        return outputs

    def derivative(self, forward: Callable[..., Any], wrt: list[int] | None) -> Callable[..., list[Array]]:
        """Return the derivative of a forward, from both oracles, as a function of the inputs and the cotangents."""
        from autodrill.drills.crosscheck import crosschecked_vjp

        return partial(crosschecked_vjp, forward, wrt=wrt)

    def parts(
        self, case: Case, names: Sequence[str], gradients: Sequence[Array], tolerances: Sequence[Array]
    ) -> tuple[tuple[Part, ...], tuple[float, ...]]:
        """Return the expected results and, for scalar nodes, the starting value of each `.grad`."""
        import numpy as np

        made = zip(names, gradients, tolerances, strict=True)
        return tuple(Part(name, value, room, np.dtype(case.dtype)) for name, value, room in made), ()

    def names_of_results(self, drill: Drill, differentiated: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the results that are asked for."""
        return drill.solution.results or tuple(f"d{name}" for name in differentiated)

    def absent(self, drill: Drill, case: Case, outputs: int, differentiated: Sequence[str]) -> tuple[int, ...]:
        """Return the indices of the results that must be None."""
        return ()
