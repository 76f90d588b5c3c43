"""The placement test on the shipped bank, with answers from a pipe."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from autodrill.bank.question_index import question_ids

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

IGNORANT = " \n" * 40  # Space: don't know


def place(shipped: Run, *arguments: str, typed: str = IGNORANT) -> subprocess.CompletedProcess[str]:
    return shipped("quiz", "--placement", "--input", "lines", *arguments, typed=typed)


def new_cards(shipped: Run) -> list[str]:
    done = shipped("quiz", "--limit", "400", "--output-format", "json")
    return [card["id"] for card in json.loads(done.stdout)["cards"] if card["due"] is None]


def right_answers(shipped: Run, topic: str) -> str:
    """Return the input that answers every question of a placement on this topic, question by question."""
    from autodrill.bank.curriculum import load_curriculum
    from autodrill.bank.question_files import load_questions
    from autodrill.bank.questions import BugKey, ChoiceKey, DeriveKey, NumericKey, PredictKey
    from autodrill.cli.sitting import shuffled_options
    from autodrill.practice.placement import Placement

    placement = Placement(load_questions(), load_curriculum(), {topic})
    typed = ""
    while (question := placement.next()) is not None:
        match question.key:
            case ChoiceKey():
                options = shuffled_options(question, len(placement.answered))
                typed += "abcdefgh"[next(i for i, option in enumerate(options) if option.right)] + "\n"
            case NumericKey(answers=answers) | DeriveKey(answers=answers):
                typed += "\n" + "".join(f"{answer}\n" for answer in answers.values())
            case PredictKey(output=output):
                typed += "\n" + " ".join(output.split()) + "\n"
            case BugKey(line=line):
                typed += f"\n{line}\n"
            case None:
                raise AssertionError("a placement asks only judged questions")
        placement.answer(question, right=True)
    return typed


def test_placement_without_right_answers_excuses_nothing(shipped: Run) -> None:
    done = place(shipped)
    assert done.returncode == 0
    assert "these need topics you do not know yet, so start them from the beginning" in " ".join(done.stdout.split())
    assert f"6 answers; you can skip 0 of {len(question_ids())} questions" in done.stdout
    assert len(new_cards(shipped)) == len(question_ids()) - 6  # the six come back tomorrow: they were answered wrong


def test_placement_excuses_known_questions_until_undone(shipped: Run) -> None:
    before = new_cards(shipped)
    done = place(shipped, "--topic", "graph", typed=right_answers(shipped, "graph"))
    assert "graph: you know the easy and medium" in done.stdout
    after = new_cards(shipped)
    gone = set(before) - set(after)
    assert {"computational-graph", "draw-label-tiny-graph"} <= gone, "recall questions of what is known too"
    kept = json.loads(shipped("quiz", "--placement", "--no-input", "--output-format", "json").stdout)["placement"]
    assert set(kept["excused"]) <= gone
    assert "you know the easy" in shipped("quiz", "--placement", "--no-input").stdout
    ahead = shipped("quiz", "--ahead", "--limit", "400", "--output-format", "json")
    assert {card["id"] for card in json.loads(ahead.stdout)["cards"]} == set(before)
    undone = shipped("quiz", "--placement", "--undo")
    assert "questions are new again" in undone.stdout
    assert new_cards(shipped) == before
    assert shipped("quiz", "--placement", "--undo").returncode == 2


def test_placement_quit_early_uses_the_answers_so_far(shipped: Run) -> None:
    assert f"1 answer; you can skip 0 of {len(question_ids())}" in place(shipped, typed=" \nq\n").stdout
    assert "there are no answers, so there is no result" in place(shipped, typed="q\n").stdout


def test_placement_needs_enough_judged_questions(shipped: Run) -> None:
    assert "too few questions that autodrill can judge" in place(shipped, "--topic", "complex").stdout


def test_placement_without_a_terminal_does_not_wait(shipped: Run, home: Path) -> None:
    done = shipped("quiz", "--placement")
    assert done.returncode == 2
    assert "`--input lines`" in done.stderr
    document = json.loads(shipped("quiz", "--placement", "--output-format", "json").stdout)
    assert (document["placement"], home.exists()) == (None, False)


def test_placement_unknown_topic_lists_the_topics(shipped: Run) -> None:
    done = place(shipped, "--topic", "quantum")
    assert (done.returncode, "gradcheck" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "arguments",
    [("--placement", "--ids", "x"), ("--placement", "--path", "one-week"), ("--undo",), ("--placement", "--seed", "1")],
)
def test_placement_rejects_options_that_choose_cards(shipped: Run, arguments: tuple[str, ...]) -> None:
    assert shipped("quiz", *arguments).returncode == 2
