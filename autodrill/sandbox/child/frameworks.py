"""PyTorch, JAX and CuPy in a child process: their import, and the door at which arrays go over to them and come back.

A submission of one's own may be written with one of them. The expected results, and all that is sent between the
processes, stay NumPy arrays: only the call of the submission is made through the door.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Framework", "begin", "door", "function_door", "load"]


class Framework(StrEnum):
    """A framework that an answer can be written with. The value is the name of its module."""

    TORCH = "torch"
    JAX = "jax"
    CUPY = "cupy"

    @property
    def brand(self) -> str:
        """Its name as people write it."""
        return {"torch": "PyTorch", "jax": "JAX", "cupy": "CuPy"}[self]

    @property
    def on_gpu(self) -> bool:
        """Whether its arrays are on a GPU, whose driver no confined or forked process can use."""
        return self is Framework.CUPY

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages that it reads files of after its import."""
        return _PACKAGES[self]

    @property
    def starts_threads(self) -> bool:
        """Whether it cannot compute without threads of its own."""
        return self is Framework.JAX


_PACKAGES = {
    Framework.TORCH: ("torch", "torchgen", "functorch"),
    Framework.JAX: ("jax", "jaxlib", "ml_dtypes", "opt_einsum", "scipy", "scipy.libs"),
    Framework.CUPY: (),  # its process is not confined
}
_JAX_MODULES = ("jax.numpy", "jax.nn", "jax.lax", "jax.random", "jax.scipy.linalg", "jax.scipy.special")
_JAX_ENVIRONMENT = {
    "JAX_PLATFORMS": "cpu",
    "JAX_ENABLE_X64": "1",  # without it JAX turns float64 into float32
    "JAX_CPU_ENABLE_ASYNC_DISPATCH": "0",
}
_XLA_FLAGS = (
    ("--xla_backend_optimization_level=0", (0, 8), (0, 13)),
    ("--xla_cpu_parallel_codegen_split_count=1", (0, 8), (0, 13)),
    ("--xla_cpu_use_fusion_emitters=false", (0, 8), (0, 11)),
)
"""Each operation is compiled for each shape. With these flags that takes 60 % of the processor time.

Each flag has the first version of JAX that gets it and the first that does not. XLA ends the process at a flag that it
does not know, so versions that were never tried get none.
"""
_M_ARENA_MAX = -8
_loaded: Framework | None = None


def load(name: str, folder: str) -> None:
    """Import a framework, before this process or its forks are confined. An empty name means none.

    Args:
        name: A value of `Framework`, or an empty text.
        folder: The folder that it is imported from. Afterwards nothing else can be imported from there, except with
            CuPy, which imports its parts when they are first used.
    """
    global _loaded  # noqa: PLW0603  a process serves one framework
    if not name:
        return
    _loaded = Framework(name)
    if _loaded is Framework.CUPY:
        _load_cupy(folder)
        return
    sys.path.insert(0, folder)
    try:
        if _loaded is Framework.TORCH:
            _load_torch()
        else:
            os.environ.update(_JAX_ENVIRONMENT)
            _use_one_heap()
            for module in _JAX_MODULES:
                import_module(module)
            version = import_module("jax").__version_info__
            os.environ["XLA_FLAGS"] = " ".join(flag for flag, first, end in _XLA_FLAGS if first <= version < end)
    finally:
        sys.path.remove(folder)


def begin() -> None:
    """Start the threads of the framework in this process. They inherit its confinement, so it is confined first."""
    if _loaded is Framework.JAX:
        import jax.numpy as jnp

        _ = jnp.sum(jnp.ones((2, 2)) * 2.0)


def door(candidate: Any) -> Any:
    """Return an entry that takes and returns NumPy arrays, and calls the candidate with arrays of the framework.

    The candidate is a function, a class or a tuple of them. An argument that occurs twice stays one object. Tuples,
    lists and dicts are entered; anything else that is no array passes unchanged.
    """
    if type(candidate) is tuple:
        return tuple(map(door, candidate))
    if isinstance(candidate, type):
        return _ClassDoor(candidate)
    return _through(candidate)


def function_door(
    candidate: Any, cotangents: Sequence[int], inputs: Sequence[int], wanted: Sequence[int], *, floating: bool
) -> Callable[..., Any]:
    """Return a backward pass made of a class with a static `forward` and `backward`, as `torch.autograd.Function`.

    Both are called here and not through `apply`: the engine of PyTorch sums a gradient of a wrong shape back to the
    shape of its input, and so would hide the fault.

    Args:
        candidate: The class.
        cotangents: The places of the cotangents among the arguments.
        inputs: The places of the arguments of `forward`.
        wanted: Which gradients of these are results, in order.
        floating: Whether to drop each None, which PyTorch takes for an input without a gradient.
    """

    def backward(*arguments: Any) -> Any:
        given = [arguments[place] for place in inputs]
        ctx = _Context(len(given))
        if _has_setup_context(candidate):
            candidate.setup_context(ctx, tuple(given), candidate.forward(*given))
        else:
            candidate.forward(ctx, *given)
        returned = candidate.backward(ctx, *(arguments[place] for place in cotangents))
        grads = tuple(returned) if isinstance(returned, tuple | list) else (returned,)
        if len(grads) != len(given):
            message = f"{candidate.__name__}.backward returned an incorrect number of gradients"
            raise RuntimeError(f"{message} (expected {len(given)}, got {len(grads)})")
        chosen = [grads[place] for place in wanted if not floating or grads[place] is not None]
        return chosen[0] if len(chosen) == 1 else tuple(chosen)

    return _through(backward)


