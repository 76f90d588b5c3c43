"""Custom operations: a forward and its derivatives, written as the methods of a `Function`."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.aliasing import record_write, version
from autodrill.engine.core.mode import mode, no_grad
from autodrill.engine.core.node import CustomNode, Leaf
from autodrill.engine.core.tensor import Tensor, live_tangents, wrap
from autodrill.engine.ops.shape import unbroadcast
from autodrill.engine.reverse.context import Bundle, Context, Saved, error_node, output_node
from autodrill.engine.reverse.hooks import shown
from autodrill.engine.reverse.inplace import settle
from autodrill.engine.transforms.batched_array import levels_of
from autodrill.engine.transforms.forward_mode import below
from autodrill.engine.transforms.vmap_boundary import lift, summed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Function", "once_differentiable"]


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a `backward` that cannot be differentiated, so that a second derivative raises an error.

    Args:
        backward: The `backward` of a `Function`.

    Returns:
        The `backward` to use instead. Its gradients are outside the graph.

    Raises:
        RuntimeError: The gradients are differentiated.

    Source: as `torch.autograd.function.once_differentiable`.

    Example:
        >>> class Square(engine.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x
        ...     @staticmethod
        ...     @engine.once_differentiable
        ...     def backward(ctx, g):
        ...         (x,) = ctx.saved_tensors
        ...         return 2 * x * g
        >>> engine.grad_of(Square.apply)(3.0).item()
        6.0
    """

    @functools.wraps(backward)
    def call(ctx: Context, *gradients: Any) -> Any:
        recording = mode.grad_enabled
        with no_grad():
            found = backward(ctx, *gradients)
        if not recording:
            return found
        reason = f"its `{backward.__name__}` is `once_differentiable`"
        results = found if isinstance(found, tuple) else (found,)
        return tuple(wrap(g.data, error_node(ctx.node, reason, g)) if type(g) is Tensor else g for g in results)

    return call


class Function:
    """A custom operation with its own derivative; subclass it and call `apply`.

    `forward(ctx, *args)` computes a Tensor or a tuple of Tensors, outside the graph, and saves on `ctx` what backward
    needs. Alternatively `forward(*args)` computes and `setup_context(ctx, inputs, output)` saves. `backward(ctx,
    *gradients)` receives the cotangent of each output and returns a gradient, or None, for each argument of forward.
    `jvp(ctx, *tangents)`, for forward mode, returns a tangent for each output. With `create_graph` the operations of
    backward are recorded. Under `vmap` each method is called once, on tensors that stand for many examples, so it must
    use the engine's operations: a conversion to NumPy raises `BatchError`.

    Raises:
        NotImplementedError: A mode of differentiation reaches a Function without the method for it.
        RuntimeError: `backward` returns another number of gradients than forward has arguments, or a gradient or a
            tangent has another shape than its argument or output.
        TypeError: The arguments of `apply` do not fit those of `forward`.

    Source: as `torch.autograd.Function`.

    Example:
        >>> class Twice(engine.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return 2 * x
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         return 2 * g
        >>> engine.grad_of(Twice.apply)(5.0).item()
        2.0
    """

    @staticmethod
    def forward(*args: Any) -> Any:
        """Compute the result; see the class."""
        raise NotImplementedError("a Function needs a `forward`")

    @staticmethod
    def setup_context(ctx: Context, inputs: tuple[Any, ...], output: Any) -> None:
        """Save values for backward, if `forward` does not take the context itself; see the class."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Compute the gradients of the inputs; see the class."""
        raise NotImplementedError("backward reached a Function that defines no `backward`")

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """Compute the tangents of the outputs; see the class."""
        raise NotImplementedError("forward mode reached a Function that defines no `jvp`")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Apply the operation and record it; arguments may be named as in `forward`.

        Raises:
            TypeError: `forward` has no argument of that name, or a required argument is missing.
            RuntimeError: An input marked dirty is a leaf that requires grad.
        """
        if kwargs:
            args = _in_order(cls, args, kwargs)
        tracked = [k for k, a in enumerate(args) if mode.grad_enabled and type(a) is Tensor and a.node is not None]
        ctx = Context(tuple(k in tracked for k in range(len(args))))
        given = [_bare(a) for a in args]
        versions = [version(a.data) if type(a) is Tensor else 0 for a in args]
        with no_grad():
            if cls.setup_context is Function.setup_context:
                output = cls.forward(ctx, *given)
            else:
                output = cls.forward(*given)
                cls.setup_context(ctx, tuple(given), output)
        outputs = _alike(list(output) if isinstance(output, tuple) else [output])
        saved = Saved(ctx, args, given, outputs, [args[k].node for k in tracked])
        results = [_fresh(o) for o in outputs]
        if tracked:
            _connect(cls, ctx, saved, results)
        _push(cls, ctx, saved, results)
        for k, (out, result) in enumerate(zip(outputs, results, strict=True)):
            if any(out is x for x in ctx.dirty):
                place = next(i for i, x in enumerate(given) if x is out)
                results[k] = _written(cls, args[place], result, versions[place])
        ctx.dirty = ctx.constant = ()
        return tuple(results) if isinstance(output, tuple) else results[0]


def _in_order(cls: type[Function], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return positional and named arguments in the order of forward's parameters, with defaults filled in."""
    signature = inspect.signature(cls.forward)
    if cls.setup_context is Function.setup_context:
        signature = signature.replace(parameters=list(signature.parameters.values())[1:])
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"`{cls.__name__}.apply`: {error}; `forward` takes `{signature}`") from None
    bound.apply_defaults()
    if bound.kwargs:
        raise TypeError(
            f"`{cls.__name__}.forward` has keyword-only arguments, for which `backward` has no place: "
            f"{', '.join(f'`{name}`' for name in bound.kwargs)}; make them positional"
        )
    return bound.args


