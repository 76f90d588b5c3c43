"""The layout of a tape's graph: layers by longest path, few crossings, nearly straight edges."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from autodrill.engine.tracing.tape import Tape

__all__ = ["Layout", "Point", "layout"]

_SWEEPS = 8


@dataclass(frozen=True, slots=True)
class Point:
    """A point in a layer: a row of the tape, or a long edge that passes the layer.

    Attributes:
        row: The number of the row, or of the row where the edge starts.
        via: The row where the edge ends; None for a row.
        layer: The layer's index.
    """

    row: int
    via: int | None
    layer: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of points and edges.

    Attributes:
        layers: The points of each layer from top to bottom.
        heights: How far each point's middle lies below the uppermost point's, in units of `gap`.
        edges: For each operand of each row, the points from the operand to the row.
    """

    layers: tuple[tuple[Point, ...], ...]
    heights: Mapping[Point, float]
    edges: tuple[tuple[Point, ...], ...]


def layout(tape: Tape, gap: Callable[[Point, Point], float]) -> Layout:
    """Return the layout of a tape. It is deterministic.

    Args:
        tape: The tape.
        gap: The least distance between the middles of two adjacent points of a layer.
    """
    layer: dict[int, int] = {}
    for row in tape.rows:
        layer[row.number] = 1 + max((layer[s] for s in row.sources), default=-1)
    nodes = {row.number: Point(row.number, None, layer[row.number]) for row in tape.rows}
    edges = [
        (
            nodes[source],
            *(Point(source, row.number, k) for k in range(layer[source] + 1, layer[row.number])),
            nodes[row.number],
        )
        for row in tape.rows
        for source in row.sources
    ]
    points = dict.fromkeys([*nodes.values(), *(p for edge in edges for p in edge)])
    layers = [[p for p in points if p.layer == k] for k in range(1 + max(layer.values()))]
    before: dict[Point, list[Point]] = {p: [] for p in points}
    after: dict[Point, list[Point]] = {p: [] for p in points}
    for edge in edges:
        for a, b in pairwise(edge):
            after[a].append(b)
            before[b].append(a)
    ordered = _ordered(layers, before, after)
    heights = _heights(ordered, before, after, gap)
    return Layout(tuple(map(tuple, ordered)), heights, tuple(edges))


def _ordered(
    layers: list[list[Point]], before: Mapping[Point, list[Point]], after: Mapping[Point, list[Point]]
) -> list[list[Point]]:
    """Order each layer by the mean position of its neighbours (Sugiyama et al., 1981); keep the fewest crossings."""
    best, fewest = layers, _crossings(layers, after)
    for sweep in range(_SWEEPS):
        downward = sweep % 2 == 0
        current = [list(points) for points in best]
        for k in range(1, len(current)) if downward else range(len(current) - 2, -1, -1):
            fixed = current[k - 1 if downward else k + 1]
            place = {p: i for i, p in enumerate(fixed)}
            near = before if downward else after
            own = {p: float(i) for i, p in enumerate(current[k])}
            current[k].sort(key=lambda p: _mean([place[q] for q in near[p]], own[p]))
        crossings = _crossings(current, after)
        if crossings < fewest:
            best, fewest = current, crossings
    return best


def _crossings(layers: Sequence[Sequence[Point]], after: Mapping[Point, list[Point]]) -> int:
    count = 0
    for upper, lower in pairwise(layers):
        place = {p: i for i, p in enumerate(lower)}
        ends = [(i, place[q]) for i, p in enumerate(upper) for q in after[p]]
        count += sum(a < c and b > d for a, b in ends for c, d in ends)
    return count


def _heights(
    layers: Sequence[Sequence[Point]],
    before: Mapping[Point, list[Point]],
    after: Mapping[Point, list[Point]],
    gap: Callable[[Point, Point], float],
) -> dict[Point, float]:
    """Move each point to the mean height of its neighbours, and keep order and gaps within its layer."""
    heights: dict[Point, float] = {}
    for points in layers:
        heights.update(zip(points, _spread([0.0] * len(points), points, gap), strict=True))
    for sweep in range(_SWEEPS):
        for points in layers if sweep % 2 == 0 else reversed(layers):
            wanted = [_mean([heights[q] for q in (*before[p], *after[p])], heights[p]) for p in points]
            heights.update(zip(points, _spread(wanted, points, gap), strict=True))
    top = min(heights.values())
    return {p: h - top for p, h in heights.items()}


def _spread(wanted: Sequence[float], points: Sequence[Point], gap: Callable[[Point, Point], float]) -> list[float]:
    """Return the heights closest to `wanted` in least squares that keep all gaps.

    After the gaps are subtracted, this is isotonic regression: adjacent heights in the wrong order are pooled into
    their mean.
    """
    offsets = [0.0]
    for a, b in pairwise(points):
        offsets.append(offsets[-1] + gap(a, b))
    pools: list[tuple[float, int]] = []
    for height, offset in zip(wanted, offsets, strict=True):
        mean, size = height - offset, 1
        while pools and pools[-1][0] > mean:
            other, count = pools.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        pools.append((mean, size))
    level = [mean for mean, size in pools for _ in range(size)]
    return [base + offset for base, offset in zip(level, offsets, strict=True)]


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
