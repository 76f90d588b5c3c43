"""The array class of the strict device: a NumPy array that refuses what `cupy.ndarray` refuses.

The memory is NumPy's, so values are those of the CPU. What differs between the two libraries is CuPy's: no implicit
conversion, arrays of no axes instead of scalars, indices that wrap, an undefined winner among repeated writes (here the
first, where NumPy takes the last), no flag for writing, and no way to the host but counted ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.strict.ledger import current, ledger
from tests.engine.strict.surface import recorded

__all__ = [
    "COMPARISONS",
    "OPERATORS",
    "SINGLE",
    "StrictArray",
    "applied",
    "call_on_host",
    "elementwise",
    "hold",
    "unwrap",
]

_KINDS = "biufc"


def _owner(array: Any) -> Any:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def hold(value: Any, *sources: Any) -> Any:
    """Return what a function of NumPy returned as the strict device does: arrays and scalars as its arrays.

    A result that shares the memory of one of `sources` is a view of it.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.kind not in _KINDS:
            raise TypeError(f"Unsupported dtype {value.dtype}")
        array = np.asarray(value)
        made = StrictArray.__new__(StrictArray)
        made.host, made.ordinal, made.origin = array, current.device, None
        if array.base is not None:
            holder = _owner(array)
            for source in sources:
                if type(source) is StrictArray and _owner(source.host) is holder:
                    made.origin = source if source.origin is None else source.origin
                    break
        return made
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(hold(part, *sources) for part in value))
    if isinstance(value, (tuple, list)):
        return type(value)(hold(part, *sources) for part in value)
    return value


def unwrap(value: Any, *, host: bool = False) -> Any:
    """Return an argument with the memory of each strict array in its place.

    Args:
        value: The argument.
        host: Whether NumPy's arrays are let through.

    Raises:
        TypeError: It holds an array of NumPy's, which CuPy would have to copy to the device unasked.
        ValueError: It holds an array of another device.
    """
    if type(value) is StrictArray:
        if value.ordinal != current.device:
            raise ValueError(
                f"Array device must be same as the current device: array device = {value.ordinal} while current = "
                f"{current.device}"
            )
        return value.host
    if isinstance(value, np.ndarray) and not host:
        raise TypeError(f"Unsupported type {type(value)}")
    if isinstance(value, (tuple, list)):
        return type(value)(unwrap(part, host=host) for part in value)
    return value


def call_on_host(function: Any, *args: Any, **keywords: Any) -> Any:
    """Call a function of NumPy on the memory of strict arrays, as one launch, and hold its result."""
    ledger.launch()
    with np.errstate(all="ignore"):  # a GPU sets no flags
        result = function(*unwrap(args), **{name: unwrap(value) for name, value in keywords.items()})
    out = keywords.get("out")
    return out if type(out) is StrictArray else hold(result, *args)


def _operand(value: Any, name: str) -> None:
    """Refuse what CuPy's elementwise functions refuse."""
    if not isinstance(value, (StrictArray, bool, int, float, complex, np.generic)):
        raise TypeError(f"Unsupported type {type(value)} for {name}")


def elementwise(name: str, *operands: Any, **keywords: Any) -> Any:
    """Apply a ufunc, if CuPy has it with a loop for these dtypes; the result has the dtype of that loop."""
    entry = recorded().get(("numpy", name)) or recorded()["special", name]
    for operand in operands:
        _operand(operand, name)
    if unknown := set(keywords) - {"out", "dtype", "casting"}:
        raise TypeError(f"Wrong arguments {sorted(unknown)} for {name}")
    function: np.ufunc = getattr(np, name)
    dtypes = [
        x.host.dtype if type(x) is StrictArray else x.dtype if isinstance(x, np.generic) else type(x) for x in operands
    ]
    if "dtype" not in keywords:
        loop = _loop(name, entry.loops, tuple(dtypes))
        if loop is None:
            raise TypeError(f"Wrong type ({', '.join(map(str, dtypes))}) of arguments for cupy_{name}")
        result = call_on_host(function, *operands, **keywords)
        if "out" not in keywords and type(result) is StrictArray and result.host.dtype.char != loop:
            result = hold(result.host.astype(loop), result)
        return result
    return call_on_host(function, *operands, **keywords)


_found: dict[Any, str | None] = {}


def _loop(name: str, loops: tuple[str, ...], dtypes: tuple[Any, ...]) -> str | None:
    """Return the dtype of the result in the first loop that the arguments are cast to safely; None if there is none."""
    key = (name, dtypes)
    if key not in _found:
        _found[key] = _search(loops, dtypes)
    return _found[key]


def _search(loops: tuple[str, ...], dtypes: tuple[Any, ...]) -> str | None:
    strong = [np.dtype(d) for d in dtypes if not (isinstance(d, type) and d in {bool, int, float, complex})]
    if len(strong) == len(dtypes):
        wanted = [np.result_type(*strong) if len(set(strong)) > 1 else d for d in strong]
    else:
        weak = [d(0) for d in dtypes if isinstance(d, type) and d in {bool, int, float, complex}]
        common = np.result_type(*strong, *weak)
        wanted = [common] * len(dtypes)
    for loop in loops:
        inputs, outputs = loop.split("->")
        if all(np.can_cast(w, i) for w, i in zip(wanted, inputs, strict=True)):
            return outputs[0]
    return None


