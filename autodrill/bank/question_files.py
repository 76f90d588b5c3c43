"""The reader of question files. It collects every problem, each with file and line, before it raises an error."""

from __future__ import annotations

import itertools
import re
import tomllib
from typing import TYPE_CHECKING

from autodrill.bank.answer_keys import read_key
from autodrill.bank.front_matter import FrontMatter
from autodrill.bank.question_index import question_files, text_of
from autodrill.bank.question_markup import Passage
from autodrill.bank.questions import LEAST_NEEDED, MOST_NEEDED, CommonlyRead, Difficulty, FollowUp, Kind, Question
from autodrill.errors import ContentError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from autodrill.bank.question_markup import Section
    from autodrill.bank.questions import Fence

__all__ = ["load_questions", "read_file"]

_DELIMITER = "+++"
_REQUIRED_SECTIONS = ("Answer", "Key points", "Common wrong answers", "Follow-ups")
_SECTIONS = (*_REQUIRED_SECTIONS, "Options", "You will often read", "Proof")
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SOURCE = re.compile(r"\d{3}#\S+|new")
_EXERCISE = re.compile(r"[a-z0-9_]+")
_COMMONLY_READ = re.compile(r"(.+?)\s*\*In fact,\*\s*(.+)", re.DOTALL)
_LATEX = re.compile(r"\\(?:frac|partial|sum|prod|sqrt|bar|dot|hat|cdot|left|right|mathbf|text|[()\[\]])|\$\$")
_PRODUCT = re.compile(r"(?:\b\w{1,2}|[)\]])\*[\w(\[][^*]*\*")
_INLINE_CODE = re.compile(r"`[^`]*`")


def load_questions(folder: Path | None = None) -> tuple[Question, ...]:
    """Load every question below `folder`, in the order of its `_order.txt`; unlisted files follow by name.

    Args:
        folder: The folder of the question files; by default the bank that ships with autodrill.

    Raises:
        ContentError: A question is malformed, or an id occurs twice. The error carries every problem of every file.
        FileError: A file cannot be read.
    """
    questions: list[Question] = []
    problems: list[Problem] = []
    for path in question_files(folder):
        found, wrong = read_file(path)
        questions += found
        problems += wrong
    problems += _repeated_ids(questions)
    if problems:
        raise ContentError(problems)
    return tuple(questions)


def read_file(path: Path) -> tuple[list[Question], list[Problem]]:
    """Read one question file.

    Returns:
        The well-formed questions, and every problem of the others.

    Raises:
        FileError: The file cannot be read or is not UTF-8.
    """
    lines = text_of(path).splitlines()
    questions: list[Question] = []
    problems: list[Problem] = []
    for start, matter, body in _blocks(path, lines, problems):
        reader = _QuestionReader(path, start, problems)
        question = reader.read(matter, body)
        if question is not None:
            questions.append(question)
    return questions, problems


def _blocks(path: Path, lines: list[str], problems: list[Problem]) -> Iterable[tuple[int, list[str], Passage]]:
    """Yield the line, the front matter (the TOML between the `+++` lines) and the body of each question."""
    at = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    if at == len(lines):
        problems.append(Problem(str(path), 1, "the file contains no question"))
    elif lines[at].rstrip() != _DELIMITER:
        problems.append(Problem(str(path), at + 1, f"a question file must start with a `{_DELIMITER}` line"))
    while at < len(lines):
        if lines[at].rstrip() != _DELIMITER:
            at += 1
            continue
        end = next((i for i in range(at + 1, len(lines)) if lines[i].rstrip() == _DELIMITER), None)
        if end is None:
            problems.append(Problem(str(path), at + 1, f"the front matter has no closing `{_DELIMITER}` line"))
            return
        body = Passage.scan(lines, end + 1, _DELIMITER)
        if body.unclosed is not None:
            problems.append(Problem(str(path), body.unclosed, "the code fence is never closed"))
        yield at + 1, lines[at + 1 : end], body
        at = end + 1 + len(body.lines)


