"""Sample inputs of every operation and its counterpart in PyTorch, in one table: what the registry walk runs over."""

from __future__ import annotations

from tests.engine.samples import (
    arrange,
    core,
    elementary,
    fourier,
    in_complex,
    linalg,
    named,
    network,
    ordering,
    parts,
    special,
    statistics,
    window,
)
from tests.engine.samples.base import Counterpart, Sample

__all__ = ["COUNTERPARTS", "SAMPLES", "Counterpart", "Sample"]

PARTS = (core, elementary, arrange, ordering, linalg, special, network, window, statistics, fourier, parts, named)

_REAL: tuple[Sample, ...] = tuple(sample for part in PARTS for sample in part.SAMPLES)

SAMPLES: tuple[Sample, ...] = (*_REAL, *in_complex.derived(_REAL), *in_complex.mixed(_REAL), *in_complex.SAMPLES)

COUNTERPARTS: dict[str, Counterpart] = {name: make for part in PARTS for name, make in part.COUNTERPARTS.items()}
