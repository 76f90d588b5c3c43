"""Devices: which one an operation runs on, and moving arrays between them.

An operation runs on the device of its arrays, whatever the current one is, in the current stream of that device. Its
arrays must be on one device. On the CPU none of this costs anything: it begins when a second backend is registered.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import (
    BACKENDS,
    NUMPY,
    Backend,
    DeviceError,
    backend_named,
    backend_of,
    device_name,
    memory,
    mixed_devices,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from autodrill.engine.core.backend import Array, Namespace

__all__ = [
    "call_on_device_of",
    "current_devices",
    "device",
    "find_device",
    "full_name",
    "is_device",
    "moved",
    "on_device_of",
    "return_to",
]


def find_device(name: str) -> tuple[Backend, int | None]:
    """Return the backend and the number of a device; without a number in the name, that of the current device.

    Raises:
        DeviceError: There is no such device.
    """
    backend = backend_named(name)
    kind, separator, digits = name.partition(":")
    if backend.devices is None:
        if separator and digits != "0":
            raise DeviceError(f"no device named `{name}`; there is only one `{kind}`")
        return backend, None
    if not separator:
        return backend, backend.devices.current()
    count = backend.devices.count()
    if not digits.isdecimal() or int(digits) >= count:
        raise DeviceError(f"no device named `{name}`; there are {count} of `{kind}`, counted from 0")
    return backend, int(digits)


def is_device(name: str) -> bool:
    """Return whether a text looks like the name of a device, rather than of a dtype."""
    kind = name.partition(":")[0]
    return kind == "cuda" or any(backend.name == kind for backend in BACKENDS.values())


def full_name(name: str) -> str:
    """Return the name of a device with its number, if it has one: `"cuda"` is the current device's.

    Raises:
        DeviceError: There is no such device.
    """
    backend, number = find_device(name)
    return backend.name if number is None else f"{backend.name}:{number}"


@contextmanager
def device(name: str) -> Iterator[Namespace]:
    """Make a device the current one, on which new arrays are made; the value of `as` is its array library.

    Args:
        name: The device, such as `"cuda:1"`.

    Raises:
        DeviceError: There is no such device.

    Example:
        >>> with engine.device("cpu") as xp:
        ...     xp.__name__
        'numpy'
    """
    backend, number = find_device(name)
    if number is None or backend.devices is None:
        yield backend.xp
        return
    before = backend.devices.current()
    backend.devices.use(number)
    try:
        yield backend.xp
    finally:
        backend.devices.use(before)


def on_device_of(values: Sequence[Any]) -> tuple[Backend, int] | None:
    """Make the device of arrays the current one of their library; return the previous one, or None if it is the same.

    Args:
        values: Raw arrays and other values, which are passed over.

    Raises:
        DeviceError: Two arrays are on different devices of one library.
    """
    backend, number, first = None, None, None
    for value in values:
        array = memory(value)
        found = BACKENDS.get(type(array))
        if found is None or found.devices is None:
            continue
        here = found.devices.number(array)
        if number is None:
            backend, number, first = found, here, array
        elif found is backend and here != number:
            raise DeviceError(mixed_devices(device_name(first), device_name(array)))
    if backend is None or backend.devices is None or number is None:
        return None
    before = backend.devices.current()
    if before == number:
        return None
    backend.devices.use(number)
    return backend, before


def current_devices() -> list[tuple[Backend, int]]:
    """Return the current device of each library that has several, for `return_to`."""
    return [(found, found.devices.current()) for found in BACKENDS.values() if found.devices is not None]


def call_on_device_of(values: Sequence[Any], f: Callable[..., Any], *args: Any) -> Any:
    """Call a function with the device of arrays as the current one."""
    before = on_device_of(values)
    try:
        return f(*args)
    finally:
        return_to(before)


def return_to(before: tuple[Backend, int] | None) -> None:
    """Make the device current again that was current before `on_device_of`."""
    if before is not None:
        backend, number = before
        assert backend.devices is not None
        backend.devices.use(number)


def moved(array: Array, name: str) -> Array:
    """Return a raw array on the named device: itself if it is there, otherwise a copy.

    Raises:
        DeviceError: There is no such device.
    """
    backend, number = find_device(name)
    inside = memory(array)
    source = backend_of(inside)
    if source is backend and (backend.devices is None or backend.devices.number(inside) == number):
        return array
    if backend is NUMPY:
        copied = inside.get()
    elif source is backend:
        copied = _copied_over(backend, inside, name)
    else:
        with device(name) as xp:
            copied = xp.array(inside if source is NUMPY else inside.get())
    return copied if inside is array else type(array)(copied, array.levels)


def _copied_over(backend: Backend, array: Array, name: str) -> Array:
    """Return a copy of an array on another device of the same library.

    The copy waits for what computes the array, and the memory of the array is not used again before it is copied.
    """
    assert backend.devices is not None
    source, target = backend.devices.number(array), find_device(name)[1]
    assert target is not None
    backend.devices.order(source, target)
    with device(name):
        copied = array.copy()  # it is made on the current device
    backend.devices.order(target, source)
    return copied
