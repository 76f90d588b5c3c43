"""A primitive: the forward of one operation together with its derivative and batching rules.

A primitive is declared as a formula sheet writes it:

    @primitive(broadcasts=True)
    def multiply(xp, x, y):
        return xp.multiply(x, y)

    multiply.vjp(x=lambda g, y: g * y, y=lambda g, x: g * x)
    multiply.jvp("linear in each argument")

Positional parameters are the inputs. Keyword-only parameters are static, that is, never differentiated. The parameters
of a rule determine what is saved for backward; `Declaration.vjp` lists the possible names. For most operations the
batching rule follows from these declarations; `Declaration.vmap` declares it for the others.

An ordinary backward runs the rules on raw arrays. If the gradient itself is to be differentiated, it runs them on
Tensors and records them. So a rule uses only operators and the engine's own functions, which return arrays for arrays
and Tensors for Tensors. The rules are therefore themselves differentiable, to any order.
"""

from __future__ import annotations

import functools
from types import FunctionType
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from autodrill.engine.core.aliasing import track
from autodrill.engine.core.backend import (
    BACKENDS,
    WRAPPERS,
    Array,
    BatchError,
    DeviceError,
    backend_of,
    device_name,
    mixed_devices,
)
from autodrill.engine.core.complex_convention import is_complex, refusal
from autodrill.engine.core.declaration import ComplexKind, Declaration, RuleError
from autodrill.engine.core.devices import on_device_of, return_to
from autodrill.engine.core.mode import mode
from autodrill.engine.core.node import GraphNode, Node
from autodrill.engine.core.tensor import Tensor, raw, wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from autodrill.engine.core.backend import Wrapper

__all__ = ["Primitive", "RuleError", "check_registry", "primitive", "registry", "with_spellings"]

_OURS = {"dim": "axis", "keepdim": "keepdims"}
"""PyTorch's names of two parameters, and ours, which are NumPy's."""

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)

registry: dict[str, Primitive] = {}
"""Every primitive by name, in the order of declaration."""


