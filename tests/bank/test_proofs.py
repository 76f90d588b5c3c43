from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

import pytest

from autodrill.bank.proofs import proofs_of
from autodrill.bank.question_files import load_questions
from autodrill.errors import ContentError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OPTIONS = "- [ ] none :: x\n- [x] they add\n- [ ] they multiply :: y"
PROGRAM = "```python\ndef f(x):\n    return x\n```"


def fence(code: str) -> str:
    return f"```python\n{code}\n```"


def run(path: Path) -> None:
    (question,) = load_questions(path.parent)
    assert proofs_of(question)
    for proof in proofs_of(question):
        proof.run()


KEYED: dict[str, tuple[dict[str, str], str, str]] = {
    # kind: (its fields, a proof that accepts the key, a proof that refutes it)
    "choice": ({"Options": OPTIONS}, "verdicts = [0 > 1, 1 > 0, False]", "verdicts = [True, True, False]"),
    "numeric": ({"table": '[answers]\nx = "1/3"'}, "computed = {'x': 0.33333}", "computed = {'x': 0.333}"),
    "predict": ({"ask": fence("print( 1 / 4 )"), "output": '"0.25"'}, "pass", "raise ValueError"),
    "bug": (
        {"ask": PROGRAM, "line": "2", "fix": '"    return 2 * x"'},
        "def check(names):\n    return names['f'](1) == 2",
        "def check(names):\n    return True",
    ),
    "derive": (
        {"variables": '["x", "y"]', "table": '[answers]\nf = "log(x) * y"'},
        "import math\ncomputed = {'f': lambda x, y: y * math.log(x)}",
        "import math\ncomputed = {'f': lambda x, y: x * math.log(y)}",
    ),
}


@pytest.mark.parametrize("kind", KEYED)
def test_proof_accepts_a_right_key(write: Callable[..., Path], text: Callable[..., str], kind: str) -> None:
    fields, good, _ = KEYED[kind]
    run(write(text(kind=f'"{kind}"', Proof=fence(good), **fields)))


@pytest.mark.parametrize("kind", KEYED)
def test_proof_refutes_a_wrong_key(write: Callable[..., Path], text: Callable[..., str], kind: str) -> None:
    fields, _, bad = KEYED[kind]
    with pytest.raises((ContentError, ValueError)):
        run(write(text(kind=f'"{kind}"', Proof=fence(bad), **fields)))


@pytest.mark.parametrize("kind", ["choice", "numeric", "bug", "derive"])
def test_proof_that_computes_no_key_fails(write: Callable[..., Path], text: Callable[..., str], kind: str) -> None:
    with pytest.raises(ContentError, match="the proof does not prove the key"):
        run(write(text(kind=f'"{kind}"', Proof=fence("pass"), **KEYED[kind][0])))


def test_printed_output_is_compared_with_the_key(write: Callable[..., Path], text: Callable[..., str]) -> None:
    with pytest.raises(ContentError, match="the program prints"):
        run(write(text(kind='"predict"', ask=fence("print(4)"), output='"3"')))


def test_labels_must_agree(write: Callable[..., Path], text: Callable[..., str]) -> None:
    with pytest.raises(ContentError, match="labels"):
        run(write(text(kind='"numeric"', table="[answers]\nx = 1", Proof=fence("computed = {'x': 1, 'y': 1}"))))


def test_buggy_program_may_raise(write: Callable[..., Path], text: Callable[..., str]) -> None:
    program = fence("def f(x):\n    return missing")
    check = fence("def check(names):\n    return names['f'](1) == 1")
    run(write(text(kind='"bug"', ask=program, line="2", fix='"    return x"', Proof=check)))


def test_useless_fix_fails(write: Callable[..., Path], text: Callable[..., str]) -> None:
    check = fence("def check(names):\n    return names['f'](1) == 5")
    with pytest.raises(ContentError, match="still fails with line 2"):
        run(write(text(kind='"bug"', ask=PROGRAM, line="2", fix='"    return 2 * x"', Proof=check)))


def test_failing_proof_points_at_its_line_of_the_file(write: Callable[..., Path], text: Callable[..., str]) -> None:
    path = write(text(Proof=fence("x = 1\nassert x == 2")))
    line = path.read_text(encoding="utf-8").splitlines().index("assert x == 2") + 1
    with pytest.raises(AssertionError) as caught:
        run(path)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.lineno) == (str(path), line)


def test_fence_or_program_asks_for_pytorch(write: Callable[..., Path], text: Callable[..., str]) -> None:
    program = "```python torch\nx = 1\n```"
    path = write(
        text(Proof=fence("pass") + "\n" + program),
        text(id='"b"', kind='"bug"', ask=program, line="1", fix='"x = 2"', Proof=fence("check = bool")),
    )
    recall, bug = load_questions(path.parent)
    assert [proof.needs_torch for proof in proofs_of(recall)] == [False, True]
    assert [proof.needs_torch for proof in proofs_of(bug)] == [True]