def _alike(outputs: list[Any]) -> list[Any]:
    """Give all outputs the same examples under `vmap`: backward receives their cotangents together."""
    levels = levels_of(*(o.data for o in outputs if type(o) is Tensor))
    for k, out in enumerate(outputs):
        missing = tuple(x for x in levels if type(out) is Tensor and x not in levels_of(out.data))
        if missing:
            outputs[k] = wrap(lift(out.data, levels=missing))
    return outputs


def _bare(value: Any) -> Any:
    """Return a Tensor without forward-mode tangents, which `jvp` handles separately."""
    return wrap(value.data, value.node) if type(value) is Tensor and value.tangents is not None else value


def _fresh(out: Any) -> Any:
    # A new Tensor: if forward kept its own one on `ctx`, the graph would contain a cycle.
    return wrap(out.data) if type(out) is Tensor else out


def _written(cls: type[Function], target: Tensor, result: Tensor, before: int) -> Tensor:
    """Return an input that forward modified in place as the result."""
    if isinstance(target.node, Leaf) and mode.grad_enabled:
        raise RuntimeError(
            f"`{cls.__name__}` modified a leaf that requires grad and marked it dirty; pass a `.clone()`"
        )
    if version(target.data) == before:
        record_write(target.data, cls.__name__)
    settle(target, result)
    return target


def _connect(cls: type[Function], ctx: Context, saved: Saved, results: list[Any]) -> None:
    """Record the call: one node and, if there are several outputs, another node for each of them."""
    shapes = [(r.data.shape, r.data.dtype) if type(r) is Tensor else None for r in results]

    def pull(node: CustomNode, g: Any, create_graph: bool) -> list[Any]:
        given = g.parts if type(g) is Bundle else {next(iter(places), 0): g}
        cotangents: list[Tensor | None] = []
        for k, shape in enumerate(shapes):
            if k in given:
                cotangents.append(shown(given[k]))
            else:
                cotangents.append(saved.zeros(*shape) if ctx.materialize and shape is not None else None)
        with ctx.reached(node, saved.unpacked(node, create_graph=create_graph)):
            found = cls.backward(ctx, *cotangents)
        gradients = _checked(cls, found, saved, create_graph)
        return [g if g is None else summed(g, levels) for g, levels in zip(gradients, shared, strict=True)]

    there = levels_of(*(r.data for r in results if type(r) is Tensor))
    shared = [[x for x in there if x not in levels_of(saved.args[k].data)] for k in saved.tracked]
    places = [
        k
        for k, r in enumerate(results)
        if type(r) is Tensor and r.data.dtype.kind in "fc" and not any(saved.outputs[k] is x for x in ctx.constant)
    ]
    if not places:
        return
    shape, dtype = ((), None) if len(places) > 1 else (results[places[0]].data.shape, results[places[0]].data.dtype)
    node = CustomNode(cls.__name__, saved.parents, saved.arrays(), shape, dtype, pull)
    for k in places:
        results[k].node = node if len(places) == 1 else output_node(node, k, results[k].data)


