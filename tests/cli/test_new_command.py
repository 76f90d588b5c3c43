"""A new exercise from start to end: `autodrill new`, then `autodrill verify` until nothing is left to write."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.exercise import kind_names
from autodrill.drills.library import Library
from autodrill.drills.template import new_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Pack, Run

PLACE = re.compile(r"  (?P<path>.+?):(?P<line>\d+): (?P<message>.+)")


@pytest.mark.parametrize("kind", kind_names())
def test_verify_lists_every_mark_of_a_new_exercise(run: Run, here: Path, kind: str) -> None:
    made = run("new", "thing_backward", "--kind", kind, "--pack", "course", "--track", "shapes")
    assert made.returncode == 0
    done = run(*made.stderr.partition("what is left to write: autodrill ")[2].split())
    places = [match for line in done.stdout.splitlines() if (match := PLACE.match(line))]
    assert done.returncode == 1
    files = [f"course/{side}/shapes/thing_backward.py" for side in ("exercises", "solutions")]
    wanted = []
    for file in files:
        text = (here / file).read_text(encoding="utf-8").splitlines()
        wanted += [(file, str(number)) for number, line in enumerate(text, 1) for _ in range(line.count("FILL IN"))]
    assert [(match["path"], match["line"]) for match in places] == wanted
    assert all(match["message"].startswith("still to write: ") for match in places)
    assert len(wanted) > 8
    Library([here / "course"]).find("thing_backward")


@pytest.mark.parametrize("kind", ["backward", "jvp", "forward_backward", "function", "value"])
def test_new_files_are_consistent_without_their_marks(run: Run, here: Path, kind: str) -> None:
    run("new", "thing_backward", "--kind", kind, "--pack", "course")
    for path in (here / "course").rglob("*.py"):
        path.write_text(path.read_text(encoding="utf-8").replace("FILL IN: ", ""), encoding="utf-8")
    done = run("verify", "course", "--seeds", "1")
    # The template computes the identity, which is right. The remaining problems are only missing texts.
    assert "does not pass" not in done.stdout
    assert "contradicts" not in done.stdout


def test_new_never_overwrites(run: Run, here: Path) -> None:
    run("new", "thing_backward", "--kind", "backward", "--pack", "course")
    again = run("new", "thing_backward", "--kind", "backward", "--pack", "course")
    assert again.returncode == 2
    assert "the exercise `thing_backward` already exists" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mul_backward", "--kind", "backward"), "the exercise `mul_backward` already exists"),
        (
            ("Cube", "--kind", "backward"),
            "`Cube` is not a valid name\n\nhint: use lower-case letters, digits and underscores",
        ),
        (("cube", "--kind", "backward", "--track", "../up"), "`../up` is not a valid name"),
        (("cube", "--kind", "forward_backward"), "`cube` does not end in `_backward`"),
        (("cube", "--kind", "guess"), "there is no kind `guess`"),
    ],
)
def test_new_rejects_invalid_arguments(run: Run, arguments: tuple[str, ...], message: str) -> None:
    done = run("new", *arguments, "--pack", "course")
    assert done.returncode == 2
    assert message in done.stderr


def test_new_json_lists_the_paths(run: Run, here: Path) -> None:
    done = run("new", "cube_backward", "--kind", "backward", "--pack", "course", "--output-format", "json")
    assert json.loads(done.stdout)["paths"] == [
        str(here / "course" / side / "mine" / "cube_backward.py") for side in ("exercises", "solutions")
    ]


def test_new_stub_of_each_kind_is_unfinished() -> None:
    for kind in kind_names():
        stub, _ = new_files("thing_backward", kind)
        assert ("raise NotImplementedError" in stub) is (kind not in {"bugfix", "kernel"})
    assert "int n) {\n}\n" in new_files("thing_backward", "kernel")[0]


# Each planted fault: the file, the passage to replace, its replacement, the passage whose line must be named, and words
# of the message.
EXERCISE, SOLUTION = "exercises", "solutions"
FAULTS = {
    "a missing hint": (SOLUTION, ', "`... * x * x * g`")', ")", "HINTS", "`HINTS` must be a tuple of three texts"),
    "an empty hint": (SOLUTION, '"`... * x * x * g`"', '" "', "HINTS", "`HINTS` must be a tuple of three texts"),
    "a leaking hint": (
        SOLUTION,
        "`... * x * x * g`",
        "`return slope(x)*g`",
        "HINTS",
        "hint 3 contains a line of the solution",
    ),
    "a solution wrong by a factor": (
        SOLUTION,
        "return slope(x) * g",
        "return 2 * slope(x) * g",
        "def cube_backward",
        "the worked solution does not pass with seed 0: ",
    ),
    "a solution that raises": (
        SOLUTION,
        "return slope(x) * g",
        "return slop(x) * g",
        "def cube_backward",
        "NameError: name 'slop' is not defined",
    ),
    "a stub that passes": (
        EXERCISE,
        "raise NotImplementedError",
        "return 3 * x * x * g",
        "def cube_backward",
        "the stub passes",
    ),
    "a mistake that is none": (
        SOLUTION,
        "return 3 * x * x * x * g",
        "return g * 3 * x * x",
        "def cube_backward(g, x):\n    return g * 3",
        "the mistake `square` passes",
    ),
    "mistakes that are alike": (
        SOLUTION,
        "return 3 * x * x * x * g",
        "return 3 * x * x",
        "def cube_backward(g, x):\n    return 3 * x * x\n",
        "names `no-upstream`: add a case that tells the mistake apart from others",
    ),
    "a mistake twice": (
        SOLUTION,
        '"square"',
        '"no-upstream"',
        "def cube_backward(g, x):\n    return 3 * x",
        "another mistake has the key `no-upstream`",
    ),
    "a mistake of another name": (
        SOLUTION,
        "def cube_backward(g, x):\n    return 3 * x",
        "def cube(g, x):\n    return 3 * x",
        "def cube(g",
        "the definition of the mistake has the wrong name: call it `cube_backward`",
    ),
    "a mistake that is not literal": (
        SOLUTION,
        '@mistake("square"',
        "@mistake(str(1)",
        "def cube_backward(g, x):\n    return 3 * x",
        "with literal strings",
    ),
    "a wrong signature": (
        SOLUTION,
        "def cube_backward(g, x):\n    return slope(x) * g",
        "def cube_backward(x):\n    return slope(x)",
        "def cube_backward(x)",
        "`cube_backward` takes (x), but the stub takes (g, x)",
    ),
    "no worked solution": (
        SOLUTION,
        "def cube_backward(g, x):\n    return slope(x) * g",
        "",
        1,
        "the file must define the worked solution `cube_backward` once",
    ),
    "an unknown key": (EXERCISE, "minutes = 3", "minutes = 3\n# hard = true", "# hard", "unknown key `hard`"),
    "an unknown kind": (EXERCISE, '"backward"', '"backwards"', "# kind", "`kind` is `backwards`"),
    "no task": (
        EXERCISE,
        '"""`out = x * x * x`, and `g` is dL/dout. Return dx."""',
        "",
        "\n\n\ndef",
        "the task is missing",
    ),
    "a stub of another name": (
        EXERCISE,
        "def cube_backward",
        "def cube",
        '"""`out',
        "the stub must define `cube_backward` exactly once",
    ),
    "a prerequisite that is not there": (
        EXERCISE,
        '["chain rule"]',
        '["chain rule"]\n# requires = ["squre"]',
        "# requires",
        "the exercise requires `squre`, which does not exist",
    ),
    "prerequisites in a circle": (
        EXERCISE,
        '["chain rule"]',
        '["chain rule"]\n# requires = ["cube_backward"]',
        "# requires",
        "the prerequisites of this exercise lead back to the exercise itself",
    ),
    "nothing that decides": (
        SOLUTION,
        "def forward(x):",
        "def forwards(x):",
        1,
        "define `forward`, `expected` or `judge`",
    ),
    "no cases": (SOLUTION, '[given("x[n,m]")]', "[]", "CASES", "`CASES` must be a non-empty list of `given(...)`"),
    "a malformed case": (
        SOLUTION,
        '"x[n,m]"',
        '"x(n,m)"',
        "CASES",
        "ValueError: `x(n,m)` in `x(n,m)` is not of the form",
    ),
    "a case too weak": (SOLUTION, '[given("x[n,m]")]', '[given("x[n]", x=1.0)]', None, "the mistake `square` passes"),
    "a stale excuse": (
        SOLUTION,
        "CASES =",
        'EQUIVALENT = {"sign: a -> b": "so it is"}\nCASES =',
        "EQUIVALENT",
        "`EQUIVALENT` lists `sign: a -> b`, but no mutant needs this entry",
    ),
    "an unknown custom": (SOLUTION, "CASES =", 'REMARKS = ("sloppy",)\nCASES =', "REMARKS", "`REMARKS` names `sloppy`"),
    "a name that is no array": (
        SOLUTION,
        "CASES =",
        'WRT = ("y",)\nCASES =',
        "WRT",
        "`WRT` names `y`, which is not an array of every `given(...)`",
    ),
    "what nothing provides": (
        EXERCISE,
        "(g, x)",
        "(g, x, y)",
        None,
        "`cube_backward` takes (g, x), but the stub takes (g, x, y)",
    ),
    "a syntax error": (SOLUTION, "def slope(x):", "def slope(x:", "def slope(x:", "was never closed"),
    "an unfinished text": (SOLUTION, "The slope of x³ is 3x².", "FILL IN: why", '"""FILL IN', "still to write: why"),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_verify_finds_a_planted_fault_at_its_line(
    run: Run, pack: Pack, fault: tuple[str, str, str, str | int | None, str]
) -> None:
    side, old, new, at, words = fault
    path = pack.add(exercise=(old, new)) if side == EXERCISE else (pack.add(solution=(old, new)))
    file = path if side == EXERCISE else pack.solution_file()
    done = run("verify", str(pack.root), "--seeds", "1")
    told = [match for line in done.stdout.splitlines() if (match := PLACE.match(line))]
    fitting = [match for match in told if words in match["message"]]
    assert done.returncode == 1, done.stdout
    assert fitting, done.stdout
    if isinstance(at, str):
        text = file.read_text(encoding="utf-8")
        at = 1 + text[: text.index(at)].count("\n")
    if at is not None:
        assert (str(file), str(at)) in {(match["path"], match["line"]) for match in fitting}, done.stdout


def test_verify_reports_a_repeated_id_at_the_second_file(run: Run, pack: Pack) -> None:
    pack.add()
    other = pack.root / "exercises" / "other" / "cube_backward.py"
    other.parent.mkdir()
    other.write_text("", encoding="utf-8")
    done = run("verify", str(pack.root))
    assert done.returncode == 1
    assert f"{other}:1: `cube_backward` is already defined in " in done.stdout
