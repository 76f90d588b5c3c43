"""The reader of a question's key: its options, numbers, output, wrong line or formulas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from autodrill.bank.expression import ExpressionError, evaluate
from autodrill.bank.questions import BugKey, ChoiceKey, DeriveKey, Key, Kind, NumericKey, Option, PredictKey

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from autodrill.bank.front_matter import FrontMatter
    from autodrill.bank.question_markup import Passage, Section
    from autodrill.bank.questions import Fence

    Note = Callable[[int, str], None]

__all__ = ["read_key"]

DEFAULT_TOLERANCE = 1e-3

_OPTION = re.compile(r"\[([ xX])\]\s+(.+)", re.DOTALL)
_VARIABLE = re.compile(r"[A-Za-z_α-ω][A-Za-z_0-9α-ω]*")


def read_key(kind: Kind, matter: FrontMatter, ask: Passage, sections: Mapping[str, Section], note: Note) -> Key | None:
    """Read the key of a question of `kind` and note every problem; None for recall or a malformed key."""
    if kind is not Kind.CHOICE and "Options" in sections:
        note(sections["Options"].line, f"a {kind} question cannot have `### Options`; remove the section")
    match kind:
        case Kind.RECALL:
            return None
        case Kind.CHOICE:
            return _choice(matter, sections.get("Options"), note)
        case Kind.NUMERIC:
            return _numeric(matter)
        case Kind.PREDICT:
            program = _program(matter, ask, note)
            output = matter.text("output")
            return PredictKey(program, output) if program else None
        case Kind.BUG:
            return _bug(matter, _program(matter, ask, note))
        case Kind.DERIVE:
            return _derive(matter)


def _choice(matter: FrontMatter, section: Section | None, note: Note) -> ChoiceKey | None:
    if section is None:
        matter.problem("kind", "a choice question needs a section `### Options` before its answer")
        return None
    options: list[Option] = []
    for bullet in section.passage.bullets():
        match = _OPTION.fullmatch(bullet.text)
        if match is None:
            note(bullet.line, "write an option as `- [ ] text :: explanation`, and the right one with `[x]`")
            continue
        text, separator, explanation = match[2].partition(" :: ")
        right = match[1] != " "
        if not separator and not right:
            text, separator, explanation = match[2].partition(": ")
        if not right and not separator:
            note(bullet.line, "a wrong option needs its misconception: `- [ ] text :: the misconception`")
        options.append(Option(text.strip(), right, explanation.strip() if separator else None))
    if not 3 <= len(options) <= 8:
        note(section.line, f"there are {len(options)} options; write 3 to 8")
    if sum(option.right for option in options) != 1:
        note(section.line, "mark exactly one option with `[x]`")
    return ChoiceKey(tuple(options))


def _numeric(matter: FrontMatter) -> NumericKey:
    answers: dict[str, str] = {}
    values: dict[str, float] = {}
    for label, given in matter.table("answers").items():
        if isinstance(given, bool) or not isinstance(given, int | float | str):
            matter.problem(label, f'the answer `{label}` must be a number or a string such as "1/3", not {given!r}')
            continue
        try:
            values[label] = evaluate(str(given))
            answers[label] = str(given)
        except ExpressionError as error:
            matter.problem(label, f"the answer `{label}`: {error}")
    return NumericKey(answers, values, matter.number("tolerance", DEFAULT_TOLERANCE))


def _program(matter: FrontMatter, ask: Passage, note: Note) -> Fence | None:
    programs = [fence for fence in ask.fences() if fence.is_python]
    if len(programs) != 1:
        matter.problem(
            "kind", f"the question's body must contain exactly one ```python fence, but it contains {len(programs)}"
        )
        return None
    if programs[0].info not in {"python", "python torch"}:
        note(programs[0].line - 1, "open the program's fence with ```python or ```python torch")
    return programs[0]


def _bug(matter: FrontMatter, program: Fence | None) -> BugKey | None:
    line = int(matter.number("line"))
    fix = matter.text("fix")
    if program is None:
        return None
    lines = program.code.splitlines()
    if not 1 <= line <= len(lines):
        matter.problem("line", f"`line` must be between 1 and {len(lines)}, the number of lines of the program")
        return None
    if lines[line - 1].rstrip() == fix.rstrip():
        matter.problem("fix", "`fix` is equal to the wrong line; write the corrected line")
    return BugKey(program, line, fix)


def _derive(matter: FrontMatter) -> DeriveKey:
    variables = matter.texts("variables", _VARIABLE, "a variable's name", required=True)
    answers: dict[str, str] = {}
    # One evaluation finds unknown names. All functions are defined at this point.
    point = {name: 0.5 + 0.1 * i for i, name in enumerate(variables)}
    for label, formula in matter.table("answers").items():
        if not isinstance(formula, str):
            matter.problem(label, f"the answer `{label}` must be a formula in a string, not {formula!r}")
            continue
        try:
            evaluate(formula, point)
        except ExpressionError as error:
            matter.problem(label, f"the formula `{label}`: {error}")
        answers[label] = formula
    return DeriveKey(variables, answers)