class _Context:
    """What PyTorch hands to `forward` and `backward` as `ctx`."""

    def __init__(self, count: int) -> None:
        self.needs_input_grad = (True,) * count
        self.saved_tensors: tuple[Any, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors

    def mark_dirty(self, *_: Any) -> None:
        pass

    def mark_non_differentiable(self, *_: Any) -> None:
        pass

    def set_materialize_grads(self, _: bool) -> None:
        pass


class _ClassDoor:
    """A class of the submission: its static methods and its instances take and return NumPy arrays."""

    def __init__(self, candidate: type) -> None:
        self._candidate = candidate

    def __call__(self, *arguments: Any) -> Any:
        return _InstanceDoor(_through(self._candidate)(*arguments))

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._candidate, name)
        return _through(found) if callable(found) else _outward(found)


class _InstanceDoor:
    def __init__(self, instance: Any) -> None:
        self._instance = instance

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._instance, name)
        return _through(found) if callable(found) else _outward(found)


def _through(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        entering = _Entering()
        result = function(*map(entering.convert, arguments))
        entering.write_back()
        return _outward(result)

    return call


class _Entering:
    """The arguments of one call on their way in."""

    def __init__(self) -> None:
        self._made: dict[int, Any] = {}
        self._copied: list[tuple[Any, Any]] = []

    def convert(self, value: Any) -> Any:
        """Return a value with the framework's arrays in place of NumPy's. An equal object stays the same object."""
        import numpy as np

        kind = type(value)
        if kind in {tuple, list}:
            return kind(map(self.convert, value))
        if kind is dict:
            return {key: self.convert(item) for key, item in value.items()}
        if kind is not np.ndarray and not isinstance(value, np.generic):
            return value
        if id(value) not in self._made:
            self._made[id(value)] = self._array(value)
        return self._made[id(value)]

    def write_back(self) -> None:
        """Show in an array what was written to its copy: a changed argument is a fault, also of a copied one."""
        for array, copy in self._copied:
            now = _outward(copy)
            if now.tobytes() != array.tobytes():
                array[...] = now

    def _array(self, value: Any) -> Any:
        import numpy as np

        if value.dtype.kind not in "biufc":
            return value
        if _loaded is Framework.JAX:
            import jax.numpy as jnp

            return jnp.array(value)
        if _loaded is Framework.CUPY:
            import cupy

            moved = cupy.asarray(value)
            if isinstance(value, np.ndarray):
                self._copied.append((value, moved))
            return moved
        import torch

        array = np.asarray(value)
        if any(stride < 0 for stride in array.strides):  # PyTorch has no negative strides
            copy = array.copy()
            self._copied.append((array, copy))
            array = copy
        return torch.from_numpy(array)  # in the same memory, so that a change of an argument is seen


def _outward(value: Any) -> Any:
    """Return a value with NumPy arrays in place of the framework's."""
    kind = type(value)
    if kind in {list, tuple}:
        return kind(map(_outward, value))
    if isinstance(value, tuple):  # a named tuple of PyTorch, such as that of `torch.max`, or a `torch.Size`
        return tuple(map(_outward, tuple.__iter__(value)))
    if kind is dict:
        return {key: _outward(item) for key, item in value.items()}
    if _loaded is Framework.JAX:
        import jax
        import numpy as np

        return np.array(value) if isinstance(value, jax.Array) else value
    if _loaded is Framework.CUPY:
        import cupy

        return cupy.asnumpy(value) if isinstance(value, cupy.ndarray) else value
    import torch

    if not isinstance(value, torch.Tensor):
        return value
    dense = value.detach() if value.layout is torch.strided else value.detach().to_dense()
    return dense.cpu().resolve_conj().resolve_neg().numpy()  # in the same memory


def _has_setup_context(candidate: Any) -> bool:
    own = getattr(candidate, "setup_context", None)
    import torch

    return own is not None and own is not torch.autograd.Function.setup_context


def _use_one_heap() -> None:
    """Let all threads allocate from one heap: by default each reserves 64 MiB of addresses, which count as memory."""
    with suppress(ImportError, OSError, AttributeError):  # not glibc, or a Python built without ctypes
        import ctypes

        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def _load_cupy(folder: str) -> None:
    """Import CuPy, and create the context of the GPU, so that no call waits for it."""
    os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
    sys.path.append(folder)
    cupy = import_module("cupy")
    cupy.zeros(1)


def _load_torch() -> None:
    """Import PyTorch, and make the calls whose first takes long or imports more."""
    import torch

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    x = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    torch.softmax(torch.einsum("ij,jk->ik", x, x) @ x, -1).sum().backward()
    image = torch.ones(1, 1, 4, 4, dtype=torch.float64)
    torch.nn.functional.conv2d(image, image[..., :2, :2])

    class Twice(torch.autograd.Function):  # type: ignore[misc]  # Any where mypy runs
        @staticmethod
        def forward(_: Any, x: Any) -> Any:
            return 2 * x

        @staticmethod
        def backward(_: Any, g: Any) -> Any:
            return 2 * g

    torch.func.vjp(torch.sin, x.detach())[1](x.detach())
    Twice.apply(x).sum().backward()
