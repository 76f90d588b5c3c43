"""Breaks answer keys and checks that the build fails: a wrong key in the bank must not go unnoticed.

    python -m tests.content.broken_keys                  20 keys at random, a build for each
    python -m tests.content.broken_keys --all --part 1/4 every way to break every key, a quarter of the bank

A key is broken in a temporary copy of the question file. The mark of a choice moves to another option. A number
changes slightly or in sign. A word of the output changes. A formula gets another sign or operator. The line of a bug
becomes the one before or after.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autodrill.bank.judge import Outcome, judge_formula
from autodrill.bank.proofs import proofs_of
from autodrill.bank.question_files import load_questions, read_file
from autodrill.bank.questions import BugKey, ChoiceKey, DeriveKey, Kind, NumericKey, PredictKey
from autodrill.render.plain import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodrill.bank.questions import Question

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("autodrill", "questions", "exercises", "tests", "pyproject.toml")
TOKEN = re.compile(r"(?<![\w.])-?\d+\.?\d*|[A-Za-z]{3,}")
OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*"}


@dataclass(frozen=True, slots=True)
class Break:
    """One change that makes the key of a question wrong.

    Attributes:
        what: The change, in words.
        first: The index of the first line replaced.
        last: The index after the last line replaced.
        lines: The lines that replace them.
    """

    what: str
    first: int
    last: int
    lines: tuple[str, ...]

    def applied(self, text: str) -> str:
        lines = text.splitlines()
        return "\n".join([*lines[: self.first], *self.lines, *lines[self.last :]]) + "\n"


def breaks(question: Question, text: str) -> list[Break]:
    """All breaks of the key of a question, given the text of its file."""
    lines = text.splitlines()
    start = question.line
    stop = next(i for i in range(start, len(lines)) if lines[i].rstrip() == "+++")
    match question.key:
        case ChoiceKey():
            return list(_choice(lines, stop))
        case NumericKey() as key:
            return list(_numeric(key, lines, start, stop))
        case PredictKey():
            return list(_predict(lines, start, stop))
        case BugKey() as key:
            return list(_bug(key, lines, start, stop))
        case DeriveKey() as key:
            return list(_derive(key, lines, start, stop))
        case None:
            return []


def _choice(lines: Sequence[str], stop: int) -> Iterator[Break]:
    first = next(i for i in range(stop, len(lines)) if lines[i].startswith("### Options")) + 1
    last = next(i for i in range(first, len(lines)) if lines[i].startswith("### "))
    options = [i for i in range(first, last) if lines[i].startswith("- [")]
    right = next(i for i in options if lines[i].startswith(("- [x]", "- [X]")))
    for other in (i for i in options if i != right):
        moved = list(lines[first:last])
        unmarked = lines[right].replace(lines[right][:5], "- [ ]", 1)
        # Without an explanation the wrong option would be refused as malformed.
        moved[right - first] = unmarked if " :: " in unmarked else unmarked + " :: the right one"
        moved[other - first] = lines[other].replace("- [ ]", "- [x]", 1)
        number = options.index(other) + 1
        yield Break(f"option {options.index(right) + 1} was right, now {number}", first, last, tuple(moved))


def _numeric(key: NumericKey, lines: Sequence[str], start: int, stop: int) -> Iterator[Break]:
    for label, value in key.values.items():
        at = _line_of(label, lines, start, stop)
        for changed in {value + 2 * key.tolerance * (abs(value) or 1.0), -value if value else 1.0}:
            written = f"{json.dumps(label, ensure_ascii=False)} = {changed!r}"
            yield Break(f"{label} = {key.answers[label]}, now {changed:.6g}", at, at + 1, (written,))


def _predict(lines: Sequence[str], start: int, stop: int) -> Iterator[Break]:
    first = next(i for i in range(start, stop) if lines[i].startswith("output"))
    quote = '"""' if '"""' in lines[first] else "'''" if "'''" in lines[first] else None
    last = next(i for i in range(first + 1, stop) if quote in lines[i]) + 1 if quote else first + 1
    written = "\n".join(lines[first:last])
    after = written.index("=") + 1
    for token in TOKEN.finditer(written, after):
        old = token[0]
        swapped = {"True": "False", "False": "True"}.get(old)
        new = swapped or (f"{old[:-1]}{(int(old[-1]) + 1) % 10}" if old[-1].isdigit() else f"{old}x")
        changed = written[: token.start()] + new + written[token.end() :]
        yield Break(f"prints {old}, now {new}", first, last, tuple(changed.split("\n")))


def _bug(key: BugKey, lines: Sequence[str], start: int, stop: int) -> Iterator[Break]:
    at = next(i for i in range(start, stop) if re.match(r"line\s*=", lines[i]))
    program = key.program.code.splitlines()
    for step in (-1, 1):
        number = key.line + step
        while 1 <= number <= len(program) and not program[number - 1].strip():
            number += step
        if 1 <= number <= len(program):
            yield Break(f"line {key.line}, now {number}", at, at + 1, (f"line = {number}",))


def _derive(key: DeriveKey, lines: Sequence[str], start: int, stop: int) -> Iterator[Break]:
    for label, formula in key.answers.items():
        at = _line_of(label, lines, start, stop)
        changed = {f"-({formula})", f"2*({formula})"}
        for found in re.finditer(r"(?<!\*)[-+*/](?!\*)", formula):
            if found.start() and formula[found.start() - 1] not in "(e,":
                changed.add(formula[: found.start()] + OPERATORS[found[0]] + formula[found.end() :])
        for other in sorted(changed):
            if judge_formula(other, formula, key.variables).outcome is Outcome.WRONG:
                written = f"{json.dumps(label, ensure_ascii=False)} = {json.dumps(other, ensure_ascii=False)}"
                yield Break(f"{label} = {formula}, now {other}", at, at + 1, (written,))


def _line_of(label: str, lines: Sequence[str], start: int, stop: int) -> int:
    for at in range(start, stop):
        try:
            if label in tomllib.loads(lines[at]):
                return at
        except tomllib.TOMLDecodeError:
            continue
    raise AssertionError(f"no line with the answer `{label}`")


def noticed(question: Question, broken: Break, folder: Path) -> str | None:
    """The error of the broken question's checks, run in this process; None if they pass."""
    copy = folder / question.path.name
    copy.write_text(broken.applied(question.path.read_text(encoding="utf-8")), encoding="utf-8")
    read, problems = read_file(copy)
    if problems:
        return f"malformed: {problems[0].message}"
    again = next(q for q in read if q.id == question.id)
    for proof in proofs_of(again):
        try:
            proof.run()
        except Exception as error:  # noqa: BLE001 - an author's proof may raise anything
            return str(error).removeprefix(f"{copy}:")
    return None