class StrictArray:
    """An array of the strict device; made by its namespace only.

    Attributes:
        host: The memory.
        ordinal: The device that it is on.
        origin: The array that owns the memory, if this one is a view.
    """

    __slots__ = ("__weakref__", "host", "ordinal", "origin")
    __hash__ = None  # type: ignore[assignment]  # as CuPy's and NumPy's
    __array_priority__ = 100

    host: Any
    ordinal: int
    origin: StrictArray | None

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. "
            "Please use `.get()` to construct a NumPy array explicitly."
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        # Operators with NumPy's scalars and with other classes come here; CuPy takes NumPy's other functions too.
        if any(not isinstance(x, (StrictArray, bool, int, float, complex, np.generic, np.ndarray)) for x in inputs):
            return NotImplemented
        if method != "__call__" or keywords or ufunc.__name__ not in _BY_OPERATOR:
            raise TypeError(f"`numpy.{ufunc.__name__}` was called on an array of the device")
        return applied(ufunc.__name__, *inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        raise TypeError(f"`numpy.{function.__name__}` was called on an array of the device")

    # The ways to the host

    def get(self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> Any:
        ledger.wait("get")
        if out is None:
            return np.array(self.host, order="C")
        out[...] = self.host
        return out

    def item(self) -> Any:
        ledger.wait("item")
        return self.host.item()

    def tolist(self) -> Any:
        ledger.wait("tolist")
        return self.host.tolist()

    def __bool__(self) -> bool:
        ledger.wait("bool")
        return bool(self.host)

    def __int__(self) -> int:
        ledger.wait("int")
        return int(self.host)

    def __float__(self) -> float:
        ledger.wait("float")
        return float(self.host)

    def __complex__(self) -> complex:
        ledger.wait("complex")
        return complex(self.host)

    def __repr__(self) -> str:
        ledger.wait("repr")
        return repr(self.host)

    def __format__(self, spec: str) -> str:
        ledger.wait("format")
        return format(self.host, spec)

    # Facts that the host knows

    shape = property(lambda self: self.host.shape)
    ndim = property(lambda self: self.host.ndim)
    size = property(lambda self: self.host.size)
    dtype = property(lambda self: self.host.dtype)
    itemsize = property(lambda self: self.host.itemsize)
    nbytes = property(lambda self: self.host.nbytes)
    strides = property(lambda self: self.host.strides)
    base = property(lambda self: self.origin)

    @property
    def flags(self) -> Any:
        return _Flags(self.host)

    @property
    def device(self) -> Any:
        from tests.engine.strict.cuda import Device

        return Device(self.ordinal)

    @property
    def data(self) -> Any:
        from tests.engine.strict.cuda import Pointer

        return Pointer(self.host.__array_interface__["data"][0])

    def __len__(self) -> int:
        if not self.host.shape:
            raise TypeError("len() of unsized object")
        return len(self.host)

    def __iter__(self) -> Any:
        if not self.host.shape:
            raise TypeError("iteration over a 0-d array")
        return (self[k] for k in range(len(self.host)))

    # Views and copies

    T = property(lambda self: hold(unwrap(self).T, self))
    mT = property(lambda self: hold(np.swapaxes(unwrap(self), -2, -1), self))  # noqa: N815 - NumPy's name

    @property
    def real(self) -> Any:
        return hold(unwrap(self).real, self) if self.dtype.kind == "c" else self

    @real.setter
    def real(self, value: Any) -> None:
        self._part("real", value)

    @property
    def imag(self) -> Any:
        return hold(unwrap(self).imag, self) if self.dtype.kind == "c" else hold(np.zeros_like(unwrap(self)))

    @imag.setter
    def imag(self, value: Any) -> None:
        if self.dtype.kind != "c":
            raise TypeError("cupy.ndarray does not have imaginary part to set")
        self._part("imag", value)

    def _part(self, name: str, value: Any) -> None:
        _operand(value, name)
        setattr(unwrap(self), name, unwrap(value))

    def copy(self, order: str = "C") -> Any:
        """Return a copy on the current device, also of an array of another device."""
        ledger.launch()
        return hold(np.array(self.host, order=order))  # type: ignore[call-overload]  # a letter is a text here

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def conj(self) -> Any:
        return call_on_host(np.conj, self) if self.dtype.kind == "c" else self

    conjugate = conj

    def astype(
        self, dtype: Any, order: str = "K", casting: str | None = None, subok: Any = None, copy: bool = True
    ) -> Any:
        ledger.launch()
        if not copy and self.dtype == np.dtype(dtype):
            return self
        with np.errstate(all="ignore"):
            return hold(unwrap(self).astype(dtype))

    def fill(self, value: Any) -> None:
        if isinstance(value, np.ndarray):
            if value.shape != ():
                raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
            value = value[()]
        if type(value) is StrictArray:
            raise TypeError("fill needs a scalar")
        ledger.launch()
        unwrap(self).fill(value)

    def __getitem__(self, index: Any) -> Any:
        from tests.engine.strict.indexing import getitem

        return getitem(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        from tests.engine.strict.indexing import setitem

        setitem(self, index, value)


class _Flags:
    """The flags that CuPy's arrays have: `writeable` is not among them."""

    def __init__(self, array: Any) -> None:
        self.c_contiguous = array.flags.c_contiguous
        self.f_contiguous = array.flags.f_contiguous
        self.owndata = array.flags.owndata


OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}
COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
_BY_OPERATOR = {*OPERATORS.values(), *COMPARISONS.values(), "matmul"}
SINGLE = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}


def applied(name: str, *operands: Any) -> Any:
    if name != "matmul":
        return elementwise(name, *operands)
    for operand in operands:
        _operand(operand, name)
    return call_on_host(np.matmul, *operands)
