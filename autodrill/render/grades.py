"""The grades of many files as text lines, JUnit XML and GitHub annotations."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from autodrill.grading.report import Verdict
from autodrill.render.plain import ASCII, clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodrill.grading.report import Report
    from autodrill.render.plain import Paint, Symbols

__all__ = ["github_lines", "grade_line", "hanging", "junit_document", "summary"]

_INDENT = " " * 11
"""As wide as the sign and the verdict."""


def grade_line(report: Report, paint: Paint, symbols: Symbols) -> str:
    """Return one line: the verdict, the file, and the reason in a few words, or why a person should read the file."""
    right = report.verdict is Verdict.PASS
    sign, colour = (symbols.yes, "green") if right else (symbols.no, "red")
    verdict = paint(f"{sign} {report.verdict.upper():8}", colour)
    why = _reaches_out(report) if right else _why(report)
    path = clean(report.path)
    if symbols is ASCII:  # escaped, because names that differ must not be spelled alike
        path = path.encode("ascii", "backslashreplace").decode("ascii")
    return f"{verdict} {path}" + (f"  {paint(why, 'dim')}" if why else "")


def hanging(line: str, width: int) -> list[str]:
    """Break the line of a grade for a terminal of `width` columns, and indent what follows the first row.

    If the terminal broke the line, a file name could go on as the verdict of another file.
    """
    from autodrill.render.watch_screen import broken, columns_of

    if columns_of(line) <= width:
        return [line]
    first, *rest = broken(line, width - len(_INDENT))
    return [first, *(_INDENT + row for row in rest)]


def summary(reports: Sequence[Report], seed: int) -> str:
    """Return the number of files per verdict, the seed, and the layers of the sandbox."""
    count = Counter(report.verdict for report in reports)
    parts = ", ".join(f"{count[verdict]} {verdict}" for verdict in Verdict if count[verdict])
    if not reports:
        return "0 graded"
    layers = next((report.layers for report in reports if report.layers), ())
    return f"{len(reports)} graded: {parts}; seed {seed}; sandbox: {', '.join(layers) or 'none'}"


def junit_document(reports: Sequence[Report]) -> str:
    """Return JUnit XML. A wrong answer is a failure. A file that does not run, and an internal fault, are errors."""
    from xml.sax.saxutils import escape, quoteattr  # writes only; nothing is parsed

    failures = sum(report.verdict is Verdict.FAIL for report in reports)
    errors = sum(report.verdict not in {Verdict.FAIL, Verdict.PASS} for report in reports)
    counts = f'tests="{len(reports)}" failures="{failures}" errors="{errors}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {counts}>",
        f'<testsuite name="autodrill" {counts}>',
    ]
    for report in reports:
        case = f"<testcase classname={quoteattr(report.exercise)} name={quoteattr(_xml(report.path))}"
        case += f' time="{report.seconds:.3f}"'
        if report.verdict is Verdict.PASS:
            remarks = "; ".join(f"{remark.key}: {remark.text}" for remark in report.remarks)
            said = f"<system-out>{escape(_xml(remarks))}</system-out>" if remarks else ""
            lines.append(f"{case}>{said}</testcase>")
            continue
        kind = "failure" if report.verdict is Verdict.FAIL else "error"
        lines.append(
            f"{case}><{kind} type={quoteattr(report.verdict)} message={quoteattr(_xml(_why(report)))}/></testcase>"
        )
    return "\n".join([*lines, "</testsuite>", "</testsuites>", ""])


def github_lines(reports: Sequence[Report]) -> Iterator[str]:
    """Yield a GitHub workflow command for each file that does not pass, or that a person should read."""
    for report in reports:
        if why := _reaches_out(report):
            yield f"::warning file={_property(report.path)},title={_property(report.exercise)}::{_escaped(why)}"
        if report.verdict is not Verdict.PASS:
            line = report.failure.line if report.failure is not None else None
            place = f"file={_property(report.path)}" + (f",line={line}" if line else "")
            yield f"::error {place},title={_property(report.exercise)}::{_escaped(_why(report))}"


def _reaches_out(report: Report) -> str:
    return next((f"{r.key}: {clean(r.text)}" for r in report.remarks if r.key == "reaches-out"), "")


def _why(report: Report) -> str:
    if report.failure is None:
        return clean(report.detail)
    rule = f"{report.failure.rule.key}: " if report.failure.rule is not None else ""
    line = f"line {report.failure.line}: " if report.failure.line is not None else ""
    return clean(f"{line}{rule}{report.failure.summary}")


def _xml(text: str) -> str:
    """Escape lone surrogates, which XML 1.0 cannot hold; `clean` has escaped all control characters."""
    return clean(text).encode("utf-8", "backslashreplace").decode("utf-8")


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(clean(text)).replace(":", "%3A").replace(",", "%2C")
