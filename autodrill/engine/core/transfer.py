"""The move of a tensor to another device, which backward passes through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import device_name
from autodrill.engine.core.devices import full_name, moved
from autodrill.engine.core.primitive import Primitive
from autodrill.engine.core.pytree import flatten
from autodrill.engine.core.tensor import raw

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.engine.core.backend import Array, Namespace

__all__ = ["on_host", "transferred"]


def _transfer(xp: Namespace, x: Array, *, target: str, source: str) -> Array:  # noqa: ARG001 - a primitive's signature
    """Return x on the device `target`; its cotangent goes back to `source`."""
    return moved(x, target)


transfer = Primitive(_transfer, on_complex="adjoint")
transfer.vjp(x=lambda g, target, source: transfer(g, target=source, source=target))
transfer.jvp(lambda dx, target, source: transfer(dx, target=target, source=source))
transfer.vmap("levels")
transfer.crosses = True


def transferred(x: Any, name: str) -> Any:
    """Return a Tensor on the named device: itself if it is there, otherwise a copy that backward passes through.

    Raises:
        DeviceError: There is no such device.
    """
    source, target = device_name(raw(x)), full_name(name)
    return x if source == target else transfer(x, target=target, source=source)


def on_host(f: Callable[..., Any], inputs: Sequence[Any]) -> tuple[Callable[..., Any], list[Any]]:
    """Return a function and inputs on the CPU, for a function of inputs that may be on other devices.

    The function moves its inputs to their devices, and its results back. The moves are differentiable.
    """
    places = [device_name(raw(x)) for x in inputs]
    if set(places) <= {"cpu"}:
        return f, list(inputs)

    def moving(*values: Any) -> Any:
        given = [transferred(value, place) for value, place in zip(values, places, strict=True)]
        leaves, structure = flatten(f(*given))
        return structure.unflatten([transferred(leaf, "cpu") for leaf in leaves])

    return moving, [transferred(x, "cpu") for x in inputs]
