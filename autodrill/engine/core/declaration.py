"""The declaration of a primitive: its forward, its derivative and batching rules, and the parameter names of rules."""

from __future__ import annotations

import inspect
import operator
from itertools import accumulate
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from autodrill.engine.core.complex_convention import adjoint_of, refusal
from autodrill.engine.core.node import Plan, Rule
from autodrill.engine.core.tensor import raw

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.engine.core.backend import Array

__all__ = ["Batching", "ComplexKind", "Declaration", "JvpKind", "RuleError", "behind", "integers", "place"]

JvpKind = Literal["linear", "linear in each argument", "elementwise"]
ComplexKind = Literal["holomorphic", "adjoint"]

Batching = Literal["leading", "axis", "levels"] | Rule
"""How `vmap` calls a primitive: a kind, or a rule; `"levels"` is for primitives that add or remove example axes."""


class RuleError(TypeError):
    """The derivative rules of a primitive do not fit its signature; raised at import."""


class _Signature:
    """The signature of a call, for `inspect.signature`: the inputs, then the static parameters with their defaults."""

    def __get__(self, made: Declaration | None, owner: type[Declaration]) -> inspect.Signature:
        if made is None:
            raise AttributeError("__signature__")  # the class itself has the signature of its `__init__`
        own = inspect.signature(made.forward)
        _, *parameters = own.parameters.values()
        if not made.variadic:  # a static parameter may follow the inputs by position
            parameters = [p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in parameters]
        return own.replace(parameters=parameters)


class Declaration:
    """The formulas of one differentiable operation.

    Attributes:
        name: The forward's name.
        forward: The computation on raw arrays, `forward(xp, *inputs, **static)`.
        inputs: Names of the inputs; for `*arrays`, just `arrays`.
        variadic: Whether the inputs are `*arrays`, any number of them.
        static: Names and defaults of the static parameters.
        broadcasts: Whether the inputs broadcast against each other, so that cotangents must be summed back.
        view: Whether the result may share the input's memory.
        on_complex: What the VJP rules compute if the result is complex. `"holomorphic"`: the transpose of a complex
            linear map, which the engine turns into the adjoint. `"adjoint"`: the adjoint itself. None: the operation
            is undefined for complex numbers. See `complex_convention`.
        integers: Whether the result for integers is integers; only its docstring depends on it.
        vjps: The rule of each input; None for an input that is not differentiable.
        jvp_rule: The forward-mode rule: a function, or a kind from which the engine derives it.
        vmap_rule: The batching rule: a function, or a kind; see `batching_rules`.
        add_cotangent: `add_cotangent(sum, g, *saved)` adds what the only VJP rule returns to a raw array in place, in
            less time than the rule and an addition take; or None. An operation that selects a few of many elements
            declares it: a loop over the elements would otherwise take quadratic time.
        crosses: Whether the result may be on another device than the input.
    """

    add_cotangent: Callable[..., None] | None = None
    crosses: bool = False
    __signature__ = _Signature()

    def __init__(
        self,
        forward: Callable[..., Array],
        *,
        broadcasts: bool = False,
        view: bool = False,
        on_complex: ComplexKind | None = None,
        integers: bool = False,
    ) -> None:
        self.name = forward.__name__.strip("_")
        self.forward = forward
        self.broadcasts = broadcasts
        self.view = view
        self.on_complex = on_complex
        self.integers = integers
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
        """Declare the VJP rule of each input: it maps the cotangent of the result to the cotangent of the input.

        A rule is called as `rule(g, ...)`, where `g` is the cotangent, of the result's shape and dtype. Every further
        parameter is looked up by its name: an input, `out` for the result, a static parameter, or `<input>_shape` and
        `<input>_dtype`, which keep no array alive. A rule for `*arrays` may also ask for `position`, the index of the
        array whose cotangent is computed; the arrays themselves are not saved. None declares an input as not
        differentiable. Only rules declared with `on_complex="adjoint"` deal with conjugation.

        Raises:
            RuleError: An input has no rule, a rule names no input, or a rule has an unknown parameter.
        """
        for name in rules:
            if name not in self.inputs:
                raise RuleError(f"`{self.name}` has no input `{name}` for a vjp rule, only {_listed(self.inputs)}")
        missing = [name for name in self.inputs if name not in rules]
        if missing:
            raise RuleError(
                f"`{self.name}` has no vjp rule for {_listed(missing)}; declare an input that is "
                f"not differentiable with `{missing[0]}=None`"
            )
        for name, rule in rules.items():
            self.vjps[name] = rule
            if rule is not None:
                self.vjp_names[name] = self._parameters_of(rule, f"the vjp rule for `{name}`", skip=1)

    def jvp(self, rule: JvpKind | Rule) -> None:
        """Declare the JVP rule, which maps the tangents of the inputs to the tangent of the result.

        The rule is a kind or a function. The kinds are `"linear"` (jointly in all differentiable inputs: the forward
        is applied to the tangents), `"linear in each argument"` (the product rule) and `"elementwise"` (a diagonal
        Jacobian: the VJP rules are applied to the tangents). A function's parameters are looked up by name as in
        `vjp`, with `d<input>` for a tangent. Both linear kinds imply that the operation is defined for complex
        numbers: `"linear"` with real coefficients, the other as a holomorphic function of each argument.

        Raises:
            RuleError: The kind or a parameter's name is unknown.
        """
        if isinstance(rule, str):
            if rule not in {"linear", "linear in each argument", "elementwise"}:
                raise RuleError(f"`{self.name}`: there is no kind of jvp rule called `{rule}`")
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
        """Declare the batching rule, which applies the operation to many examples at once.

        The rule is `"leading"`, `"axis"`, or a function whose parameters are looked up by name; see `batching_rules`.
        An operation that broadcasts, or has the JVP kind `"elementwise"`, is `"leading"` by default.

        Raises:
            RuleError: The kind or a parameter's name is unknown.
        """
        if not isinstance(rule, str):
            self.vmap_names = self._parameters_of(rule, "the vmap rule", skip=0, examples=True)
        elif rule not in {"leading", "axis", "levels"} or (rule == "axis" and not {"axis", "axes"} & set(self.static)):
            raise RuleError(f"`{self.name}`: `{rule}` is not a kind of vmap rule that it can have")
        self.vmap_rule = rule

    @property
    def batching(self) -> Batching | None:
        """How `vmap` calls the operation. None means one example at a time, which is as slow as a loop."""
        if self.vmap_rule is not None:
            return self.vmap_rule
        return "leading" if self.broadcasts or self.jvp_rule == "elementwise" else None

    @property
    def differentiable(self) -> tuple[str, ...]:
        """Names of the inputs that have a derivative."""
        return tuple(name for name in self.inputs if self.vjps.get(name) is not None)

    # Used by calls and by backward

    def lookup(self, name: str, inputs: Any, static: dict[str, Any]) -> Any:
        """Return the value of a rule's parameter: of a static parameter, of `<input>_shape` or of `<input>_dtype`."""
        if name in self.static:
            return static.get(name, self.static[name])
        owner, _, part = name.rpartition("_")
        if self.variadic:
            return Attributes(_attribute(value, part) for value in inputs)
        return _attribute(inputs[self.inputs.index(owner)], part)

    def _plans_of_complex(self) -> dict[int, Plan]:
        """Return the plans of calls with a complex result; raise TypeError if the operation is undefined for these."""
        if self.on_complex is None:
            raise refusal(self.name)
        return self._conjugated if self.on_complex == "holomorphic" else self._plans

    def _plan(self, mask: int, count: int, *, conjugated: bool = False) -> Plan:
        """Return the plan of calls in which the inputs of `mask` require grad; made once for each combination."""
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
        """Return the VJP rule of one input and its parameters' names."""
        if not self.variadic:
            name = self.inputs[position]
            return self.vjps[name], self.vjp_names.get(name, ())
        rule = self.vjps[self.inputs[0]]
        if rule is None:
            return None, ()
        names = tuple(name for name in self.vjp_names[self.inputs[0]] if name != "position")
        return lambda g, *saved: rule(g, position=position, **dict(zip(names, saved, strict=True))), names


