"""Kind `jvp`: a Jacobian-vector product, a pure function of inputs and their tangents."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from autodrill.drills.answer_records import Rule
from autodrill.drills.authoring import Given
from autodrill.drills.kinds.backward_kind import Backward

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from autodrill.drills.exercise import Exercise
    from autodrill.drills.template import Template

    Array = NDArray[Any]

__all__ = ["KIND", "Jvp"]


class Jvp(Backward):
    """A Jacobian-vector product: it returns the output's tangent.

    There is no large case: finite differences need two forwards at any input size, so only their precision differs.
    """

    moving = "tangent"
    takes_cotangents = False
    large_case = False
    default_results = ("dout",)
    nonlinear = Rule(
        "nonlinear-in-tangent",
        "a JVP is linear in the tangent, f(v1+v2) = f(v1)+f(v2), and yours is not",
        "which nonlinear operation does your code apply to the tangent?",
    )
    nonlinear_in_scale = Rule(
        "nonlinear-in-tangent",
        "a JVP is linear in the tangent, f(c v) = c f(v), but yours breaks this rule for a very small or large c",
        "which step cuts off very small or large values, or cannot represent them?",
    )
    constant = Rule(
        "ignores-tangent",
        "a result does not depend on the tangent",
        "which line multiplies by the tangent of each input?",
    )

    def template(self, name: str) -> Template:
        """Return the template of a function of one input and its tangent."""
        from autodrill.drills.template import function_template

        return function_template(name, "x, dx", "dx.copy()")

    def directions(self, exercise: Exercise, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of the tangents: `TANGENTS`, or `d` and the name of each differentiated input."""
        if "TANGENTS" in settings:
            return tuple(settings["TANGENTS"])
        return tuple(f"d{name}" for name in self.differentiated(exercise, settings) or ())

    def differentiated(self, exercise: Exercise, settings: Mapping[str, Any]) -> tuple[str, ...] | None:
        """Return the names of the differentiated inputs: those with a tangent among the stub's parameters."""
        wrt = super().differentiated(exercise, settings)
        if "TANGENTS" in settings:
            return wrt
        arrays = [name for case in settings["CASES"][:1] if isinstance(case, Given) for name in case.arrays]
        handed = {parameter.name for parameter in exercise.parameters}
        return tuple(name for name in (arrays if wrt is None else wrt) if f"d{name}" in handed)

    def aim(self, outputs: Sequence[Array], inputs: Sequence[Array]) -> Sequence[Array]:
        """Return the differentiated inputs: each has a tangent of its shape."""
        return inputs

    def derivative(self, forward: Callable[..., Any], wrt: list[int] | None) -> Callable[..., list[Array]]:
        """Return the Jacobian-vector product of a forward, from both oracles."""
        from autodrill.drills.crosscheck import crosschecked_jvp

        return partial(crosschecked_jvp, forward, wrt=wrt)


KIND = Jvp()
