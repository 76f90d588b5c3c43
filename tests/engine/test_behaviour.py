"""The paragraph that a declaration adds to a docstring, compared with calls of the operation."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest

from autodrill.engine import ops
from autodrill.engine.core.primitive import Primitive
from tests.engine.samples import SAMPLES, Sample
from tests.engine.samples.base import BINARY, REDUCED, UNARY, real

FURTHER: tuple[Sample, ...] = (
    *(Sample(name, (shape,), (real,)) for name in ("isfinite", "isinf", "isnan") for shape in UNARY),
    *(Sample("heaviside", shapes, (real, real)) for shapes in BINARY),
    *(Sample(name, (shape,), (real,), static) for name in ("all", "any") for shape, static in REDUCED),
    *(Sample(name, (shape,), (real,), static) for name in ("nanmin", "nanprod") for shape, static in REDUCED),
    *(Sample("nanmedian", (shape,), (real,), static) for shape, static in REDUCED[:6]),
)
"""Operations that the registry's samples leave out, or call in another way."""


def paragraph_of(name: str) -> str:
    """Return the paragraph in the docstring as `help` shows it, or nothing."""
    text = inspect.cleandoc(getattr(ops, name).__doc__)
    found = re.search(r"^(?:Elementwise|Reduction): (?:.+\n?)+", text, re.MULTILINE)
    return found[0] if found else ""


SAMPLED = [
    sample
    for sample in (*SAMPLES, *FURTHER)
    if sample.call is None and not sample.of_complex and sample.name in ops.names() and paragraph_of(sample.name)
]


def converted(inputs: list[Any], dtype: Any) -> list[Any]:
    return [np.asarray(x.astype(dtype) if x.dtype.kind == "f" else x) for x in inputs]


def expected_shape(sample: Sample, inputs: list[Any]) -> tuple[int, ...]:
    if paragraph_of(sample.name).startswith("Elementwise"):
        return np.broadcast_shapes(*(x.shape for x in inputs))
    static = {k: v for k, v in sample.static.items() if k in {"axis", "keepdims"}}
    return np.shape(np.sum(inputs[0], **static))


@pytest.mark.parametrize("sample", SAMPLED, ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_paragraph_says_what_happens(sample: Sample) -> None:
    said, f, inputs = paragraph_of(sample.name), sample.function(), sample.inputs()
    own_result = "Returns:" in getattr(ops, sample.name).__doc__
    assert own_result != ("the result has" in said.lower())
    shape = expected_shape(sample, inputs)
    for dtype in (np.float32, np.float64):
        result = f(*converted(inputs, dtype))
        assert result.shape == shape
        assert own_result or result.dtype == dtype
    in_complex = converted(inputs, np.complex128)
    if "Complex numbers are accepted" in said:
        wanted = np.float64 if "the result is real" in said else np.complex128
        assert own_result or f(*in_complex).dtype == wanted
    else:
        assert "Complex numbers raise a TypeError." in said
        with pytest.raises(TypeError, match="not defined for complex numbers"):
            f(*in_complex)
    if not own_result:
        integers = [np.asarray(np.ceil(np.abs(x)).astype(int)) if x.dtype.kind == "f" else x for x in inputs]
        result = f(*integers)
        assert ("Integers stay integers." in said) == (result.dtype.kind == "i")
        assert ("Integers become floating-point numbers." in said) == (result.dtype == np.float64)
        if result.dtype.kind == "f":
            in_double = [np.asarray(x.astype(float)) for x in integers]
            assert np.allclose(result, f(*in_double), rtol=1e-14, equal_nan=True)


@pytest.mark.parametrize("name", sorted({sample.name for sample in SAMPLED}))
def test_paragraph_names_the_errors_of_shapes(name: str) -> None:
    sample = next(s for s in SAMPLED if s.name == name)
    said, f = paragraph_of(name), sample.function()
    if "Shapes that do not broadcast raise a ValueError." in said:
        assert len(sample.shapes) > 1
        with pytest.raises(ValueError, match=r"broadcast|operands"):
            f(*(np.ones(2 + k) for k in range(len(sample.shapes))))
    if "lacks raises an AxisError." in said:
        static = {**sample.static, "axis": 5}
        with pytest.raises(np.exceptions.AxisError, match="5"):
            getattr(ops, name)(*sample.inputs(), **static)


def test_every_declared_behaviour_is_compared() -> None:
    described = {name for name in ops.names() if paragraph_of(name)}
    assert described == {sample.name for sample in SAMPLED}
    primitives = {name for name in described if isinstance(getattr(ops, name), Primitive)}
    assert min(len(primitives), len(described - primitives)) > 20
