from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Pack, Run


def test_verify_proves_a_sound_pack(run: Run, pack: Pack) -> None:
    pack.add()
    done = run("verify", "--pack", str(pack.root), "--seeds", "1")
    assert done.returncode == 0
    assert done.stdout.startswith("proved  cube_backward  1 seeds, 2 mistakes")


def test_verify_lists_problems_with_place_and_code_1(run: Run, pack: Pack) -> None:
    path = pack.add(exercise=("minutes = 3", "minutes = 0"))
    done = run("verify", "--pack", str(pack.root))
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "PROBLEMS  cube_backward",
        f"  {path}:5: `minutes` must be a whole number, at least 1",
    ]


def test_verify_checks_prerequisites(run: Run, pack: Pack) -> None:
    path = pack.add(exercise=('["chain rule"]', '["chain rule"]\n# requires = ["nothing"]'))
    done = run("verify", "--pack", str(pack.root), "--seeds", "1", "--output-format", "json")
    proofs = json.loads(done.stdout)["proofs"]
    assert done.returncode == 1
    assert [p["exercise"] for p in proofs] == ["cube_backward", "prerequisites"]
    assert proofs[1]["problems"] == [
        {"path": str(path), "line": 7, "message": "the exercise requires `nothing`, which does not exist"}
    ]


def test_verify_of_a_pack_skips_shipped_exercises(run: Run, pack: Pack) -> None:
    pack.add()
    done = run("verify", "--pack", str(pack.root), "--seeds", "1", "--output-format", "json")
    assert [p["exercise"] for p in json.loads(done.stdout)["proofs"]] == ["cube_backward"]


def test_verify_writes_timings_to_stderr(run: Run, pack: Pack) -> None:
    pack.add("a_backward")
    pack.add("b_backward")
    done = run("verify", "--pack", str(pack.root), "--seeds", "1", "--workers", "2")
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [
        ["proved", "a_backward"],
        ["proved", "b_backward"],
    ]
    assert done.stderr.startswith("2 exercises in ")
    assert "2 at a time" in done.stderr