class _QuestionReader:
    """Reads one question and notes every problem."""

    def __init__(self, path: Path, line: int, problems: list[Problem]) -> None:
        self.path = path
        self.line = line
        self.problems = problems

    def note(self, line: int, message: str) -> None:
        self.problems.append(Problem(str(self.path), line, message))

    def read(self, matter_lines: list[str], body: Passage) -> Question | None:
        before = len(self.problems)
        try:
            table = tomllib.loads("\n".join(matter_lines))
        except tomllib.TOMLDecodeError as error:
            at = re.search(r"at line (\d+)", str(error))
            self.note(self.line + (int(at[1]) if at else 1), f"the front matter is not valid TOML: {error}")
            return None
        matter = FrontMatter(table, matter_lines, self.line, self.note)
        kind = matter.choice("kind", Kind)
        difficulty = matter.choice("difficulty", Difficulty)
        identity = matter.text("id", _ID, "lower-case letters, digits and hyphens")
        answering = matter.number("minutes")
        topics = matter.texts("topics", _ID, "lower-case letters, digits and hyphens", required=True)
        sources = matter.texts("sources", _SOURCE, 'a document and a number, such as "001#Q3"', required=True)
        exercises = matter.texts(
            "exercises", _EXERCISE, "an exercise's id, in lower-case letters, digits and underscores"
        )

        title, ask, sections = self._sections(body)
        self._mathematics(body)
        key = read_key(kind, matter, ask, sections, self.note) if kind else None
        if kind:
            matter.refuse_unknown(kind)
        points = self._items(sections, "Key points", 3, 6)
        needed = self._needed(sections.get("Key points"))
        wrong = self._items(sections, "Common wrong answers", 1)
        commonly_read = self._commonly_read(sections.get("You will often read"))
        follow_ups = tuple(_follow_up(text) for text in self._items(sections, "Follow-ups", 1))
        proofs = self._proofs(sections.get("Proof"), required=kind in {Kind.NUMERIC, Kind.BUG, Kind.DERIVE})
        if len(self.problems) > before or kind is None or difficulty is None:
            return None
        return Question(
            id=identity,
            kind=kind,
            difficulty=difficulty,
            answering=answering,
            topics=topics,
            sources=sources,
            exercises=exercises,
            title=title,
            body=ask.text,
            answer=sections["Answer"].passage.text,
            key_points=points,
            needed=needed,
            wrong_answers=wrong,
            commonly_read=commonly_read,
            follow_ups=follow_ups,
            proofs=proofs,
            key=key,
            path=self.path,
            line=self.line,
        )

    def _sections(self, body: Passage) -> tuple[str, Passage, dict[str, Section]]:
        before, questions = body.sections("##")
        if before.text:
            self.note(before.first, "the text of a question must start with its title: `## Why ...?`")
        if len(questions) != 1:
            line = questions[1].line if questions else self.line
            self.note(line, f"a question must have exactly one `## ` heading, but it has {len(questions)}")
        if not questions:
            return "", before, {}
        ask, found = questions[0].passage.sections("###")
        if not questions[0].heading:
            self.note(questions[0].line, "the title is empty; write the question after `## `")
        sections: dict[str, Section] = {}
        for section in found:
            if section.heading not in _SECTIONS:
                self.note(section.line, f"unknown section `{section.heading}`; use one of {', '.join(_SECTIONS)}")
            elif section.heading in sections:
                self.note(section.line, f"the section `{section.heading}` occurs twice")
            elif not section.passage.text:
                self.note(section.line, f"the section `{section.heading}` is empty")
            sections.setdefault(section.heading, section)
        for heading in _REQUIRED_SECTIONS:
            if heading not in sections:
                self.note(questions[0].line, f"the section `### {heading}` is missing")
        return questions[0].heading, ask, sections

    def _items(
        self, sections: dict[str, Section], heading: str, least: int, most: int | None = None
    ) -> tuple[str, ...]:
        section = sections.get(heading)
        if section is None:
            return ()
        stray = section.passage.stray()
        if stray is not None:
            self.note(stray, f"`{heading}` must be a list, with `- ` before each item")
        bullets = section.passage.bullets()
        if heading != "Key points" and (plus := next((bullet for bullet in bullets if bullet.plus), None)):
            self.note(plus.line, f"`+` marks a bonus among the key points; start an item of `{heading}` with `- `")
        items = tuple(bullet.text for bullet in bullets)
        if len(items) < least or (most is not None and len(items) > most):
            wanted = f"{least} to {most}" if most else f"at least {least}"
            self.note(section.line, f"`{heading}` has {len(items)} items; write {wanted}")
        return items

    def _needed(self, section: Section | None) -> int:
        """Return how many key points a good answer needs: those before the first `+`, or the first three."""
        bullets = section.passage.bullets() if section else ()
        marked = [bullet.plus for bullet in bullets]
        if section is None or True not in marked:
            return min(len(bullets), MOST_NEEDED)
        needed = marked.index(True)
        if not all(marked[needed:]):
            self.note(bullets[needed].line, "a bonus point, marked with `+`, must come after the needed points")
        if not LEAST_NEEDED <= needed <= MOST_NEEDED:
            said = f"{needed} key points are needed; write two or three with `- `, and the bonus points with `+ `"
            self.note(section.line, said)
        return needed

    def _commonly_read(self, section: Section | None) -> tuple[CommonlyRead, ...]:
        if section is None:
            return ()
        read: list[CommonlyRead] = []
        if (stray := section.passage.stray()) is not None:
            self.note(stray, f"`{section.heading}` must be a list, with `- ` before each item")
        for bullet in section.passage.bullets():
            match = _COMMONLY_READ.fullmatch(bullet.text)
            if match is None:
                self.note(bullet.line, "write it as `- The claim. *In fact,* the correction.`")
            else:
                read.append(CommonlyRead(match[1], match[2]))
        return tuple(read)

    def _proofs(self, section: Section | None, *, required: bool) -> tuple[Fence, ...]:
        if section is None:
            if required:
                self.note(
                    self.line, "the section `### Proof` is missing; a question of this kind needs a proof of its key"
                )
            return ()
        passage = section.passage
        for i, line in enumerate(passage.lines):
            if line.strip() and not passage.coded[i]:
                self.note(
                    passage.first + i, "a proof can contain only code fences; write prose as comments in the code"
                )
                break
        fences = passage.fences()
        for fence in fences:
            if fence.info not in {"python", "python torch"}:
                self.note(fence.line - 1, "open the proof's fence with ```python or ```python torch")
        return fences

    def _mathematics(self, body: Passage) -> None:
        for number, line, is_code in zip(itertools.count(body.first), body.lines, body.coded, strict=False):
            if is_code or not ("\\" in line or "$$" in line or "*" in line):
                continue
            prose = _INLINE_CODE.sub("", line)
            if latex := _LATEX.search(prose):
                self.note(number, f"`{latex[0]}` is LaTeX; write mathematics in Unicode")
            if product := _PRODUCT.search(prose):
                self.note(number, f"Markdown reads the asterisks of `{product[0]}` as emphasis; use backticks or `·`")


def _follow_up(text: str) -> FollowUp:
    question, arrow, answer = text.partition(" → ")
    return FollowUp(question.strip(), answer.strip() if arrow else None)


def _repeated_ids(questions: Sequence[Question]) -> list[Problem]:
    ordered = sorted(questions, key=lambda q: q.id)
    return [
        Problem(str(again.path), again.line, f"the id `{again.id}` is already used at {once.path}:{once.line}")
        for once, again in itertools.pairwise(ordered)
        if once.id == again.id
    ]