class Attributes(tuple[Any, ...]):
    """The shapes or dtypes of any number of inputs."""

    def ends(self, axis: int) -> list[int]:
        """Return the running sum of the lengths along an axis, computed once for all positions of the same call."""
        found: list[int] | None = self.__dict__.get("found")
        if found is None:
            found = self.__dict__["found"] = [*accumulate(shape[axis] for shape in self)]
        return found


def behind(axis: Any, ndim: int, *, reduces: bool = False) -> Any:
    """Return an axis of one example, several axes, or None for all, counted from the end, as in the memory of all.

    NumPy reduces a 0-d array along axis 0 and -1, so `reduces` allows these two there.

    Raises:
        numpy.exceptions.AxisError: The example has no such axis.
    """
    if axis is None:
        return tuple(range(-ndim, 0))
    if isinstance(axis, (tuple, list)):
        return tuple(behind(k, ndim, reduces=reduces) for k in axis)
    if reduces and ndim == 0 and operator.index(axis) in (0, -1):
        return ()
    return place(axis, ndim) - ndim


def place(axis: Any, ndim: int) -> int:
    """Return an axis of an array of `ndim` axes, counted from the front.

    Raises:
        numpy.exceptions.AxisError: The array has no such axis.
    """
    return normalize_axis_index(operator.index(axis), ndim)


def integers(value: Any) -> tuple[int, ...]:
    """Return one integer, Python's or NumPy's, or a sequence of integers, as a tuple."""
    try:
        return (operator.index(value),)
    except TypeError:
        return tuple(map(operator.index, value))


def _parameters(rule: Rule) -> tuple[str, ...]:
    """Return the names of a function's parameters."""
    if type(rule) is not FunctionType or hasattr(rule, "__wrapped__"):
        return tuple(inspect.signature(rule).parameters)
    code = rule.__code__  # many times faster than `inspect`, and importing all families reads hundreds of rules
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _attribute(value: Any, part: str) -> Any:
    if hasattr(value, "shape"):
        return getattr(raw(value), part)
    return np.shape(value) if part == "shape" else None  # of a number or a list


def _listed(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names)
