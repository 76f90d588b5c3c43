"""The CuPy backend: what CuPy's functions do differently from NumPy's, made the same."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import Backend, DeviceError, Devices, floating

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array

__all__ = ["cupy_backend", "library_backend"]


def cupy_backend() -> Backend:
    """Return a backend for arrays of CuPy.

    Raises:
        DeviceError: CuPy is not installed, or there is no usable GPU.
    """
    try:
        cupy, cupyx, special = map(import_module, ("cupy", "cupyx", "cupyx.scipy.special"))
    except ImportError as error:
        raise DeviceError("`cuda` needs CuPy: install autodrill[cuda13] or autodrill[cuda12]") from error
    if not cupy.is_available():
        raise DeviceError("CuPy is installed but finds no usable NVIDIA GPU")
    return library_backend("cuda", cupy, cupyx, special)


def library_backend(name: str, cupy: Any, cupyx: Any, special: Any) -> Backend:
    """Return the backend of a library with CuPy's names.

    Args:
        name: The name of its devices, without a number.
        cupy: The module `cupy`.
        cupyx: The module `cupyx`.
        special: The module `cupyx.scipy.special`.
    """

    def erf(x: Array) -> Array:
        x = floating(x)
        return special.erf(x).astype(x.dtype, copy=False)  # of half precision it is double precision

    def scatter_add(out: Array, index: Any, values: Array) -> None:
        if out.dtype.kind == "c":  # there is no atomic addition of complex numbers
            cupyx.scatter_add(out.real, index, values.real)
            cupyx.scatter_add(out.imag, index, values.imag)
        else:
            cupyx.scatter_add(out, index, values)

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
        ),
    )
