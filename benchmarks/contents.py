"""What the content holds. Run `python -m benchmarks.contents`.

The first table counts the exercises of each track by kind and difficulty, with their known mistakes and minutes. The
second one counts the questions of each home topic. `tests/content/test_questions.py` bounds the words of a card.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from autodrill.bank.question_files import load_questions
from autodrill.drills.library import Library
from autodrill.drills.tracks import load_tracks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LEVELS = ("easy", "medium", "hard", "expert")


def table(title: str, rows: Iterable[tuple[str, Sequence[str], dict[str, int]]]) -> list[str]:
    """Return a table: for each row its name, the kinds and levels to count, and further sums."""
    found = [(name, Counter(words), sums) for name, words, sums in rows]
    kinds = sorted({word for _, counts, _ in found for word in counts} - set(_LEVELS) - {"all"})
    heads = ["all", *kinds, *(level for level in _LEVELS if any(level in counts for _, counts, _ in found))]
    more = list(found[0][2]) if found else []
    total = sum((counts for _, counts, _ in found), Counter[str]())
    sums = {name: sum(row[2][name] for row in found) for name in more}
    lines = [[title, *heads, *more]]
    for name, counts, own in [*found, ("all", total, sums)]:
        lines.append([name, *(str(counts[head] or "") for head in heads), *(str(own[head]) for head in more)])
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    return ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines]


def exercises() -> list[str]:
    """Return the table of the exercises, and the number of mutants declared equivalent."""
    library = Library.open(environ={})
    drills = [library.drill(library.find(name)) for name in library.paths]
    rows = []
    for track in load_tracks(library.roots):
        own = [drill for drill in drills if drill.exercise.track == track]
        words = [word for d in own for word in ("all", str(d.exercise.kind), str(d.exercise.difficulty))]
        sums = {
            "mistakes": sum(len(d.solution.mistakes) for d in own),
            "minutes": sum(d.exercise.minutes for d in own),
        }
        rows.append((track, words, sums))
    equivalent = sum(len(drill.solution.equivalent) for drill in drills)
    return [*table("exercises", rows), "", f"mutants declared equivalent: {equivalent}"]


def questions() -> list[str]:
    """Return the table of the questions."""
    bank = load_questions()
    rows = []
    for topic in dict.fromkeys(question.home_topic for question in bank):
        own = [question for question in bank if question.home_topic == topic]
        words = [word for q in own for word in ("all", str(q.kind), str(q.difficulty))]
        rows.append((topic, words, {"minutes": round(sum(q.minutes for q in own))}))
    return table("questions", rows)


if __name__ == "__main__":
    print("\n".join([*exercises(), "", *questions()]))
