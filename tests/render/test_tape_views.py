"""Pictures of a tape: every row and edge is drawn, nothing overlaps, and the output is deterministic."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from autodrill import engine
from autodrill.bank.lanes import lanes
from autodrill.bank.notation import cells
from autodrill.bank.traced_expression import trace_expression
from autodrill.engine.tracing.recording import tape_of
from autodrill.render.diagram import as_svg
from autodrill.render.diagram_layout import Point, layout
from autodrill.render.tape_views import as_dot, as_json, as_mermaid, table

if TYPE_CHECKING:
    from autodrill.engine.tracing.tape import Tape

SVG = "{http://www.w3.org/2000/svg}"
SURVEY = trace_expression("ln(x1)+x1*x2-sin(x2)", {"x1": 2.0, "x2": 5.0}, "x1")
WIDE = trace_expression("x*x*x - -x^3 + cos(6*x) + exp(a)*x/(a+b*x)", {"x": -3.0, "a": 1.0, "b": 2.0}, "x")
ALONE = trace_expression("x", {"x": 1.0, "unused": 3.0}, "x")
TAPES = pytest.mark.parametrize("tape", [SURVEY, WIDE, ALONE], ids=["survey", "wide", "alone"])


def edges_of(tape: Tape) -> list[tuple[int, int]]:
    return [(source, row.number) for row in tape.rows for source in row.sources]


def test_table_shows_graph_formulas_and_numbers() -> None:
    assert table(SURVEY, 60) == [
        "                          value  tangent  adjoint",
        "●      v-1     x1             2        1      5.5",
        "│ ●    v0      x2             5        0    1.716",
        "├─│─●  v1      ln v-1     0.693      0.5        1",
        "●─┤ │  v2      v-1 × v0      10        5        1",
        "│ ● │  v3      sin v0    -0.959        0       -1",
        "●─│─┘  v4      v1 + v2   10.693      5.5        1",
        "●─┘    v5 = y  v4 − v3   11.652      5.5        1",
    ]


def test_ascii_table_has_the_same_width() -> None:
    plain, rich = table(SURVEY, 60, ascii_only=True), table(SURVEY, 60)

    assert all(line.isascii() for line in plain)
    assert plain[3].startswith("+-|-*")
    assert [len(line) for line in plain] == [cells(line) for line in rich]


def test_graph_too_wide_for_the_screen_is_left_out_with_a_note() -> None:
    lines = table(WIDE, 50)

    assert not any("●" in line for line in lines)
    assert lines[-1].startswith("(with the graph, the table needs ")
    assert max(map(cells, lines)) <= 50


@TAPES
def test_lanes_lead_to_the_operands_of_each_row(tape: Tape) -> None:
    held: dict[int, int] = {}  # the row whose value each lane carries, read from the drawing alone
    for row, line in zip(tape.rows, lanes(tape), strict=True):
        at = line.index("●")
        joined = [i for i in range(0, len(line), 2) if line[i] in "├┤└┘┴┼"]
        through = [held[at]] if at in held and held[at] in row.sources else []

        assert sorted([held[i] for i in joined] + through) == sorted(row.sources)
        for i in joined:
            if line[i] in "└┘┴":
                del held[i]
        held[at] = row.number
        assert all(held[i] in row.sources for i in joined if i in held)


@TAPES
def test_svg_has_the_boxes_and_edges_of_the_tape(tape: Tape) -> None:
    picture = ET.fromstring(as_svg(tape, "a <tape>"))

    assert picture.findtext(f"{SVG}title") == "a <tape>"
    assert f"v{tape.output}" in (picture.findtext(f"{SVG}desc") or "")
    assert len(picture.findall(f"{SVG}rect")) == len(tape.rows)
    paths = picture.findall(f"{SVG}path")
    assert len(paths) == 2 * len(edges_of(tape))  # the line and its arrowhead
    assert set(re.findall(r'(?:fill|stroke)="([^"]+)"', as_svg(tape, ""))) == {"none", "currentColor"}


@TAPES
def test_svg_boxes_are_apart_and_inside_the_picture(tape: Tape) -> None:
    picture = ET.fromstring(as_svg(tape, "tape"))
    boxes = [tuple(float(r.attrib[k]) for k in ("x", "y", "width", "height")) for r in picture.iter(f"{SVG}rect")]

    for x, y, w, h in boxes:
        assert x > 0
        assert y > 0
        assert x + w < float(picture.attrib["width"])
        assert y + h < float(picture.attrib["height"])
    for (x, y, w, h), (x2, y2, w2, h2) in itertools.combinations(boxes, 2):
        assert x + w < x2 or x2 + w2 < x or y + h < y2 or y2 + h2 < y


def test_svg_is_deterministic() -> None:
    again = trace_expression("ln(x1)+x1*x2-sin(x2)", {"x1": 2.0, "x2": 5.0}, "x1")

    assert as_svg(SURVEY, "t") == as_svg(again, "t")


def test_layout_of_the_survey_example_has_no_crossings() -> None:
    plan = layout(SURVEY, lambda a, b: 1.0)

    steps = [pair for edge in plan.edges for pair in itertools.pairwise(edge)]
    for (a, b), (c, d) in itertools.combinations(steps, 2):
        if a.layer == c.layer:
            above = (plan.heights[a] - plan.heights[c]) * (plan.heights[b] - plan.heights[d])
            assert above >= 0


def test_layout_keeps_the_requested_distances() -> None:
    def gap(a: Point, b: Point) -> float:
        return 3.0 if a.via is None else 1.0

    plan = layout(WIDE, gap)

    assert min(plan.heights.values()) == 0
    for points in plan.layers:
        for a, b in itertools.pairwise(points):
            assert plan.heights[b] - plan.heights[a] >= gap(a, b) - 1e-9  # sums of floats


@TAPES
def test_dot_and_mermaid_have_the_edges_of_the_tape(tape: Tape) -> None:
    place = {row.number: k for k, row in enumerate(tape.rows)}

    dot = re.findall(r'"(-?\d+)" -> "(-?\d+)"', as_dot(tape))
    mermaid = re.findall(r"n(\d+) --> n(\d+)", as_mermaid(tape))

    assert [(int(a), int(b)) for a, b in dot] == edges_of(tape)
    assert [(int(a), int(b)) for a, b in mermaid] == [(place[a], place[b]) for a, b in edges_of(tape)]


def test_dot_and_mermaid_escape_markup() -> None:
    tape = tape_of(lambda x: x * 2.0, {'a"b<c\\': 1.0})

    assert "a#quot;b#lt;c" in as_mermaid(tape)
    assert r"a\"b<c\\" in as_dot(tape)


def test_json_has_numbers_at_full_precision() -> None:
    rows = as_json(SURVEY)["rows"]

    assert rows[2]["primal"] == float(SURVEY[1].primal)
    assert rows[3]["operands"] == [{"row": -1}, {"row": 0}]
    assert rows[3]["contributions"][0] == {"to": -1, "operands": [0], "amount": 5.0}


def test_table_shows_arrays_by_shape() -> None:
    tape = tape_of(lambda w: engine.tanh(w).sum(), {"w": engine.Tensor([[0.0, 1.0], [2.0, 3.0]])}, tangents={})

    assert "shape (2, 2)" in table(tape, 80)[1]
    assert "sum(v1)" in "\n".join(table(tape, 80))
