"""The corpus of attacks on the grader: no attack may succeed, and every honest file must pass.

By default a sample is graded with process separation, and the whole corpus under the sealed profile if this system has
it. With `AUTODRILL_ATTACKS=all` the whole corpus is graded in every configuration.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.sandbox.attacks.corpus import SCORE, Submission, honest, hostile, tricks
from tests.sandbox.attacks.harness import LAYERS, available, run, table

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the attacks are for Linux, and their traces are found in /proc"
)

ALL = os.environ.get("AUTODRILL_ATTACKS") == "all"
HERE = [layer for layer in LAYERS if layer != "naive" and available(layer) is not None]

SAMPLE = {
    "forging/exit_zero",
    "forging/frames_before_questions",
    "forging/frames_instead_of_answers",
    "forging/write_every_descriptor",
    "gaming/first_element_only",
    "gaming/remembered_by_shape",
    "gaming/right_until_it_is_large",
    "lying/array_subclass",
    "lying/equal_to_everything",
    "lying/filled_in_later",
    "lying/not_a_number",
    "lying/terabytes_without_memory",
    "memory/arguments_overwritten",
    "memory/frame_walk",
    "memory/main_module",
    "patching/numpy_comparisons",
    "patching/serialiser_of_the_harness",
}


def named(*titles: str) -> list[Submission]:
    return [submission for submission in hostile() if submission.title in titles]


def test_corpus_files_say_what_they_attempt() -> None:
    files = hostile()
    assert len(files) >= 125
    assert len(honest()) >= 35
    assert min(Counter(file.family for file in files).values()) >= 5
    for file in files:
        text = file.text.decode()
        assert "# Attempts: " in text, file.title
        assert "# A pass would be a breach" in text, file.title
        assert file.exercise in {"mul_broadcast_backward", "mul_backward", "topological_sort"}
    assert {file.title for file in files} >= SAMPLE


@pytest.mark.timeout(600)
def test_attacks_succeed_without_protection() -> None:
    files = hostile() if ALL else named("reading/secret_file", "escaping/fork", *sorted(SAMPLE)[:6])
    results = run("naive", files)
    reasons = {file.title: file.not_live for file in files}
    assert [r.title for r in results if r.breach is None and not reasons[r.title]] == []


def test_traces_of_an_attack_are_found_and_removed() -> None:
    files = named("outliving/orphan", "sharing/posix_memory", "killing/victim", "writing/other_submission_removed")
    left = {result.title: " ".join(result.traces) for result in run("naive", files)}
    assert "a process was left" in left["outliving/orphan"]
    assert "a file was left: /dev/shm/" in left["sharing/posix_memory"]
    assert "the victim was ended" in left["killing/victim"]
    assert "a file is gone" in left["writing/other_submission_removed"]
    assert [r.traces for r in run("naive", named("forging/exit_zero"))] == [()]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("layer", HERE)
def test_attacks_win_no_score(layer: str) -> None:
    everything = ALL or layer == "sealed"
    files = [f for f in hostile(SCORE) if everything or f.title in SAMPLE]
    results = run(layer, files)
    # A separate process can write files, which this test does not count.
    won = {r.title: r.breach for r in results if r.breach and (layer == "sealed" or r.verdict == "pass")}
    assert won == {}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("layer", HERE)
def test_grader_survives_attacks_on_the_machine(layer: str) -> None:
    """Process separation does not protect the machine, but there is always a verdict, and the next one is right."""
    some = named(
        "outliving/signals_ignored", "exhausting/memory", "exhausting/standard_output", "sharing/interpreter_state"
    )
    files = [f for f in hostile() if f.family not in SCORE] if ALL else some
    results = run(layer, files)
    assert [(r.title, r.verdict) for r in results if r.verdict not in {"pass", "fail", "error", "timeout"}] == []
    assert [r.title for r in results if not r.unharmed] == []
    stopped = {f.title for f in some}
    assert [r.title for r in results if r.verdict == "pass" and r.title in stopped] == []


@pytest.mark.timeout(600)
@pytest.mark.skipif("sealed" not in HERE, reason="this system has no sealed profile")
def test_attacks_do_not_escape_the_sealed_profile() -> None:
    results = run("sealed", [f for f in hostile() if f.family not in SCORE])
    assert {r.title: r.breach for r in results if r.breach} == {}, table(results)


@pytest.mark.parametrize("layer", HERE)
def test_confusing_sources_get_a_verdict_and_do_no_harm(layer: str) -> None:
    results = run(layer, tricks())
    assert {r.title: r.breach for r in results if r.breach} == {}
    # A load may take 2 s, and five times that on a busy machine.
    assert max(r.seconds for r in results) < 3 * 10


@pytest.mark.parametrize("layer", HERE)
def test_honest_files_pass_whatever_their_style(layer: str) -> None:
    grade = available(layer)
    assert grade is not None
    verdicts = {file.name: grade(file.source({}), file.exercise) for file in honest()}
    assert {name: verdict for name, verdict in verdicts.items() if verdict != "pass"} == {}


@pytest.mark.parametrize("kind", ["directory", "dangling link", "fifo", "endless device"])
def test_check_refuses_what_is_not_a_regular_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "mul_broadcast_backward.py"
    match kind:
        case "directory":
            path.mkdir()
        case "dangling link":
            path.symlink_to(tmp_path / "nothing")
        case "fifo":
            os.mkfifo(path)
        case _:
            path.symlink_to("/dev/zero")
    limit = 2 << 30  # bytes of address space, so that an endless file does not fill the memory of the machine
    done = subprocess.run(
        [sys.executable, "-m", "autodrill", "check", "mul_broadcast_backward", "--file", str(path)],
        env={**os.environ, "AUTODRILL_HOME": str(tmp_path), "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=8,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert done.returncode == 2
