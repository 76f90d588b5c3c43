"""A primitive: one operation's forward, and its derivative and batching rules beside it.

A primitive is declared as a formula sheet writes it:

    @primitive(broadcasts=True)
    def multiply(xp, x, y):
        return xp.multiply(x, y)

    multiply.vjp(x=lambda g, y: g * y, y=lambda g, x: g * x)
    multiply.jvp("linear in each argument")

Positional parameters are the inputs, keyword-only parameters are static: never differentiated. A rule's parameter
names say what is saved for backward; the possible names are listed at `Primitive.vjp`. How `vmap` calls an operation
for many examples follows for most from what is declared already, and is said by `Primitive.vmap` for the rest.

Rules run at two speeds. On raw arrays in an ordinary backward; on Tensors, recorded, when the gradient is to be
differentiated itself. So a rule uses operators and the engine's own functions, which answer arrays with arrays and
Tensors with Tensors, and the rules of every primitive are closed under differentiation.
"""

from __future__ import annotations

import inspect
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from autodrill.engine.backend import BACKENDS, Array, DeviceError, backend_of, backend_of_type, mixed_devices
from autodrill.engine.batched import Batched, BatchError
from autodrill.engine.batching import Batching, apply, crossing
from autodrill.engine.forward import push_tangents
from autodrill.engine.mode import mode
from autodrill.engine.node import GraphNode, Node
from autodrill.engine.plan import Plan, Rule
from autodrill.engine.tensor import Tensor, raw, wrap
from autodrill.engine.views import track
from autodrill.engine.wirtinger import adjoint_of, is_complex, refusal

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Primitive", "RuleError", "check_registry", "primitive", "registry"]

JvpKind = Literal["linear", "linear in each argument", "elementwise"]
ComplexKind = Literal["holomorphic", "adjoint"]

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)

registry: dict[str, Primitive] = {}
"""Every primitive by name, in the order of declaration."""


class RuleError(TypeError):
    """A primitive's derivative rules do not fit its signature: its author's mistake, found at import."""