def copy_of_the_tree(folder: Path) -> None:
    """Copy the files that the content tests need."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        else:
            shutil.copy(ROOT / name, folder / name)


def build(tree: Path, ids: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run the content tests of some questions in a copy of the tree."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "tests/content/test_questions.py",
         "-k", " or ".join(f":{identity}:" for identity in ids)],
        cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def break_some(count: int, seed: int) -> int:
    """Break random keys of every kind, with a build for each, and return how many breaks went unnoticed."""
    rng = random.Random(seed)
    by_kind = {
        kind: rng.sample(found, len(found))
        for kind in Kind
        if (found := [q for q in load_questions(ROOT / "questions") if q.kind is kind and q.key])
    }
    drawn = [questions[i] for i in range(count) for questions in by_kind.values() if i < len(questions)][:count]
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        copy_of_the_tree(tree)
        sound = build(tree, [question.id for question in drawn])
        say(f"seed {seed}; unbroken: {sound.stdout.splitlines()[-1]}")
        assert sound.returncode == 0, sound.stdout
        for number, question in enumerate(drawn, 1):
            text = question.path.read_text(encoding="utf-8")
            broken = rng.choice(breaks(question, text))
            file = tree / "questions" / question.path.name
            file.write_text(broken.applied(text), encoding="utf-8")
            done = build(tree, [question.id])
            file.write_text(text, encoding="utf-8")
            survivors += done.returncode != 1
            told = {0: "BUILDS", 1: "build fails"}.get(done.returncode, f"pytest says {done.returncode}")
            say(f"{number:>3}  {question.kind:<8} {question.id:<34} {told:<12} {broken.what}")
    say(f"{len(drawn) - survivors} of {len(drawn)} builds fail")
    return survivors


def break_all(part: int, parts: int, kinds: Sequence[str]) -> int:
    """Break every key of a part of the bank in every way, and return how many breaks went unnoticed."""
    questions = [q for q in load_questions(ROOT / "questions") if q.key and (not kinds or q.kind in kinds)]
    questions = questions[part - 1 :: parts]
    started, tried, survivors = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for question in questions:
            for broken in breaks(question, question.path.read_text(encoding="utf-8")):
                tried += 1
                said = noticed(question, broken, Path(folder))
                if said is None or said.startswith("malformed"):
                    survivors += said is None
                    say(f"{said or 'SURVIVES'}: {question.kind} {question.id}: {broken.what}")
    seconds = time.monotonic() - started
    say(f"part {part}/{parts}: {len(questions)} keys, {tried} breaks, {survivors} unnoticed, {seconds:.0f} s")
    return survivors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20, help="how many keys to break at random")
    parser.add_argument("--seed", type=int, help="repeat the breaks of a seed")
    parser.add_argument("--all", action="store_true", help="break every key in every way, in this process")
    parser.add_argument("--part", default="1/1", help="with --all: a part of the bank, such as 1/4")
    parser.add_argument(
        "--kind", action="append", default=[], help="with --all: only questions of this kind; repeatable"
    )
    given = parser.parse_args()
    part, parts = map(int, given.part.split("/"))
    seed = int.from_bytes(os.urandom(3)) if given.seed is None else given.seed
    sys.exit(bool(break_all(part, parts, given.kind) if given.all else break_some(given.count, seed)))


if __name__ == "__main__":
    main()
