"""The report of an interview as a Markdown or an HTML document. What the learner typed is data in both."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from autodrill.practice.interview_plan import Form
from autodrill.render.interview_screen import clock, code_line, headline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodrill.practice.interview_report import Answered, InterviewReport

__all__ = ["as_html", "as_markdown"]

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #222;
  background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; margin: 1.5rem 0 0; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .2rem 1.2rem .2rem 0; }
td.bar { width: 12rem; } .bar div { background: #d5dbe1; height: .7rem; } .bar div div { background: #2f7d4f; }
pre { background: #f4f5f7; padding: .7rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .9rem; }
code { background: #f4f5f7; } .facts { color: #666; margin: 0; } .made { color: #21683f; } .missed { color: #a3281e; }
ul { list-style: none; padding-left: 0; }
@media print { body { margin: 0; max-width: none; font-size: 11pt; } section { break-inside: avoid; }
  pre { border: 1px solid #ccc; } .bar div { print-color-adjust: exact; } }
"""
_INLINE = re.compile(r"(`+)(.+?)\1")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def as_markdown(report: InterviewReport) -> str:
    """Return a report in Markdown."""
    return "\n".join(_markdown(report)).rstrip() + "\n"


def _markdown(report: InterviewReport) -> Iterator[str]:
    yield from (f"# {_escaped(headline(report))}", "", _summary(report), "")
    if report.topics:
        yield from ("| topic | points | time |", "|---|---|---|")
        for result in report.topics:
            yield f"| {result.topic} | {result.right} of {result.of} | {clock(result.seconds)} |"
        yield ""
    if report.coded is not None:
        yield from ("## Code", "", _escaped(code_line(report.coded)), "")
        if report.coded.source.strip():
            yield from (*_fenced(report.coded.source, "python"), "")
    if report.answered:
        yield from ("## Answers", "")
    for answer in report.answered:
        yield from (f"### {answer.title}", "", _facts(answer), "")
        yield from (*_fenced("\n".join(answer.lines) or "nothing typed"), "")
        if answer.judged:
            right = answer.right == answer.of
            yield from (("Right.",) if right else ("Wrong. The right answer:", "", *_fenced(answer.answer)))
            yield ""
        for text, needed, made in answer.points:
            yield f"- [{'x' if made else ' '}] {text}" + ("" if needed else " (bonus)")
        if answer.points:
            yield ""
    yield from _listed("Not reached", report.left)
    yield from _listed("Practise next: `autodrill quiz`", report.queued)
    yield from _listed("Practise next: `autodrill open NAME`", report.exercises)


def _listed(heading: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        yield from (f"## {heading}", "", *(f"- {name}" for name in names), "")


def _fenced(text: str, info: str = "") -> list[str]:
    """Return text in a fence that is longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return [fence + info, *text.rstrip("\n").split("\n"), fence]


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _facts(answer: Answered) -> str:
    form = "follow-up" if answer.form == Form.FOLLOW_UP else answer.kind
    points = f", {answer.right} of {answer.of}" if answer.of else ""
    return f"{form} on {answer.topic}, {clock(answer.seconds)} of {answer.minutes:g} min{points}"


def _summary(report: InterviewReport) -> str:
    parts = [f"{report.right} of {report.of} needed points made."] if report.of else []
    for word, results in (("Strong", report.strong), ("Weak", report.weak)):
        if results:
            parts.append(f"{word}: {', '.join(result.topic for result in results)}.")
    return " ".join(parts)


def as_html(report: InterviewReport) -> str:
    """Return a report as one HTML page that loads nothing."""
    title = html.escape(headline(report))
    body = "\n".join(_html(report))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _html(report: InterviewReport) -> Iterator[str]:
    yield f"<h1>{html.escape(headline(report))}</h1>"
    yield f"<p>{html.escape(_summary(report))}</p>"
    if report.topics:
        yield "<table><tr><th>topic</th><th>points</th><th></th><th>time</th></tr>"
        for result in report.topics:
            share = 100 * result.right / result.of if result.of else 0
            yield (
                f"<tr><td>{html.escape(result.topic)}</td><td>{result.right} of {result.of}</td>"
                f'<td class="bar"><div><div style="width: {share:.0f}%"></div></div></td>'
                f"<td>{clock(result.seconds)}</td></tr>"
            )
        yield "</table>"
    if report.coded is not None:
        yield f"<h2>Code</h2><p>{html.escape(code_line(report.coded))}</p>"
        if report.coded.source.strip():
            yield _pre(report.coded.source)
    if report.answered:
        yield "<h2>Answers</h2>"
    for answer in report.answered:
        yield f'<section><h3>{_inline(answer.title)}</h3><p class="facts">{html.escape(_facts(answer))}</p>'
        yield _pre("\n".join(answer.lines) or "nothing typed")
        if answer.judged:
            right = answer.right == answer.of
            word = '<p class="made">✓ right</p>' if right else '<p class="missed">✗ wrong; the right answer:</p>'
            yield word + ("" if right else _pre(answer.answer))
        if answer.points:
            yield "<ul>"
            for text, needed, made in answer.points:
                word = "made" if made else "missed" if needed else "bonus"
                sign = "✓" if made else "✗" if needed else "·"
                yield f'<li><span class="{word}">{sign} {word}</span> {_inline(text)}</li>'
            yield "</ul>"
        yield "</section>"
    for heading, names in (
        ("Not reached", report.left),
        ("Practise next: autodrill quiz", report.queued),
        ("Practise next: autodrill open NAME", report.exercises),
    ):
        if names:
            items = "".join(f"<li>{_inline(name)}</li>" for name in names)
            yield f"<h2>{html.escape(heading)}</h2><ul>{items}</ul>"


def _pre(text: str) -> str:
    return f"<pre>{html.escape(text.rstrip())}</pre>"


def _inline(text: str) -> str:
    """Return a line of the bank as HTML: its code is marked, the rest is text."""
    return _INLINE.sub(r"<code>\2</code>", html.escape(text))
