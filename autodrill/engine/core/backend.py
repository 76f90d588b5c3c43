"""Array libraries the engine runs on: NumPy, and CuPy on request."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.engine.core.node import Plan
    from autodrill.engine.core.primitive import Primitive

__all__ = [
    "BACKENDS",
    "NUMPY",
    "WRAPPERS",
    "Array",
    "Backend",
    "BatchError",
    "DeviceError",
    "Devices",
    "Namespace",
    "Wrapper",
    "backend_named",
    "backend_of",
    "backend_of_type",
    "device_name",
    "everywhere",
    "floating",
    "library_backend",
    "memory",
    "register_backend",
    "special_function",
]

Array: TypeAlias = Any
"""An ndarray of any backend or, inside a rule, a Tensor: one rule serves both."""

Namespace: TypeAlias = Any
"""The array library's module (`numpy` or `cupy`), passed to every forward as `xp`."""


class DeviceError(TypeError):
    """One operation got arrays of two devices, or the requested device is not available."""


class BatchError(TypeError):
    """A function under `vmap` did something undefined for many examples at once, such as branching on a value."""


@dataclass(frozen=True, slots=True, eq=False)
class Devices:
    """The numbered devices of one array library.

    Attributes:
        count: Returns the number of devices.
        current: Returns the number of the device on which the library computes, in this thread.
        use: Makes a device the current one.
        number: Returns the number of the device that holds an array.
        order: `order(first, second)` lets the current stream of the second device wait for that of the first, as it is
            now; the host does not wait.

    Example:
        >>> engine.backend_named("cpu").devices is None
        True
    """

    count: Callable[[], int]
    current: Callable[[], int]
    use: Callable[[int], None]
    number: Callable[[Array], int]
    order: Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Backend:
    """One array library: its namespace and the few functions that NumPy and CuPy do not share.

    Attributes:
        name: The device's name, `"cpu"` or `"cuda"`.
        xp: The library's namespace.
        array_type: The library's array class.
        erf: The elementwise error function.
        scatter_add: `scatter_add(out, index, values)` adds into `out` in place; a repeated index adds repeatedly.
        special: The library's special functions by their names in SciPy, for a library other than NumPy.
        devices: The numbered devices, or None if there is one device without a number.

    Example:
        >>> engine.backend_named("cpu").xp.__name__
        'numpy'
    """

    name: str
    xp: Namespace
    array_type: type
    erf: Callable[[Array], Array]
    scatter_add: Callable[[Array, Any, Array], None]
    special: Namespace = None
    devices: Devices | None = field(default=None)

    def constant(self, value: Any) -> Any:
        """Return `value` in a form that `xp` can combine with an array of this backend.

        A Python number is returned unchanged, so that it does not determine the result's dtype.

        Raises:
            DeviceError: `value` is an array of another backend.
            TypeError: `value` cannot be converted to a numeric array.
        """
        kind = type(value)
        if kind is self.array_type or kind in _PYTHON_NUMBERS or isinstance(value, np.generic):
            return value
        if kind in BACKENDS:
            raise DeviceError(mixed_devices(self._current(), device_name(value)))
        array = self.xp.asarray(value)
        if array.dtype.kind not in "biufc":
            raise TypeError(f"expected a tensor, an array or numbers, got `{kind.__name__}`")
        return array

    def _current(self) -> str:
        return self.name if self.devices is None else f"{self.name}:{self.devices.current()}"

    def asarray(self, value: Any) -> Array:
        """Return `value` as an array; an array of a wrapper class is returned unchanged."""
        return value if type(value) in WRAPPERS else self.xp.asarray(value)


_PYTHON_NUMBERS = frozenset({bool, int, float, complex})


def _erf(x: Array) -> Array:
    from autodrill.engine import special_values  # imported on first use: few programs need its tables

    return special_values.erf(floating(x))


NUMPY = Backend("cpu", np, np.ndarray, _erf, np.add.at)

BACKENDS: dict[type, Backend] = {np.ndarray: NUMPY}
"""The backends in use, by the class of their arrays."""


@dataclass(frozen=True, slots=True)
class Wrapper:
    """How primitives are applied to a class that wraps another backend's array, as `Batched` does.

    Attributes:
        backend_of: Returns the backend of such an array.
        apply: `apply(primitive, values, static)` returns the result of a primitive; some values are of the class.
        plan: `plan(plan, values, out)` adapts the plan of that call for backward.
    """

    backend_of: Callable[[Any], Backend]
    apply: Callable[[Primitive, Sequence[Any], dict[str, Any]], Array]
    plan: Callable[[Plan, Sequence[Any], Any], Plan]


WRAPPERS: dict[type, Wrapper] = {}
"""The wrappers in use, by array class. The module `vmap` registers the wrapper of `Batched` when it is imported."""


def memory(value: Any) -> Any:
    """Return the array inside a wrapper; return any other value unchanged."""
    return value.data if type(value) in WRAPPERS else value


def everywhere(condition: Any) -> bool:
    """Return whether a raw condition holds for every element, under `vmap` of every example."""
    return bool(memory(condition).all())


def mixed_devices(first: str, second: str) -> str:
    """Return the message about arrays of two devices."""
    return f"arrays on `{first}` and `{second}` met in one operation; move one to the other's device first"


def device_name(array: Array) -> str:
    """Return the name of the device that holds a raw array, as `"cpu"` or `"cuda:0"`."""
    backend = backend_of(array)
    if backend.devices is None:
        return backend.name
    return f"{backend.name}:{backend.devices.number(memory(array))}"


