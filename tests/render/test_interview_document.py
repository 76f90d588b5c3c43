"""The report of an interview as a document."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

from autodrill.practice.interview_report import Coded
from autodrill.render.interview_document import as_html, as_markdown
from tests.render.test_interview_screen import ATTEMPT, answered, report

HOSTILE = "</pre><script>alert(1)</script>\n```\n# not a heading\n````\n<img src=x onerror=1> & [a/b]"
CODED = Coded("mul_backward", 5.0, 90.0, True, (ATTEMPT,), "def f():\n    return '</pre>'\n")


class Reader(HTMLParser):
    """Collects the tags, the attributes and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attributes
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_shows_typed_text_as_data() -> None:
    page = Reader(as_html(report(answered(typed=HOSTILE), coded=CODED)))
    assert HOSTILE in page.text
    assert "return '</pre>'" in page.text
    assert not {"script", "img"} & set(page.tags)
    assert page.open == []


def test_html_loads_nothing() -> None:
    page = Reader(as_html(report(answered(), coded=CODED)))
    assert not {"src", "href"} & {name for name, _ in page.attributes}
    assert not {"link", "script", "img", "iframe"} & set(page.tags)
    assert "@import" not in page.text
    assert "url(" not in page.text


def test_html_has_what_was_covered_and_missed() -> None:
    page = Reader(as_html(report(answered("What is `a < b`?", made=False))))
    assert "What is a < b?" in page.text
    assert "code" in page.tags
    assert "✗ missed second point" in page.text
    assert "1 of 2" in page.text


def test_markdown_keeps_typed_text_inside_its_fence() -> None:
    written = as_markdown(report(answered(typed=HOSTILE)))
    fence = "`````"
    block = written.split(f"{fence}\n")[1]
    assert block == HOSTILE + "\n"
    assert "# not a heading" not in written.replace(block, "")


def test_markdown_ticks_what_was_made() -> None:
    written = as_markdown(report(answered(made=False), coded=CODED))
    assert "- [x] first point" in written
    assert "- [ ] second point" in written
    assert "- [ ] third point (bonus)" in written
    assert "```python\ndef f():" in written


def test_document_shows_the_right_answer_of_a_wrong_one() -> None:
    wrong = replace(answered(), judged=True, right=0, of=1, points=(), answer="a\nb", kind="predict")
    assert "Wrong. The right answer:\n\n```\na\nb\n```" in as_markdown(report(wrong))
    assert "✗ wrong; the right answer:a\nb" in Reader(as_html(report(wrong))).text
