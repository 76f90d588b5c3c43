from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Quiz = Callable[..., subprocess.CompletedProcess[str]]


def test_quiz_on_a_pipe_shows_cards_without_asking(quiz: Quiz, home: Path) -> None:
    done = quiz()
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stdout.count("The answer to ") == 6
    assert "6 cards shown, not rated" in done.stderr
    assert not home.exists()


def test_quiz_no_input_asks_nothing(quiz: Quiz) -> None:
    assert "not rated" in quiz("--no-input", "--input", "lines", typed="3\n").stderr


def test_card_shows_markup_like_text_unchanged(quiz: Quiz) -> None:
    assert "Think of `[a/b]` and f<g and [bold]x[/bold]." in quiz("--limit", "1").stdout


def test_card_lines_have_a_bar_and_no_trailing_blanks(quiz: Quiz) -> None:
    lines = [line for line in quiz("--limit", "1").stdout.splitlines() if line]
    assert all(line.startswith("┃") and line == line.rstrip() for line in lines)


def test_card_is_ascii_in_an_ascii_locale(quiz: Quiz) -> None:
    done = quiz("--limit", "2", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "| 1/2 - recall-one - easy - recall" in done.stdout
    assert "And then? -> The end." in done.stdout


def test_card_colour_no_color_wins_over_force_color(quiz: Quiz) -> None:
    assert "\x1b[32m┃" in quiz("--limit", "1", FORCE_COLOR="1").stdout
    assert "\x1b[32m" not in quiz("--limit", "1", FORCE_COLOR="1", NO_COLOR="1").stdout


def test_quiz_json_is_one_document_without_prompts(quiz: Quiz, home: Path) -> None:
    done = quiz("--output-format", "json", "--limit", "3")
    document = json.loads(done.stdout)
    assert (document["schema"], done.stderr, home.exists()) == (1, "", False)
    recall, choice, numeric = document["cards"]
    assert (recall["id"], recall["key"], recall["due"], recall["reviews"]) == ("recall-one", None, None, 0)
    assert [option["right"] for option in choice["key"]["options"]] == [False, True, False]
    assert numeric["key"]["values"]["b"] == 2.0


def test_quiz_input_lines_drives_a_session(quiz: Quiz) -> None:
    # Reveal, tick two, go on, rate Good; then choose, rate Again; then the lines end.
    done = quiz("--input", "lines", "--limit", "4", typed="\n12\n\n3\na\n1\n")
    assert done.returncode == 0
    assert "2 cards rated" in done.stdout
    assert "\x1b" not in done.stdout
    after = json.loads(quiz("--output-format", "json", "--ahead").stdout)["cards"]
    assert sorted(card["reviews"] for card in after) == [0, 0, 0, 0, 1, 1]


def test_quiz_with_nothing_due_names_the_next_card(quiz: Quiz) -> None:
    quiz("--input", "lines", "--ids", "recall-one", typed="\n\n3\n")
    done = quiz("--input", "lines", "--topic", "recall-one-topic", typed="")
    assert "There is no card to ask" in done.stdout
    assert "Next due in 2 days: recall-one" in done.stdout


def test_quiz_filters_and_ids_choose_cards(quiz: Quiz) -> None:
    assert "1/1 · numeric-three · easy · numeric" in quiz("--kind", "numeric").stdout
    assert "1/1 · bug-five · easy · bug" in quiz("--topic", "bug-five-topic", "--difficulty", "easy").stdout
    shown = quiz("--ids", "derive-six, recall-one").stdout
    assert shown.index("derive-six") < shown.index("recall-one")


def test_quiz_sets_a_damaged_history_aside(quiz: Quiz, home: Path) -> None:
    home.mkdir()
    (home / "history.db").write_text("not a database" * 99)
    done = quiz()
    assert done.returncode == 0
    (kept,) = home.glob("history.db.corrupt-*")
    assert str(kept) in done.stderr


def test_quiz_into_a_closed_pipe_exits_with_0(home: Path) -> None:
    # The whole bank is more than a pipe holds, so the quiz is still writing when the reader goes.
    command = [sys.executable, "-m", "autodrill", "quiz", "--no-input", "--limit", "200"]
    env = {**os.environ, "AUTODRILL_HOME": str(home)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize("arguments", [["--kind", "essay"], ["--limit", "0"], ["--nonsense"]])
def test_quiz_wrong_option_is_a_usage_error(quiz: Quiz, arguments: list[str]) -> None:
    assert quiz(*arguments).returncode == 2


def test_quiz_module_import_loads_no_heavy_module() -> None:
    program = (
        "import sys, typer; before = set(sys.modules); import autodrill.cli.quiz_command;"
        "print(sorted({'numpy', 'rich', 'fsrs', 'sqlite3', 'tomllib'} & (set(sys.modules) - before)))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_generated_questions_replay_with_the_printed_command(quiz: Quiz, home: Path) -> None:
    shown = quiz("--generated", "graph", "--generated", "grad", "--difficulty", "easy", "--limit", "3")
    replay = shown.stderr.splitlines()[-1].removeprefix("replay: autodrill quiz ")
    assert shown.returncode == 0
    assert shown.stdout.count("· easy ·") == 3
    assert quiz(*replay.split()).stdout == shown.stdout
    assert not home.exists()


def test_generated_questions_are_rated_but_not_scheduled(quiz: Quiz, home: Path) -> None:
    asked = ("--generated", "flops", "--seed", "3", "--limit", "2")
    key = json.loads(quiz(*asked, "--output-format", "json").stdout)["cards"][0]["key"]["answers"]
    typed = "t\n" + "".join(f"{answer}\n" for answer in key.values()) + "3\n"
    done = quiz(*asked, "--input", "lines", typed=typed)
    assert done.returncode == 0
    assert done.stdout.count("✓ right") == 2
    assert "2 of 2 right: Good" in done.stdout
    assert "Good, not scheduled" in done.stdout
    assert "1 card rated  1 Good  1 left" in done.stdout
    assert "replay: autodrill quiz --generated flops --limit 2 --seed 3" in done.stdout
    assert not home.exists()


def test_generated_question_is_asked_again_after_undo(quiz: Quiz) -> None:
    done = quiz("--generated", "modes", "--seed", "3", "--limit", "2", "--input", "lines", typed="a\n1\nu\na\n2\n")
    assert "Again undone" in done.stdout
    assert "1 card rated  1 Hard  1 left" in done.stdout


def test_generated_rejects_unknown_concepts_and_bank_options(run: Quiz) -> None:
    unknown, mixed = run("quiz", "--generated", "grpah"), run("quiz", "--generated", "graph", "--ahead")
    assert (unknown.returncode, mixed.returncode) == (2, 2)
    assert "did you mean `graph`" in unknown.stderr
    assert "`--generated` makes new questions" in mixed.stderr
