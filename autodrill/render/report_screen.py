"""A grading report for the terminal: at most 14 lines of 80 columns, with a word for every state."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import FaultKind
from autodrill.grading.report import Basis, Verdict
from autodrill.render.plain import clean, fit

if TYPE_CHECKING:
    from autodrill.drills.answer_records import Rule
    from autodrill.grading.report import Failure, Report
    from autodrill.render.plain import Paint, Symbols

__all__ = ["headline", "paragraph", "report_lines"]

_WIDTH = 80
_HEIGHT = 14
_ROWS = 2

_AGAINST = {
    Basis.ORACLES: "agree with the reference engine and finite differences",
    Basis.ENGINE: "agree with the reference engine",
    Basis.ANSWER: "agree with the answer in the exercise",
    Basis.JUDGE: "are right according to the exercise's judge",
}


def report_lines(
    report: Report,
    paint: Paint,
    symbols: Symbols,
    *,
    file_option: str = "",
    pack_options: str = "",
    width: int = _WIDTH,
    path: bool = True,
) -> list[str]:
    """Return a report as lines of at most `width` columns, without counting colour codes.

    Args:
        report: The report.
        paint: Colours text.
        symbols: The signs that the stream can encode.
        file_option: ` --file PATH` if the file was named, for the replay line.
        pack_options: ` --pack DIR` for each pack that was named, for every command.
        width: The longest line. Lines of more than 80 columns are not made.
        path: Whether the last line names the graded file.
    """
    width = min(width, _WIDTH)
    if report.verdict is Verdict.PASS:
        return _passed(report, paint, symbols, width, path=path)
    if report.verdict is Verdict.INTERNAL:
        return [
            paint(
                fit(f"! INTERNAL  {report.exercise}: autodrill or the exercise is at fault, not you", width),
                "amber",
                "bold",
            ),
            *paragraph(clean(report.detail), "  ", 4, width),
            "  This attempt does not count. Please report it with the command below.",
            f"  autodrill check {report.exercise} --seed {report.seed}{clean(pack_options)}",
        ]
    assert report.failure is not None
    failure = report.failure
    word = {Verdict.ERROR: "ERROR", Verdict.TIMEOUT: "TIMEOUT"}.get(report.verdict, "FAIL")
    head = f"{symbols.no} {word}  {report.exercise}: {headline(failure)}"
    lines = [paint(line, "red", "bold") for line in paragraph(head, "", 2, width, hanging="  ")]
    if failure.kind is FaultKind.NOT_IMPLEMENTED:
        where = f"line {failure.line} of " if failure.line else ""
        edit = paragraph(f"Edit {where}{clean(report.path)}, then check again.", "  ", 4, width)
        task = f"  task: autodrill show {report.exercise}{clean(pack_options)}"
        help_ = f"help: autodrill hint {report.exercise}{clean(pack_options)}"
        both = [f"{task}    {help_}"] if len(task) + 4 + len(help_) <= width else [task, f"  {help_}"]
        return [*lines, *edit, *both]
    if failure.rule is not None:
        lines += _rule(failure.rule, paint, width)
    lines += _place(failure, paint, width)
    if failure.case is not None:
        lines += ["", *_case(failure, paint, symbols, width)]
    tail = _tail(report, failure, file_option + pack_options, paint, width)
    hint = paragraph(clean(failure.rule.hint), "  ", 2, width) if failure.rule and failure.rule.hint else []
    named = not path or (file_option and tail)
    lines += ["", *(paint(h, "cyan") for h in hint), *tail, *([] if named else _graded(report, paint, width))]
    return lines if len(lines) <= _HEIGHT else [line for line in lines if line]


def _passed(report: Report, paint: Paint, symbols: Symbols, width: int, *, path: bool) -> list[str]:
    lines = [
        paint(f"{symbols.yes} PASS  {report.exercise}", "green", "bold"),
        *paragraph(f"{report.passed} of {report.cases} cases {_AGAINST[report.basis]}", "  ", 1, width),
        *([f"  run on {clean(report.device)}"] if report.device else []),
        paint(f"  seed {report.seed}, {report.seconds:.2f} s", "dim"),
        *(_graded(report, paint, width) if path else []),
    ]
    for remark in report.remarks[:3]:
        lines += paragraph(f"remark ({remark.key}): {clean(remark.text)}", "  ", 3, width)
    return lines


def _graded(report: Report, paint: Paint, width: int) -> list[str]:
    path, room = clean(report.path), width - len("  graded ")
    return [paint(f"  graded {path if len(path) <= room else '...' + path[3 - room :]}", "dim")]


def headline(failure: Failure) -> str:
    """Return what is wrong, in one line, with the line of the file where it happened."""
    text = clean(failure.summary)
    if failure.kind in {FaultKind.RAISED, FaultKind.DEVICE, FaultKind.COMPILE} and failure.line is not None:
        return f"line {failure.line}: {text}"
    if failure.kind is FaultKind.SYNTAX and failure.line is not None:
        return f"line {failure.line}: not valid Python: {text}"
    if failure.line is not None and failure.kind in (
        FaultKind.TIME, FaultKind.MEMORY, FaultKind.OUTPUT, FaultKind.DIED, FaultKind.TOO_SLOW,
    ):  # fmt: skip
        return f"line {failure.line}: {text}"
    return text


def _rule(rule: Rule, paint: Paint, width: int) -> list[str]:
    believes = "your code behaves as if " if rule.known else ""
    because = f": {believes}{clean(rule.because)}" if rule.because else ""
    lines = paragraph(f"broken rule `{rule.key}`{because}", "  ", 2, width)
    return [paint(lines[0], "bold"), *(paint(line, "bold") for line in lines[1:])]


def _place(failure: Failure, paint: Paint, width: int) -> list[str]:
    if failure.line is None or not failure.code:
        return []
    return [paint(fit(f"  {failure.line:>4} | {clean(failure.code)}", width), "dim")]


def _case(failure: Failure, paint: Paint, symbols: Symbols, width: int) -> list[str]:
    given = [f"{name}\0=\0{value}" for name, value in failure.given.items()]  # no line ends in `name =`
    special = f" ({clean(failure.label)})" if failure.label else ""
    label = paragraph(f"smallest case that shows it{special}:", "  ", 1, width)
    lines = [*label, *(line.replace("\0", " ") for line in paragraph(", ".join(given), "    ", 2, width))]
    rows = sorted(failure.comparisons, key=lambda row: not row.wrong)[:_ROWS]
    if not rows:
        return lines
    if not any(row.expected for row in rows):
        return [*lines, *(fit(f"    {row.name}: {clean(row.got)}", width) for row in rows)]
    name = max(len(row.name) for row in rows)
    expected = max(len("expected"), *(len(row.expected) for row in rows))
    got = max(len("got"), *(len(row.got) for row in rows))
    if 4 + name + 2 + expected + 2 + got + 3 <= width:
        lines.append(paint(f"    {'':<{name}}  {'expected':<{expected}}  got", "dim"))
        for row in rows:
            mark = f"  {symbols.no}" if row.wrong else ""
            lines.append(
                f"    {row.name:<{name}}  {row.expected:<{expected}}  {_coloured(row.got, row.wrong, paint)}{mark}"
            )
        return lines
    row = rows[0]
    return [
        *lines,
        fit(f"    {row.name} expected  {row.expected}", width),
        fit(f"    {row.name} got       {row.got}", width),
    ]


def _coloured(text: str, wrong: bool, paint: Paint) -> str:
    return paint(text, "red") if wrong else text


def _tail(report: Report, failure: Failure, options: str, paint: Paint, width: int) -> list[str]:
    if failure.case is None:
        return []
    command = f"autodrill check {report.exercise} --seed {report.seed} --case {failure.case}{clean(options)}"
    line = f"  replay: {command}"
    if not options and len(line) > width:
        line = f"  {command}"  # a long name leaves no room for the label
    if not report.device and len(line) + len("   debug: add --pdb") <= width:
        line += "   debug: add --pdb"
    return [paint(line, "dim")]


def paragraph(text: str, indent: str, most: int, width: int, hanging: str | None = None) -> list[str]:
    """Break a text at words into at most `most` lines of 80 columns, or as many narrower ones as hold as much."""
    most = -(-most * _WIDTH // width)
    after = indent if hanging is None else hanging
    lines = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=after, break_long_words=True)
    if len(lines) > most:
        return [*lines[: most - 1], fit(lines[most - 1] + " ...", width)]
    return lines
