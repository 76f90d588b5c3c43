"""The backward pass: one walk through the recorded graph, from outputs to inputs, in reverse topological order."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.aliasing import call_site, clock, record_write
from autodrill.engine.core.backend import (
    BACKENDS,
    WRAPPERS,
    BatchError,
    DeviceError,
    backend_of,
    device_name,
    memory,
    mixed_devices,
)
from autodrill.engine.core.complex_convention import cast
from autodrill.engine.core.devices import call_on_device_of, current_devices, on_device_of, return_to
from autodrill.engine.core.mode import mode
from autodrill.engine.core.node import CustomNode, GraphNode, Leaf, Node, answered, leading_to, watched
from autodrill.engine.core.pytree import LEAF, flatten
from autodrill.engine.core.saved_values import check_unwritten, freed, unpack
from autodrill.engine.core.tensor import Tensor, live_tangents, raw, wrap
from autodrill.engine.ops.shape import unbroadcast

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from autodrill.engine.core.node import Watch
    from autodrill.engine.core.pytree import Structure

__all__ = ["backward", "grad", "topological_order"]


def topological_order(roots: Iterable[GraphNode]) -> list[GraphNode]:
    """Return every node that `roots` depend on, and they themselves, each after all of its parents.

    A depth-first search with a stack of its own: a chain of a million operations must not recurse.
    """
    order: list[GraphNode] = []
    seen: set[GraphNode] = set()
    stack: list[GraphNode | None] = list(roots)
    while stack:
        node = stack.pop()
        if node is None:  # the marker: everything the node below it depends on is in the order
            done = stack.pop()
            assert done is not None
            order.append(done)
        elif node not in seen:
            seen.add(node)
            stack.append(node)
            stack.append(None)
            stack.extend(node.parents)
    return order


def backward(
    outputs: Tensor | Sequence[Tensor],
    gradients: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Sequence[Tensor] | Tensor | None = None,
) -> None:
    """Accumulate the gradient of `outputs` into the `.grad` of leaves; see `Tensor.backward`.

    Args:
        outputs: The tensors to differentiate; if there are several, the sum of their products with `gradients`.
        gradients: The cotangents of the outputs, one for each.
        retain_graph: Keep saved values for another backward; by default `create_graph`.
        create_graph: Record the backward itself, with a warning: the gradient of a leaf then leads back to the leaf.
        inputs: Accumulate into these tensors only.

    Raises:
        RuntimeError: An output does not require grad, a cotangent is missing or its shape differs from the output's,
            or an earlier backward freed the saved values.
        TypeError: An output is no Tensor.

    Example:
        >>> x = engine.Tensor(3.0, requires_grad=True)
        >>> engine.backward([x * x, 5 * x])
        >>> x.grad.item()
        11.0
    """
    if create_graph:
        place = call_site()
        warnings.warn_explicit(
            "backward(create_graph=True) makes a cycle of each leaf and its `.grad`, whose graph leads back to the "
            "leaf; that graph stays in memory until Python collects cycles. Use `grad(output, inputs, "
            "create_graph=True)`, or set `.grad` to None after use",
            UserWarning,
            place.filename,
            place.line,
        )
    roots, seeds = _seeds(outputs, gradients, create_graph)
    wanted = None if inputs is None else _nodes_of(inputs)[0]
    _run(roots, seeds, create_graph=create_graph, retain_graph=retain_graph, wanted=wanted, captured=None)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
) -> Any:
    """Return the gradient of `outputs` with respect to each of `inputs`, and change no `.grad`.

    This is `torch.autograd.grad`, for tensors; `grad_of(f)` differentiates a function.

    Args:
        outputs: A Tensor or a container of Tensors; if there are several, the sum of their products with `grad_outputs`
            is differentiated.
        inputs: A leaf, a result of a recorded operation, or a container of them.
        grad_outputs: The cotangents of the outputs, a container like them; by default 1, for outputs of one element.
        retain_graph: Keep saved values for another backward; by default `create_graph`.
        create_graph: Record the backward itself, so that the gradients can be differentiated.
        allow_unused: Return None for an input the outputs do not depend on, instead of raising.

    Returns:
        One gradient for each input, of its shape and dtype, in a container like `inputs`; a tuple if `inputs` is one
        Tensor or a list.

    Raises:
        RuntimeError: An input does not require grad or is not used, a cotangent is missing or its shape differs from
            the output's, or an earlier backward freed the saved values.
        TypeError: `outputs` is a function, or a leaf is no Tensor.
        ValueError: There are no inputs.

    Example:
        >>> x = engine.Tensor(3.0, requires_grad=True)
        >>> (dx,) = engine.grad(x * x, x)
        >>> dx.item()
        6.0
    """
    if callable(outputs):
        raise TypeError("grad(outputs, inputs) takes tensors; for a function use grad_of(f)")
    roots, seeds = _seeds(outputs, grad_outputs, create_graph)
    wanted, structure = _nodes_of(inputs)
    captured: dict[GraphNode, Any] = {}
    _run(roots, seeds, create_graph=create_graph, retain_graph=retain_graph, wanted=wanted, captured=captured)
    results: list[Tensor | None] = []
    for index, node in enumerate(wanted):
        g = captured.get(node)
        if g is None and not allow_unused:
            raise RuntimeError(
                f"{_name(structure, 'input', index)} was not used to compute the outputs, so it has no gradient; "
                "pass `allow_unused=True` to get None for it"
            )
        results.append(None if g is None else _as_tensor(g))
    found = structure.unflatten(results)
    return (found,) if type(inputs) is Tensor else tuple(found) if type(inputs) is list else found


def _name(structure: Structure, what: str, index: int) -> str:
    """Return the name of an input or output for messages: its number, or its path in a nested container."""
    flat = all(part is LEAF for part in structure.parts) and structure.kind in {object, tuple, list}
    return f"{what} {index}" if flat else f"`{structure.paths(f'{what}s')[index]}`"


def _nodes_of(inputs: Any) -> tuple[list[GraphNode], Structure]:
    nodes: list[GraphNode] = []
    leaves, structure = flatten(inputs)
    for index, tensor in enumerate(leaves):
        if type(tensor) is not Tensor:
            raise TypeError(f"{_name(structure, 'input', index)} is a `{type(tensor).__name__}`, not a Tensor")
        if tensor.node is None:
            raise RuntimeError(
                f"{_name(structure, 'input', index)} does not require grad; call `.requires_grad_()` on it before "
                "computing"
            )
        nodes.append(tensor.node)
    if not nodes:
        raise ValueError("`inputs` is empty, but at least one is needed to differentiate with respect to")
    return nodes, structure


def _seeds(outputs: Any, gradients: Any, create_graph: bool) -> tuple[list[GraphNode], list[Any]]:
    """Return the outputs' nodes and cotangents; the latter are the caller's arrays, which `_run` does not modify."""
    tensors, structure = flatten(outputs)
    matched = structure.match(gradients, "gradients", none=True)
    roots: list[GraphNode] = []
    seeds: list[Any] = []
    for index, (tensor, gradient) in enumerate(zip(tensors, matched, strict=True)):
        if type(tensor) is not Tensor:
            raise TypeError(f"{_name(structure, 'output', index)} is a `{type(tensor).__name__}`, not a Tensor")
        if tensor.node is None:
            raise RuntimeError(
                f"{_name(structure, 'output', index)} does not require grad: no tensor it was computed from "
                "requires grad, or it was computed under `no_grad()` or detached"
            )
        roots.append(tensor.node)
        given = (tensor, gradient, create_graph)
        several = len(BACKENDS) > 1
        seeds.append(call_on_device_of((tensor.data, raw(gradient)), _seed, *given) if several else _seed(*given))
    return roots, seeds


def _seed(tensor: Tensor, gradient: Any, create_graph: bool) -> Any:
    data = tensor.data
    xp = tensor.backend.xp
    if gradient is None:
        if data.size != 1:
            raise RuntimeError(
                f"only an output of one element has a default gradient, but this one has shape {tensor.shape}; reduce "
                "it first, for example with `.sum()`, or pass the `gradient` (its cotangent)"
            )
        if data.dtype.kind == "c":
            raise RuntimeError(
                f"only a real output has a default gradient, but this one is `{data.dtype}`; differentiate a real "
                "function of it, such as `.real` or `abs(...) ** 2`, or pass the `gradient` (its cotangent)"
            )
        ones = xp.ones_like(data)
        return wrap(ones) if create_graph else ones
    value = raw(gradient)
    if type(data) in WRAPPERS or type(value) in WRAPPERS:
        return _examples_seed(tensor, gradient, create_graph)
    if not hasattr(value, "dtype"):
        value = xp.asarray(value)
    if type(value) is not type(data):
        if not hasattr(value, "shape"):
            raise TypeError(f"the gradient is a `{type(gradient).__name__}`, not a tensor or an array")
        if value.shape == () and type(data) is xp.ndarray:
            value = xp.asarray(value)
        else:
            raise DeviceError(mixed_devices(device_name(data), device_name(value)))
    if value.shape != data.shape:
        raise RuntimeError(f"the gradient has shape {value.shape} but the output has shape {tensor.shape}")
    if value.dtype.kind == "c" and data.dtype.kind != "c":
        raise RuntimeError(
            f"the gradient is `{value.dtype}` but the output is real (`{data.dtype}`); pass its real part"
        )
    if type(gradient) is Tensor and (create_graph or live_tangents(gradient)):
        return gradient if gradient.data.dtype == data.dtype else gradient.astype(data.dtype)
    value = xp.asarray(value, dtype=data.dtype)
    return wrap(value) if create_graph else value


def _examples_seed(tensor: Tensor, gradient: Any, create_graph: bool) -> Any:
    """Return the cotangent of an output under `vmap`, with the examples of both the output and the given one."""
    from autodrill.engine.transforms.batched_array import levels_of
    from autodrill.engine.transforms.vmap_boundary import lift

    data, value = tensor.data, raw(gradient)
    if not hasattr(value, "dtype"):
        value = gradient = backend_of(data).xp.asarray(value)
    if value.shape != data.shape:
        raise RuntimeError(f"the gradient has shape {value.shape} but the output has shape {tensor.shape}")
    missing = tuple(level for level in levels_of(data) if level not in levels_of(value))
    lifted = lift(gradient, levels=missing) if missing else gradient
    if raw(lifted).dtype != data.dtype:
        lifted = lifted.astype(data.dtype)
    recorded = type(gradient) is Tensor and (create_graph or live_tangents(gradient))
    return lifted if recorded else wrap(raw(lifted)) if create_graph else raw(lifted)


@np.errstate(all="ignore")  # an infinite gradient is a value, not worth a warning; `detect_anomaly` looks for NaN
def _run(
    roots: list[GraphNode],
    seeds: list[Any],
    *,
    create_graph: bool,
    retain_graph: bool | None,
    wanted: list[GraphNode] | None,
    captured: dict[GraphNode, Any] | None,
) -> None:
    """Propagate cotangents from `roots`.

    The first contribution to a node's cotangent may be a view or shared with another node. From the second on,
    contributions are added in place to a buffer that belongs to this node alone.

    Args:
        roots: The outputs' nodes.
        seeds: Their cotangents, raw arrays, or Tensors when `create_graph`.
        create_graph: Run the rules on Tensors and record them.
        retain_graph: Keep saved values; by default `create_graph`.
        wanted: The nodes whose cotangents to compute; None for all leaves.
        captured: Receives the cotangents of `wanted`; None to add them to `.grad`.
    """
    keep = create_graph if retain_graph is None else retain_graph
    order = topological_order(roots)
    targets = frozenset(wanted or ())
    needed = None if wanted is None else leading_to(targets, order)
    cotangents: dict[GraphNode, Any] = {}
    owned: set[GraphNode] = set()
    check = mode.check_gradient
    several = len(BACKENDS) > 1
    devices = current_devices() if several else []
    previous = mode.grad_enabled
    mode.grad_enabled = create_graph
    try:
        for root, seed in zip(roots, seeds, strict=True):
            cotangents[root] = cotangents[root] + seed if root in cotangents else seed
        for node in reversed(order):
            g = cotangents.pop(node, None)
            if g is None:
                continue
            if several:
                on_device_of((raw(g),))
            is_leaf = type(node) is Leaf
            watch = node.watch
            if watch is not None:
                for hook in tuple(watch.hooks.values()):
                    g = hook(g)
                owned.discard(node)  # a hook may hold a reference
            if is_leaf if needed is None else node in targets:
                if captured is None:
                    _deposit(node, g, owned=node in owned)
                    if watch is not None:
                        for call in tuple(watch.accumulated.values()):
                            call()
                else:
                    captured[node] = g if node in owned else _own(g)
            if is_leaf or (needed is not None and needed.isdisjoint(node.parents)):
                continue
            if TYPE_CHECKING:
                assert isinstance(node, Node)
            if watch is not None:
                if watch.retains and node not in targets:
                    _deposit(node, g, owned=False)
                for hook in tuple(watch.prehooks.values()):
                    g = hook(g)
            saved = node.saved
            if saved is None:
                raise RuntimeError(freed(node))
            if node.time != clock.now:
                check_unwritten(node)
            steps: Any = node.plan.steps
            if create_graph or type(node) is not Node:
                if isinstance(node, CustomNode):
                    steps = node.steps(g, create_graph)
                else:
                    saved = unpack(node, create_graph=create_graph)
            if watch is not None and watch.posthooks:
                steps = _through_posthooks(watch, node, steps, g, saved)
            plain = check is None and steps is node.plan.steps and type(node) is Node and not create_graph
            add_cotangent = node.primitive.add_cotangent if plain else None
            for index, rule, pick in steps:
                parent = node.parents[index]
                if needed is not None and parent not in needed:
                    continue
                sofar: Any = cotangents.get(parent)
                if add_cotangent is not None and type(sofar) in BACKENDS and isinstance(g, (type(sofar), np.generic)):
                    if parent not in owned:
                        cotangents[parent] = sofar = sofar.copy()
                        owned.add(parent)
                    add_cotangent(sofar, g, *pick(saved))
                    continue
                if pick is None:
                    gi = rule(g)
                elif isinstance(pick, int):
                    gi = rule(g, saved[pick])
                else:
                    gi = rule(g, *pick(saved))
                if several:
                    on_device_of((raw(gi),))  # after a move to another device
                if check is not None:
                    check(node, index, gi, g, order)
                if gi.shape != parent.shape:
                    gi = unbroadcast(gi, parent.shape)
                if gi.dtype is not parent.dtype and gi.dtype != parent.dtype:
                    gi = cast(gi, parent.dtype)
                if sofar is None:
                    cotangents[parent] = gi
                    # Neither `g` itself nor a view, so no copy is needed to keep it.
                    if gi is not g and (type(parent) is Leaf or parent in targets) and _stands_alone(gi):
                        owned.add(parent)
                elif parent in owned and type(gi) in BACKENDS and type(sofar) is type(gi):
                    sofar += gi
                else:
                    cotangents[parent] = total = sofar + gi
                    if type(total) in BACKENDS:
                        owned.add(parent)
                    else:
                        owned.discard(parent)
            if not keep and node.plan.saves_arrays:
                node.saved = None
    finally:
        mode.grad_enabled = previous
        for before in devices:
            return_to(before)


def _through_posthooks(watch: Watch, node: Node, steps: Any, g: Any, saved: Any) -> Any:
    """Run a node's rules and pass the gradients through its hooks; return steps that give the results."""
    found: list[Any] = [None] * len(node.parents)
    for index, rule, pick in steps:
        arguments = () if pick is None else (saved[pick],) if isinstance(pick, int) else pick(saved)
        found[index] = unbroadcast(rule(g, *arguments), node.parents[index].shape)
    for hook in tuple(watch.posthooks.values()):
        found = hook(found, g)
    return answered(found)


