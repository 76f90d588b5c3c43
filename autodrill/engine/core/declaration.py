"""What a primitive declares: its forward, its derivative and batching rules, and what the names of a rule mean."""

from __future__ import annotations

import inspect
import operator
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal

from numpy.lib.array_utils import normalize_axis_index

from autodrill.engine.core.complex_convention import adjoint_of, refusal
from autodrill.engine.core.node import Plan, Rule
from autodrill.engine.core.tensor import raw

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.engine.core.backend import Array

__all__ = ["Batching", "ComplexKind", "Declaration", "JvpKind", "RuleError", "behind"]

JvpKind = Literal["linear", "linear in each argument", "elementwise"]
ComplexKind = Literal["holomorphic", "adjoint"]

Batching = Literal["leading", "axis", "levels"] | Rule
"""How `vmap` calls a primitive: a kind (`"levels"` for those that are themselves about examples), or a rule."""


class RuleError(TypeError):
    """A primitive's derivative rules do not fit its signature: its author's mistake, found at import."""


class Declaration:
    """The formulas of one differentiable operation.

    Attributes:
        name: The forward's name.
        forward: The computation on raw arrays, `forward(xp, *inputs, **static)`.
        inputs: Names of the inputs; for `*arrays` that one name.
        variadic: Whether the inputs are one `*arrays`, of any number.
        static: Names and defaults of the static parameters.
        broadcasts: Whether inputs are broadcast against each other, so that a cotangent must be summed back.
        view: Whether the result may share the input's memory.
        on_complex: What the VJP rules are where the result is complex: `"holomorphic"`, the transpose of a complex
            linear map, which the engine makes the adjoint of by conjugating around it; `"adjoint"`, that already;
            None where the operation is not defined for complex numbers. See `wirtinger`.
        vjps: The rule of each input, None for one that is not differentiable.
        jvp_rule: The forward-mode rule: a kind the engine derives it from, or a function.
        vmap_rule: How `vmap` calls it for many examples at once: a kind, or a function; see `batching`.
    """

    def __init__(
        self,
        forward: Callable[..., Array],
        *,
        broadcasts: bool = False,
        view: bool = False,
        on_complex: ComplexKind | None = None,
    ) -> None:
        self.name = forward.__name__.strip("_")
        self.forward = forward
        self.broadcasts = broadcasts
        self.view = view
        self.on_complex = on_complex
        code = forward.__code__
        count, more = code.co_argcount, code.co_kwonlyargcount
        defaults = forward.__kwdefaults__ or {}
        self.variadic = bool(code.co_flags & inspect.CO_VARARGS)
        self.inputs = code.co_varnames[count + more :][:1] if self.variadic else code.co_varnames[1:count]
        self.static: dict[str, Any] = {
            name: defaults.get(name, inspect.Parameter.empty) for name in code.co_varnames[count : count + more]
        }
        self.vjps: dict[str, Rule | None] = {}
        self.vjp_names: dict[str, tuple[str, ...]] = {}
        self.jvp_rule: JvpKind | Rule | None = None
        self.jvp_names: tuple[str, ...] = ()
        self.vmap_rule: Batching | None = None
        self.vmap_names: tuple[str, ...] = ()
        self._arity = -1 if self.variadic else len(self.inputs)
        self._plans: dict[int, Plan] = {}
        self._conjugated: dict[int, Plan] = {}
        self.__doc__ = forward.__doc__
        self.__name__ = self.name

    def __repr__(self) -> str:
        return f"<primitive {self.name}({', '.join([*self.inputs, *self.static])})>"

    # Declaring the rules

    def vjp(self, **rules: Rule | None) -> None:
        """Declare, for each input, the rule that turns the cotangent of the result into the cotangent of that input.

        A rule is called as `rule(g, ...)`: `g` is the cotangent of the result, of its shape and dtype, and each
        further parameter is found by its name: an input, `out` for the result, a static parameter, `<input>_shape`
        or `<input>_dtype` (which keep no array alive), or, for `*arrays`, `position`, the index of the array whose
        cotangent is asked (the arrays themselves are not saved). None as a rule states that the input is not
        differentiable. Conjugates are not a rule's concern, but where `on_complex` is `"adjoint"`.

        Raises:
            RuleError: An input has no rule, a rule is for no input, or a rule asks for an unknown name.
        """
        for name in rules:
            if name not in self.inputs:
                raise RuleError(f"`{self.name}` has no input `{name}` to give a vjp rule, only {_listed(self.inputs)}")
        missing = [name for name in self.inputs if name not in rules]
        if missing:
            raise RuleError(
                f"`{self.name}` has no vjp rule for {_listed(missing)}; an input that is not differentiable "
                f"says so with `{missing[0]}=None`"
            )
        for name, rule in rules.items():
            self.vjps[name] = rule
            if rule is not None:
                self.vjp_names[name] = self._parameters_of(rule, f"the vjp rule for `{name}`", skip=1)

    def jvp(self, rule: JvpKind | Rule) -> None:
        """Declare the rule that pushes tangents of the inputs to the tangent of the result.

        `"linear"` (jointly in all differentiable inputs: the forward applied to the tangents), `"linear in each
        argument"` (the product rule), `"elementwise"` (a diagonal Jacobian: the VJP rules applied to the tangents),
        or a function whose parameters are found by name as in `vjp`, with `d<input>` for the tangents. What is linear
        is defined for complex numbers: jointly with real coefficients, in each argument as a holomorphic function.

        Raises:
            RuleError: The kind or one of the names is unknown.
        """
        if isinstance(rule, str):
            if rule not in {"linear", "linear in each argument", "elementwise"}:
                raise RuleError(f"`{self.name}`: no kind of jvp rule is called `{rule}`")
            if rule != "elementwise" and self.on_complex is None:
                self.on_complex = "adjoint" if rule == "linear" else "holomorphic"
        else:
            self.jvp_names = self._parameters_of(rule, "the jvp rule", skip=0, tangents=True)
        self.jvp_rule = rule

    def _parameters_of(
        self, rule: Rule, what: str, *, skip: int, tangents: bool = False, examples: bool = False
    ) -> tuple[str, ...]:
        known = {*self.static} if self.variadic else {"out", *self.inputs, *self.static}
        known.update(f"{name}_{part}" for name in self.inputs for part in ("shape", "dtype"))
        if examples:
            known = known - {"out"} | {*self.inputs, "batch", "levels"}
        elif self.variadic:
            known.add("position")
        if tangents:
            known.update(f"d{name}" for name in self.inputs)
        names = _parameters(rule)[skip:]
        for name in names:
            if name not in known:
                raise RuleError(f"`{self.name}`: {what} asks for `{name}`; it may ask for {_listed(sorted(known))}")
        return names

    def vmap(self, rule: Batching) -> None:
        """Declare how the operation is applied to many examples at once.

        `"leading"`, `"axis"`, or a function whose parameters are found by name; see `batching`. What broadcasts or is
        elementwise by its jvp rule is `"leading"` without saying so.

        Raises:
            RuleError: The kind or one of the names is unknown.
        """
        if not isinstance(rule, str):
            self.vmap_names = self._parameters_of(rule, "the vmap rule", skip=0, examples=True)
        elif rule not in {"leading", "axis", "levels"} or (rule == "axis" and not {"axis", "axes"} & set(self.static)):
            raise RuleError(f"`{self.name}`: no kind of vmap rule it can have is called `{rule}`")
        self.vmap_rule = rule

    @property
    def batching(self) -> Batching | None:
        """How `vmap` calls the operation; None where it does so one example at a time, which is as slow as a loop."""
        if self.vmap_rule is not None:
            return self.vmap_rule
        return "leading" if self.broadcasts or self.jvp_rule == "elementwise" else None

    @property
    def differentiable(self) -> tuple[str, ...]:
        """Names of the inputs that have a derivative."""
        return tuple(name for name in self.inputs if self.vjps.get(name) is not None)

    # What calls and backward ask for

    def lookup(self, name: str, inputs: Any, static: dict[str, Any]) -> Any:
        """Return what a rule means by a static parameter's name or by `<input>_shape` and `<input>_dtype`."""
        if name in self.static:
            return static.get(name, self.static[name])
        owner, _, part = name.rpartition("_")
        if self.variadic:
            return tuple(_attribute(value, part) for value in inputs)
        return _attribute(inputs[self.inputs.index(owner)], part)

    def _plans_of_complex(self) -> dict[int, Plan]:
        """Return the plans of calls whose result is complex, or refuse such a call."""
        if self.on_complex is None:
            raise refusal(self.name)
        return self._conjugated if self.on_complex == "holomorphic" else self._plans

    def _plan(self, mask: int, count: int, *, conjugated: bool = False) -> Plan:
        """Work out, once for each combination of tracked inputs, what to save and what backward will run."""
        tracked = [k for k in range(count) if mask >> k & 1]
        rules = [self._rule_at(k) for k in tracked]
        asked = {name for _, names in rules for name in names}
        inputs = () if self.variadic else tuple(k for k in range(count) if self.inputs[k] in asked)
        extras = tuple(sorted(asked.difference(self.inputs, {"out"})))
        saved = [*(self.inputs[k] for k in inputs), *(["out"] if "out" in asked else []), *extras]
        steps = []
        for parent, (rule, names) in enumerate(rules):
            if rule is None:
                continue
            places = [saved.index(name) for name in names]
            pick = None if not places else places[0] if len(places) == 1 else operator.itemgetter(*places)
            steps.append((parent, adjoint_of(rule) if conjugated else rule, pick))
        origins = tuple(tracked.index(k) if k in tracked else None for k in inputs)
        return Plan(inputs, origins, "out" in asked, extras, tuple(tracked), tuple(steps))

    def _rule_at(self, position: int) -> tuple[Rule | None, tuple[str, ...]]:
        """Return the VJP rule of one input and the names it asks for."""
        if not self.variadic:
            name = self.inputs[position]
            return self.vjps[name], self.vjp_names.get(name, ())
        rule = self.vjps[self.inputs[0]]
        if rule is None:
            return None, ()
        names = tuple(name for name in self.vjp_names[self.inputs[0]] if name != "position")
        return lambda g, *saved: rule(g, position=position, **dict(zip(names, saved, strict=True))), names


def behind(axis: Any, ndim: int) -> Any:
    """Return an axis, or several, or None for all, of an example counted from the end, as axes of the memory.

    Raises:
        numpy.exceptions.AxisError: The example has no such axis.
    """
    if axis is None:
        return tuple(range(-ndim, 0))
    if isinstance(axis, (tuple, list)):
        return tuple(behind(k, ndim) for k in axis)
    place = operator.index(axis)
    if ndim == 0 and place in (0, -1):
        return ()  # NumPy lets a 0-d array be reduced along an axis it does not have
    return normalize_axis_index(place, ndim) - ndim


def _parameters(rule: Rule) -> tuple[str, ...]:
    """Return the names of a function's parameters."""
    if type(rule) is not FunctionType or hasattr(rule, "__wrapped__"):
        return tuple(inspect.signature(rule).parameters)
    code = rule.__code__  # many times faster, and there are hundreds of rules to import
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _attribute(value: Any, part: str) -> Any:
    return getattr(raw(value), part) if hasattr(value, "shape") else () if part == "shape" else None


def _listed(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names)