def _checked(cls: type[Function], found: Any, saved: Saved, create_graph: bool) -> list[Any]:
    """Return the gradients of the inputs that require grad; refuse malformed ones."""
    answers = list(found) if isinstance(found, (tuple, list)) else [found]
    count = len(saved.tensor)
    while len(answers) > count and answers[-1] is None:
        answers.pop()
    if len(answers) != count:
        raise RuntimeError(
            f"`{cls.__name__}.backward` returned {len(answers)} gradients, but `forward` took {count} arguments; "
            "return one gradient for each, in their order, or None"
        )
    gradients: list[Any] = []
    for k, (g, is_tensor) in enumerate(zip(answers, saved.tensor, strict=True)):
        if g is not None and not is_tensor:
            raise RuntimeError(f"`{cls.__name__}.backward` returned a gradient for argument {k}, which is not a Tensor")
        if k not in saved.tracked:
            continue
        parent = saved.parents[saved.tracked.index(k)]
        if g is not None:
            if type(g) is not Tensor:
                raise TypeError(f"`{cls.__name__}.backward` returned a `{type(g).__name__}` for argument {k}")
            if not _fits(g.data.shape, parent.shape):
                raise RuntimeError(
                    f"`{cls.__name__}.backward` returned a gradient of shape {g.data.shape} for argument {k}, which "
                    f"has shape {parent.shape}"
                )
            own = g if create_graph or live_tangents(g) else g.data.copy()
            g = unbroadcast(own, parent.shape)  # noqa: PLW2901 - the same gradient in the input's shape
        gradients.append(g)
    return gradients


def _fits(shape: Sequence[int], onto: Sequence[int]) -> bool:
    """Whether `onto` broadcasts to `shape`, so that a gradient of that shape can be summed back."""
    tail = list(shape)[len(shape) - len(onto) :]
    return len(shape) >= len(onto) and all(n in (1, m) for n, m in zip(onto, tail, strict=True))


def _push(cls: type[Function], ctx: Context, saved: Saved, results: list[Any]) -> None:
    """Set the tangents of the results from those of the inputs."""
    args = saved.args
    levels = sorted({k for a in args if type(a) is Tensor for k in live_tangents(a) or ()})
    for level in levels:
        tangents: list[Any] = []
        for a in args:
            t = a.tangents.get(level) if type(a) is Tensor and a.tangents else None
            if t is None and type(a) is Tensor and ctx.materialize and a.data.dtype.kind in "fc":
                t = saved.zeros(a.data.shape, a.data.dtype)
            tangents.append(t)
        primals = [below(a, level) if type(a) is Tensor else a for a in args]
        with ctx.reached(None, saved.of(primals, results)):
            pushed = cls.jvp(ctx, *tangents)
        for result, t in zip(results, pushed if isinstance(pushed, tuple) else (pushed,), strict=True):
            if type(result) is Tensor and t is not None:
                if t.shape != result.shape:
                    raise RuntimeError(
                        f"`{cls.__name__}.jvp` returned a tangent of shape {t.shape} for an output of "
                        f"shape {result.shape}"
                    )
                result.tangents = {**(result.tangents or {}), level: t}
    saved.forget(results)