def backend_of_type(kind: type) -> Backend:
    """Return the backend whose arrays have the class `kind`.

    Raises:
        TypeError: No backend uses this class.
    """
    backend = BACKENDS.get(kind)
    if backend is not None:
        return backend
    if kind.__module__.partition(".")[0] == "cupy":
        return backend_named("cuda")
    raise TypeError(f"`{kind.__module__}.{kind.__qualname__}` is not an array class of a known backend")


def backend_of(*values: Any) -> Backend:
    """Return the backend of the first array among raw `values`; NumPy if there is no array."""
    for value in values:
        kind = type(value)
        if kind is np.ndarray:
            return NUMPY
        if kind in BACKENDS or kind.__module__.partition(".")[0] == "cupy":
            return backend_of_type(kind)
        if kind in WRAPPERS:
            return WRAPPERS[kind].backend_of(value)
    return NUMPY


def special_function(name: str, x: Array) -> Array:
    """Return a special function of x, by its name in SciPy: the engine's own on the CPU, the library's elsewhere.

    Integers become float64. The result has the dtype of x otherwise, also where the library computes in another one.

    Raises:
        DeviceError: The library of x does not have the function.
    """
    backend, x = backend_of(x), floating(x)
    if backend is NUMPY:
        from autodrill.engine import special_values

        return getattr(special_values, name)(x)
    if x.dtype.kind == "c":
        raise TypeError("these functions are computed on the real line only")
    function = getattr(backend.special, name, None)
    if function is None:
        raise DeviceError(f"`{name}` is computed on `cpu` only, and its input is on `{device_name(x)}`")
    return function(x).astype(x.dtype, copy=False)


def floating(x: Array) -> Array:
    """Return x, with integers and booleans as float64."""
    return x.astype(float) if x.dtype.kind in "iub" else x


def register_backend(backend: Backend) -> None:
    """Add a backend: the engine then computes on arrays of its class, and finds it by its name.

    Args:
        backend: The backend. Its array class must not belong to another one.

    Raises:
        ValueError: Another backend has this array class or this name.

    Example:
        >>> engine.register_backend(engine.backend_named("cpu"))  # which changes nothing
    """
    for kind, other in BACKENDS.items():
        if other is not backend and (kind is backend.array_type or other.name == backend.name):
            raise ValueError(f"there is already a backend `{other.name}` with arrays of class `{kind.__qualname__}`")
    BACKENDS[backend.array_type] = backend


def backend_named(name: str) -> Backend:
    """Return the backend called `"cpu"` or `"cuda"`; `"cuda"` imports CuPy.

    Args:
        name: The name of a device; its number, as in `"cuda:1"`, makes no difference.

    Returns:
        The backend, which has the namespace `xp` of the library.

    Raises:
        DeviceError: The name is unknown, CuPy is not installed, or there is no usable GPU.

    Example:
        >>> engine.backend_named("cpu").name
        'cpu'
    """
    kind = name.partition(":")[0]
    for backend in BACKENDS.values():
        if backend.name == kind:
            return backend
    if kind != "cuda":
        known = ", ".join(f"`{each}`" for each in sorted({*(b.name for b in BACKENDS.values()), "cuda"}))
        raise DeviceError(f"no device named `{name}`; there are {known}")
    backend = _cupy_backend()
    register_backend(backend)
    return backend


def _cupy_backend() -> Backend:
    """Return a backend for arrays of CuPy.

    Raises:
        DeviceError: CuPy is not installed, or there is no usable GPU.
    """
    try:
        cupy, special = map(import_module, ("cupy", "cupyx.scipy.special"))
    except ImportError as error:
        raise DeviceError("`cuda` needs CuPy: install autodrill[cuda13] or autodrill[cuda12]") from error
    if not cupy.is_available():
        raise DeviceError("CuPy is installed but finds no usable NVIDIA GPU")
    return library_backend("cuda", cupy, special)


def library_backend(name: str, cupy: Any, special: Any) -> Backend:
    """Return the backend of a library with CuPy's names.

    Args:
        name: The name of its devices, without a number.
        cupy: The module `cupy`.
        special: The module `cupyx.scipy.special`.
    """

    def erf(x: Array) -> Array:
        x = floating(x)
        return special.erf(x).astype(x.dtype, copy=False)  # of half precision it is double precision

    def scatter_add(out: Array, index: Any, values: Array) -> None:
        if out.dtype.kind == "c":  # there is no atomic addition of complex numbers
            cupy.add.at(out.real, index, values.real)
            cupy.add.at(out.imag, index, values.imag)
        else:
            cupy.add.at(out, index, values)

    def order(first: int, second: int) -> None:
        with cupy.cuda.Device(first):
            event = cupy.cuda.Event(disable_timing=True)
            event.record(cupy.cuda.get_current_stream())
        with cupy.cuda.Device(second):
            cupy.cuda.get_current_stream().wait_event(event)

    return Backend(
        name,
        cupy,
        cupy.ndarray,
        erf=erf,
        scatter_add=scatter_add,
        special=special,
        devices=Devices(
            count=lambda: int(cupy.cuda.runtime.getDeviceCount()),
            current=lambda: int(cupy.cuda.Device().id),
            use=lambda number: cupy.cuda.Device(number).use(),
            number=lambda array: int(array.device.id),
            order=order,
        ),
    )