class Primitive:
    """One differentiable operation; call it with Tensors, arrays or numbers.

    Raw arrays in give a raw array out; any Tensor among the inputs gives a Tensor.

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
        parameters = list(inspect.signature(forward).parameters.values())[1:]
        positional = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
        self.inputs = tuple(p.name for p in positional)
        self.variadic = bool(positional) and positional[0].kind is inspect.Parameter.VAR_POSITIONAL
        self.static: dict[str, Any] = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
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
        names = tuple(inspect.signature(rule).parameters)[skip:]
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

    # Calling

    @overload
    def __call__(self, x: Tensor, /, *args: Any, **static: Any) -> Tensor: ...
    @overload
    def __call__(self, /, *args: Any, **static: Any) -> Any: ...
    def __call__(self, /, *args: Any, **static: Any) -> Any:
        """Apply the operation; static parameters may also follow the inputs by position."""
        if len(args) != self._arity:
            args, static = self._bind(args, static)
        values = []
        parents: list[GraphNode] = []
        kind: type | None = None
        constants = carries = batched = False
        mask = 0
        bit = 1
        for a in args:
            if type(a) is Tensor:
                data = a.data
                values.append(data)
                if a.node is not None:
                    parents.append(a.node)
                    mask |= bit
                if a.tangents is not None:
                    carries = True
                if kind is not type(data):
                    if type(data) is Batched:
                        batched = True
                    elif kind is not None and kind is not Batched:
                        raise DeviceError(mixed_devices(backend_of_type(kind), backend_of_type(type(data))))
                    kind = type(data)
            else:
                values.append(a)
                if type(a) is not float:
                    constants = True
                    if type(a) is Batched:
                        batched = True
            bit <<= 1
        try:
            if batched:
                out = apply(self, values, static)
            else:
                backend = backend_of(*values) if kind is None else BACKENDS[kind]
                if constants:
                    values = [v if type(v) is kind else backend.constant(v) for v in values]
                out = self.forward(backend.xp, *values, **static) if static else self.forward(backend.xp, *values)
                if type(out) is not backend.array_type and type(out) is not Batched:
                    out = backend.xp.asarray(out)  # NumPy answers 0-d arrays with scalars
        except TypeError as error:
            if self.on_complex is None and not isinstance(error, BatchError) and any(map(is_complex, values)):
                raise refusal(self.name) from error
            raise
        plans = self._plans
        dtype = out.dtype
        # The first two only spare the commonest dtypes the third.
        if dtype is not _FLOAT64 and dtype is not _FLOAT32 and dtype.kind == "c":
            plans = self._plans_of_complex()
        if kind is None:
            return out
        result = Tensor.__new__(Tensor)
        result.data = out
        result.node = None
        result.tangents = None
        result.alias = None
        if mask and mode.grad_enabled:
            plan = plans.get(mask | bit)  # the bit above all inputs' tells their number
            if plan is None:
                plan = plans[mask | bit] = self._plan(mask, len(args), conjugated=plans is self._conjugated)
            if batched and type(out) is Batched and self.vmap_rule != "levels":
                plan = crossing(plan, values, out)
            saved = []
            for k in plan.inputs:
                saved.append(values[k])  # noqa: PERF401 - a comprehension is a call on Python 3.11
            if plan.saves_out:
                saved.append(out)
            for name in plan.extras:
                saved.append(self.lookup(name, values, static))  # noqa: PERF401 - as above
            result.node = Node(self, plan, parents, saved, out.shape, dtype)
        if carries and mode.levels:
            push_tangents(self, args, static, result)
        if self.view:
            track(self, args[0], static, result)
        if mode.observers:
            for observe in mode.observers:
                observe(self, args, result)
        return result

    def record(self, args: tuple[Any, ...], static: dict[str, Any], out: Array) -> Tensor:
        """Return a Tensor of the array `out` in the place in the graph that a call would have given its result.

        For a result that is in memory already: the forward is not run.
        """
        result = wrap(out)
        tracked = [k for k, a in enumerate(args) if type(a) is Tensor and a.node is not None]
        if tracked and mode.grad_enabled:
            conjugated = is_complex(out) and self._plans_of_complex() is self._conjugated
            plan = self._plan(sum(1 << k for k in tracked), len(args), conjugated=conjugated)
            saved = [raw(args[k]) for k in plan.inputs] + ([out] if plan.saves_out else [])
            saved += [self.lookup(name, args, static) for name in plan.extras]
            if type(out) is Batched:
                plan = crossing(plan, [raw(a) for a in args], out)
            result.node = Node(self, plan, [args[k].node for k in tracked], saved, out.shape, out.dtype)
        if mode.levels:
            push_tangents(self, args, static, result)
        for observe in mode.observers:
            observe(self, args, result)
        return result

    def reflected(self, y: Tensor, x: Any) -> Tensor:
        """Apply a binary operation to `(x, y)`: what `x - y` comes to where only `y` is known to be a Tensor."""
        result: Tensor = self(x, y)
        return result

    def _bind(self, args: tuple[Any, ...], static: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Sort positional and keyword arguments into inputs and static values."""
        if self.variadic:
            return args, static
        arity = len(self.inputs)
        extra = args[arity:]
        names = list(self.static)
        if len(extra) > len(names):
            raise TypeError(f"`{self.name}` takes at most {arity + len(names)} arguments, got {len(args)}")
        inputs = list(args[:arity])
        static = dict(static)
        for name in self.inputs[len(inputs) :]:
            if name not in static:
                raise TypeError(f"`{self.name}` misses its argument `{name}`")
            inputs.append(static.pop(name))
        for name, value in zip(names, extra, strict=False):
            if name in static:
                raise TypeError(f"`{self.name}` got two values for `{name}`")
            static[name] = value
        return tuple(inputs), static

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
            pick = None if not places else places[0] if len(places) == 1 else itemgetter(*places)
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


def _attribute(value: Any, part: str) -> Any:
    return getattr(raw(value), part) if hasattr(value, "shape") else () if part == "shape" else None


def _listed(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names)


@overload
def primitive(forward: Callable[..., Array], /) -> Primitive: ...
@overload
def primitive(
    *, broadcasts: bool = False, view: bool = False, on_complex: ComplexKind | None = None
) -> Callable[[Callable[..., Array]], Primitive]: ...
def primitive(
    forward: Callable[..., Array] | None = None,
    /,
    *,
    broadcasts: bool = False,
    view: bool = False,
    on_complex: ComplexKind | None = None,
) -> Primitive | Callable[[Callable[..., Array]], Primitive]:
    """Make a primitive of a forward, `forward(xp, *inputs, **static)`, and enter it in the registry.

    Args:
        forward: The computation on raw arrays of the library `xp`.
        broadcasts: The inputs are broadcast against each other: the engine sums a cotangent back to each one's shape.
        view: The result may share memory with the first input.
        on_complex: What the VJP rules are for complex numbers; see `Primitive`.

    Raises:
        RuleError: The name is taken.
    """

    def declare(function: Callable[..., Array]) -> Primitive:
        made = Primitive(function, broadcasts=broadcasts, view=view, on_complex=on_complex)
        if made.name in registry:
            raise RuleError(f"there is a primitive called `{made.name}` already")
        registry[made.name] = made
        return made

    return declare if forward is None else declare(forward)


def check_registry() -> None:
    """Demand of every primitive declared so far that both its rules are there.

    Raises:
        RuleError: Some are not; all of them are named.
    """
    problems = []
    for name, entry in registry.items():
        if set(entry.vjps) != set(entry.inputs):
            problems.append(f"`{name}` has no vjp rules")
        if entry.jvp_rule is None:
            problems.append(f"`{name}` has no jvp rule")
    if problems:
        raise RuleError("; ".join(problems))
