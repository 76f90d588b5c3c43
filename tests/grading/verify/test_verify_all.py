"""Proof of many exercises, in one process or several."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from autodrill.grading.verify.verify_all import prove_all

if TYPE_CHECKING:
    from tests.conftest import Pack


@pytest.mark.parametrize("workers", [1, 2])
def test_prove_all_yields_proofs_in_order(pack: Pack, workers: int) -> None:
    pack.add("b_backward")
    pack.add("a_backward", solution=("return slope(x) * g", "return 2 * slope(x) * g"))
    sound, wrong = prove_all(pack.library, ["b_backward", "a_backward"], seeds=1, workers=workers)
    assert (sound.exercise, sound.problems) == ("b_backward", ())
    assert wrong.exercise == "a_backward"
    assert "the worked solution does not pass with seed 0" in str(wrong.problems[0])


def test_prove_all_works_without_a_fork_server(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    pack.add()
    forked = next(prove_all(pack.library, ["cube_backward"], seeds=1, workers=1))
    monkeypatch.setattr("autodrill.sandbox.fork_server.can_fork", lambda: False)
    started = next(prove_all(pack.library, ["cube_backward"], seeds=1, workers=1))
    assert replace(started, seconds=0) == replace(forked, seconds=0)
