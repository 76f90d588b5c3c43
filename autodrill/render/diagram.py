"""A tape as an SVG picture: boxes in layers from left to right, in the colour of the surrounding text."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from autodrill.bank.notation import cells
from autodrill.render.diagram_layout import layout
from autodrill.render.tape_views import label

if TYPE_CHECKING:
    from autodrill.engine.tracing.tape import Tape
    from autodrill.render.diagram_layout import Layout, Point

__all__ = ["as_svg"]

_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_SIZE, _ADVANCE, _LINE = 13.0, 7.85, 18.0  # of the text, in px: font size, character width, line height
_PAD, _COLUMN_GAP, _ROW_GAP, _LANE = 10.0, 56.0, 22.0, 16.0  # px inside a box; between columns, boxes and passing edges
_MARGIN, _PORT, _ARROW = 12.0, 12.0, 7.0


def as_svg(tape: Tape, title: str) -> str:
    """Draw a tape.

    Args:
        tape: The tape.
        title: The accessible name of the picture.

    Returns:
        An SVG document. Embedded in a page, it takes the page's text colour.
    """
    texts = {row.number: label(tape, row) for row in tape.rows}
    half = _PAD + _LINE * max(map(len, texts.values())) / 2

    def gap(a: Point, b: Point) -> float:
        return sum(half if p.via is None else _LANE / 2 for p in (a, b)) + _ROW_GAP

    plan = layout(tape, gap)
    columns = _columns(plan, texts)
    # A long edge can pass above the first box or below the last.
    tops = [h - (half if p.via is None else 0) for p, h in plan.heights.items()]
    bottoms = [h + (half if p.via is None else 0) for p, h in plan.heights.items()]
    shift = _MARGIN - min(tops)
    heights = {p: h + shift for p, h in plan.heights.items()}
    width, height = columns[-1][1] + _MARGIN, max(bottoms) + shift + _MARGIN
    body = [*_edges(plan, columns, heights, half), *_boxes(tape, columns, heights, texts, half)]
    described = "; ".join(f"{lines[0]} {lines[1]}" for lines in texts.values())
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" fill="none" stroke="currentColor">',
            f"<title>{escape(title)}</title>",
            f"<desc>{escape(described)}</desc>",
            f'<g stroke="none" fill="currentColor" font-family="{_FONT}" font-size="{_SIZE:g}">',
            *(line for kind, line in body if kind == "filled"),
            "</g>",
            *(line for kind, line in body if kind == "drawn"),
            "</svg>",
        ]
    )


def _columns(plan: Layout, texts: dict[int, list[str]]) -> list[tuple[float, float]]:
    """Return the left and right edge of each layer's column."""
    columns: list[tuple[float, float]] = []
    left = _MARGIN
    for points in plan.layers:
        longest = max((cells(t) for p in points if p.via is None for t in texts[p.row]), default=0)
        columns.append((left, left + longest * _ADVANCE + 2 * _PAD))
        left = columns[-1][1] + _COLUMN_GAP
    return columns


def _edges(
    plan: Layout, columns: list[tuple[float, float]], heights: dict[Point, float], half: float
) -> list[tuple[str, str]]:
    """Return each edge as a curve, horizontal at every column, with its arrowhead."""
    drawn = []
    for edge in plan.edges:
        first, last = edge[0], edge[-1]
        leaving = [e for e in plan.edges if e[0] is first]
        arriving = [e for e in plan.edges if e[-1] is last]
        leaving.sort(key=lambda e: heights[e[1]])
        arriving.sort(key=lambda e: heights[e[-2]])
        x, y = columns[first.layer][1], heights[first] + _port(leaving.index(edge), len(leaving), half)
        path = [f"M{x:.1f} {y:.1f}"]
        for p in edge[1:]:
            x1, y1 = columns[p.layer][0], heights[p]
            if p is last:
                x1, y1 = x1 - _ARROW, y1 + _port(arriving.index(edge), len(arriving), half)
            middle = (x + x1) / 2
            path.append(f"C{middle:.1f} {y:.1f} {middle:.1f} {y1:.1f} {x1:.1f} {y1:.1f}")
            x, y = x1, y1
            if p is not last:
                x = columns[p.layer][1]
                path.append(f"H{x:.1f}")
        drawn.append(("drawn", f'<path d="{"".join(path)}" stroke-opacity="0.6"/>'))
        head = f"M{x + _ARROW:.1f} {y:.1f}l{-_ARROW:g} -3.5v7z"
        drawn.append(("drawn", f'<path d="{head}" fill="currentColor" stroke="none"/>'))
    return drawn


def _port(index: int, count: int, half: float) -> float:
    """Return the offset from the middle of a box at which its edge number `index` of `count` is attached."""
    return (index - (count - 1) / 2) * min(_PORT, (2 * half - _PAD) / count)


def _boxes(
    tape: Tape,
    columns: list[tuple[float, float]],
    heights: dict[Point, float],
    texts: dict[int, list[str]],
    half: float,
) -> list[tuple[str, str]]:
    drawn = []
    for point, y in heights.items():
        if point.via is not None:
            continue
        left, right = columns[point.layer]
        stroke = 2 if point.row == tape.output else 1
        area = f'x="{left:.1f}" y="{y - half:.1f}" width="{right - left:.1f}" height="{2 * half:.1f}"'
        drawn.append(("drawn", f'<rect {area} rx="7" stroke-width="{stroke}"/>'))
        for index, text in enumerate(texts[point.row]):
            baseline = y - half + _PAD + (index + 0.72) * _LINE
            style = ' font-weight="bold"' if index == 0 else ' fill-opacity="0.8"'
            drawn.append(("filled", f'<text x="{left + _PAD:.1f}" y="{baseline:.1f}"{style}>{escape(text)}</text>'))
    return drawn