def _stands_alone(g: Any) -> bool:
    """Whether `g` is a raw array that owns its memory and has at least one axis."""
    array = memory(g)
    return type(g) is not Tensor and getattr(array, "base", array) is None and g.shape != ()


def _own(g: Any) -> Any:
    """Return a copy of a cotangent."""
    return g.clone() if type(g) is Tensor else g.copy()


def _as_tensor(g: Any) -> Tensor:
    """Return a cotangent as a dense Tensor, without tangents of closed forward-mode levels."""
    if _is_sparse(g):
        dense: Tensor = g.as_tensor()
        return dense
    if type(g) is Tensor:
        return g if g.tangents is None else wrap(g.data, g.node, live_tangents(g))
    return wrap(backend_of(g).xp.asarray(g))


def _is_sparse(g: Any) -> bool:
    """Whether a gradient is an `IndexedSlices`, whose module is imported on first use only."""
    return hasattr(g, "coalesced")


def _deposit(node: GraphNode, g: Any, *, owned: bool) -> None:
    """Add a complete cotangent to `.grad`: in place, unless a gradient is itself part of a graph."""
    if mode.vmaps and type(raw(g)) in WRAPPERS:
        raise BatchError(
            "`backward()` under `vmap` would add the gradients of many examples to one `.grad`; use "
            "`grad(outputs, inputs)` or `grad_of(f)` instead"
        )
    if isinstance(node, Node):
        watched(node).retains = True
    holder = node if isinstance(node, Leaf) else watched(node)
    before: Any = holder.grad
    if isinstance(holder, Leaf) and _is_sparse(g) and (before is None or _is_sparse(before)):
        holder.grad = g.copy() if before is None else before + g
        return
    if _is_sparse(before):
        holder.grad = before = before.as_tensor()
    if _is_sparse(g):
        g = g.dense()
    if before is None:
        holder.grad = _as_tensor(g if owned else _own(g))
    elif type(g) is Tensor or before.node is not None:
        holder.grad = before + g
    else:
        before.data += g
        record_write(before.data, "backward")
