"""Samples of what takes complex numbers apart and puts them together."""

from __future__ import annotations

from typing import Any

from tests.engine.samples.base import BINARY, Counterpart, Sample, between, exactly, one, positive_only, real, unary
from tests.engine.samples.core import alike

SAMPLES: tuple[Sample, ...] = (
    *unary(real, "absolute", "sgn", "angle", "real", "imag", "conj"),
    *(one("complex", *shapes) for shapes in BINARY),
    *(one("polar", *shapes, draw=(positive_only, between(-4, 4))) for shapes in BINARY[:3]),
    one("view_as_complex", (2,)),
    one("view_as_complex", (3, 2)),
    one("view_as_complex", (0, 2)),
    one("sgn", (2, 2), draw=exactly(3.0, -4.0, 0.5, -1.0)),
)


def imag(torch: Any) -> Any:
    return lambda x: torch.imag(x) if x.is_complex() else x * 0


def unbroadcast(name: str) -> Counterpart:
    """PyTorch's function of two arguments of one shape."""
    return lambda torch: lambda x, y: getattr(torch, name)(*torch.broadcast_tensors(x, y))


COUNTERPARTS: dict[str, Counterpart] = {
    **{name: alike(name) for name in ("absolute", "sgn", "angle", "real", "conj")},
    **{name: unbroadcast(name) for name in ("complex", "polar")},
    "imag": imag,
    "view_as_real": lambda t: lambda x: t.view_as_real(x.resolve_conj()),
    "view_as_complex": lambda t: lambda x: t.view_as_complex(x.contiguous()),
}