class Primitive(Declaration):
    """One differentiable operation; call it with Tensors, arrays or numbers.

    Given raw arrays it returns a raw array; given at least one Tensor it returns a Tensor. See `Declaration` for what
    a primitive declares.

    Example:
        >>> type(engine.exp).__name__
        'Primitive'
        >>> float(engine.exp(0.0))
        1.0
    """

    @overload
    def __call__(self, x: Tensor, /, *args: Any, **static: Any) -> Tensor: ...
    @overload
    def __call__(self, /, *args: Any, **static: Any) -> Any: ...
    def __call__(self, /, *args: Any, **static: Any) -> Any:
        """Apply the operation; static parameters may also follow the inputs by position."""
        if len(args) != self._arity:
            args, static = self._bind(args, static)
        if static:
            if "dim" in static or "keepdim" in static:
                static = respelled(self.name, static, self.static)
            for value in static.values():
                if type(value) is Tensor:
                    raise self._static_tensor(static)
        values = []
        parents: list[GraphNode] = []
        kind: type | None = None
        wrapper: Wrapper | None = None
        constants = carries = False
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
                    kind = type(data) if kind is None else _met(kind, data, args)
            else:
                values.append(a)
                if type(a) is not float:
                    constants = True
                    if type(a) in WRAPPERS:
                        wrapper = WRAPPERS[type(a)]
            bit <<= 1
        if kind in WRAPPERS:
            wrapper = WRAPPERS[kind]
        if len(BACKENDS) > 1:
            before = on_device_of(values)
            if before is not None:
                try:
                    return self(*args, **static)
                finally:
                    return_to(before)
        try:
            if wrapper is not None:
                out = wrapper.apply(self, values, static)
            else:
                backend = backend_of(*values) if kind is None else BACKENDS[kind]
                if constants:
                    values = [v if type(v) is kind else backend.constant(v) for v in values]
                out = self.forward(backend.xp, *values, **static) if static else self.forward(backend.xp, *values)
                if type(out) is not backend.array_type and not self.crosses:
                    out = backend.asarray(out)  # NumPy returns a scalar in place of a 0-d array
        except TypeError as error:
            if self.on_complex is None and not isinstance(error, BatchError) and any(map(is_complex, values)):
                raise refusal(self.name) from error
            raise
        except (ValueError, IndexError) as error:
            from autodrill.engine.core.array_errors import explained

            ours = explained(self, values, static, error)
            if ours is error:
                raise
            raise ours from error
        plans = self._plans
        dtype = out.dtype
        # The identity tests spare the most common dtypes the comparison of kinds.
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
            plan = plans.get(mask | bit)  # the bit above those of the inputs encodes their number
            if plan is None:
                plan = plans[mask | bit] = self._plan(mask, len(args), conjugated=plans is self._conjugated)
            if wrapper is not None and type(out) in WRAPPERS and self.vmap_rule != "levels":
                plan = wrapper.plan(plan, values, out)
            saved = []
            for k in plan.inputs:
                saved.append(values[k])  # noqa: PERF401 - on Python 3.11 a comprehension is a function call
            if plan.saves_out:
                saved.append(out)
            for name in plan.extras:
                saved.append(self.lookup(name, values, static))  # noqa: PERF401 - as above
            result.node = Node(self, plan, parents, saved, out.shape, dtype)
        if carries and mode.push is not None:
            mode.push(self, args, static, result)
        if self.view:
            track(self, args[0], static, result)
        if mode.observers:
            for observe in mode.observers:
                observe(self, args, result)
        return result

    def record(self, args: tuple[Any, ...], static: dict[str, Any], out: Array) -> Tensor:
        """Return the array `out` as the recorded result of a call, without running the forward.

        Use it for a result that is in memory already.
        """
        result = wrap(out)
        tracked = [k for k, a in enumerate(args) if type(a) is Tensor and a.node is not None]
        if tracked and mode.grad_enabled:
            conjugated = is_complex(out) and self._plans_of_complex() is self._conjugated
            plan = self._plan(sum(1 << k for k in tracked), len(args), conjugated=conjugated)
            saved = [raw(args[k]) for k in plan.inputs] + ([out] if plan.saves_out else [])
            saved += [self.lookup(name, args, static) for name in plan.extras]
            if type(out) in WRAPPERS:
                plan = WRAPPERS[type(out)].plan(plan, [raw(a) for a in args], out)
            result.node = Node(self, plan, [args[k].node for k in tracked], saved, out.shape, out.dtype)
        if mode.push is not None:
            mode.push(self, args, static, result)
        for observe in mode.observers:
            observe(self, args, result)
        return result

    def reflected(self, y: Tensor, x: Any) -> Tensor:
        """Apply a binary operation to `(x, y)`, for the reflected operators: in `x - y` only `y` is a Tensor."""
        result: Tensor = self(x, y)
        return result

    def _static_tensor(self, static: dict[str, Any]) -> TypeError:
        """Return the error about a Tensor as a static parameter, whose gradient would silently be lost."""
        name = next(name for name, value in static.items() if type(value) is Tensor)
        return TypeError(
            f"`{self.name}` got a Tensor for `{name}`, which is not differentiated: a gradient with respect to it "
            f"would be missing; pass a plain value, for example `{name}.item()`"
        )

    def _bind(self, args: tuple[Any, ...], static: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Split positional and keyword arguments into inputs and static values."""
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
                raise TypeError(f"`{self.name}` is missing its argument `{name}`")
            inputs.append(static.pop(name))
        for name, value in zip(names, extra, strict=False):
            if name in static:
                raise TypeError(f"`{self.name}` got two values for `{name}`")
            static[name] = value
        return tuple(inputs), static


def _met(kind: type, data: Any, args: tuple[Any, ...]) -> type:
    """Return the class that arrays of two different classes are treated as: the wrapper, if one of them is one."""
    for candidate in (kind, type(data)):
        if candidate in WRAPPERS:
            return candidate
    first = next(raw(a) for a in args if type(raw(a)) is kind)
    raise DeviceError(mixed_devices(device_name(first), device_name(data)))


@overload
def primitive(forward: Callable[..., Array], /) -> Primitive: ...
@overload
def primitive(
    *, broadcasts: bool = False, view: bool = False, on_complex: ComplexKind | None = None, integers: bool = False
) -> Callable[[Callable[..., Array]], Primitive]: ...
def primitive(
    forward: Callable[..., Array] | None = None,
    /,
    *,
    broadcasts: bool = False,
    view: bool = False,
    on_complex: ComplexKind | None = None,
    integers: bool = False,
) -> Primitive | Callable[[Callable[..., Array]], Primitive]:
    """Make a primitive of a forward, `forward(xp, *inputs, **static)`, and register it.

    Args:
        forward: The computation on raw arrays of the library `xp`.
        broadcasts: The inputs broadcast against each other: the engine sums cotangents back to the inputs' shapes.
        view: The result may share memory with the first input.
        on_complex: What the VJP rules compute for complex numbers; see `Declaration`.
        integers: Whether the result for integers is integers.

    Raises:
        RuleError: The name is taken.
    """

    def declare(function: Callable[..., Array]) -> Primitive:
        made = Primitive(function, broadcasts=broadcasts, view=view, on_complex=on_complex, integers=integers)
        if made.name in registry:
            raise RuleError(f"there is already a primitive called `{made.name}`")
        registry[made.name] = made
        return made

    return declare if forward is None else declare(forward)


def check_registry() -> None:
    """Check that every primitive declared so far has VJP and JVP rules.

    Raises:
        RuleError: Rules are missing; the message names all of them.
    """
    problems = []
    for name, entry in registry.items():
        if set(entry.vjps) != set(entry.inputs):
            problems.append(f"`{name}` has no vjp rules")
        if entry.jvp_rule is None:
            problems.append(f"`{name}` has no jvp rule")
    if problems:
        raise RuleError("; ".join(problems))


def respelled(name: str, keywords: dict[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return keyword arguments with NumPy's names in place of PyTorch's.

    Args:
        name: The operation, for messages.
        keywords: The keyword arguments of a call.
        known: The names of the operation's parameters.

    Raises:
        TypeError: A parameter is given under both names, or the operation does not have it.
    """
    result = dict(keywords)
    for theirs, ours in _OURS.items():
        if theirs in result:
            if ours not in known:
                raise TypeError(f"`{name}` has no parameter `{theirs}`, and none called `{ours}` either")
            if ours in result:
                raise TypeError(f"`{name}` got both `{theirs}` and `{ours}`, two names of one parameter; give one")
            result[ours] = result.pop(theirs)
    return result


def with_spellings(operation: Any) -> Any:
    """Return a composition that accepts PyTorch's names too, and runs on the device of its arrays.

    A primitive does both itself.
    """
    if type(operation) is not FunctionType:
        return operation
    code = operation.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    spelled = not {"axis", "keepdims"}.isdisjoint(known)

    @functools.wraps(operation)
    def call(*args: Any, **keywords: Any) -> Any:
        if spelled and keywords and ("dim" in keywords or "keepdim" in keywords):
            keywords = respelled(operation.__name__, keywords, known)
        if len(BACKENDS) == 1:
            return operation(*args, **keywords)
        before = on_device_of([raw(part) for a in args for part in (a if type(a) in {list, tuple} else (a,))])
        try:
            return operation(*args, **keywords)
        finally:
            return_to(before)

    return call
