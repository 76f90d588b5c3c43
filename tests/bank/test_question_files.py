from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from autodrill.bank.question_files import load_questions, read_file
from autodrill.bank.question_index import question_ids
from autodrill.bank.questions import (
    BugKey,
    ChoiceKey,
    CommonlyRead,
    DeriveKey,
    Difficulty,
    FollowUp,
    Kind,
    NumericKey,
    PredictKey,
)
from autodrill.errors import ContentError, FileError
from autodrill.folders import content_root

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PROOF = "```python\ncomputed = {}\n```"


def messages(path: Path) -> str:
    return "\n".join(str(problem) for problem in read_file(path)[1])


def test_question_is_read_with_all_its_fields(write: Callable[..., Path], text: Callable[..., str]) -> None:
    often = "- recursion is fine. *In fact,* it overflows\n  at depth 1000."
    proof = "```python torch\nassert 1 + 1 == 2\n```"
    path = write(text(ask="Say why.", exercises='["add_backward"]', You_will_often_read=often, Proof=proof))
    (question,) = load_questions(path.parent)
    assert (question.id, question.kind, question.difficulty, question.answering) == (
        "sum-rule",
        Kind.RECALL,
        Difficulty.EASY,
        2,
    )
    assert (question.title, question.body) == ("What happens at a fork?", "Say why.")
    assert question.home_topic == "graph"
    assert question.exercises == ("add_backward",)
    assert question.key_points == ("one", "two", "three")
    assert question.follow_ups == (FollowUp("Why?", "The chain rule."), FollowUp("And then?", None))
    assert question.commonly_read == (CommonlyRead("recursion is fine.", "it overflows\nat depth 1000."),)
    assert question.proofs[0].needs_torch
    # The fence has its line in the file, so the traceback of a failing proof points there.
    assert path.read_text(encoding="utf-8").splitlines()[question.proofs[0].line - 1] == "assert 1 + 1 == 2"


def test_minutes_are_those_of_reading_and_answering(write: Callable[..., Path], text: Callable[..., str]) -> None:
    short, long = (load_questions(write(text(Answer="word " * n)).parent)[0] for n in (9, 309))
    assert (short.answering, long.answering) == (2, 2)
    assert (short.minutes, long.minutes) == (2, 3.5)


def test_code_may_contain_marks_that_end_a_section(write: Callable[..., Path], text: Callable[..., str]) -> None:
    code = "```diff\n+++\n## not a title\n### not a section\n- not a bullet\n```"
    path = write(text(Answer=f"Look:\n\n{code}"), text(id='"second"'))
    first, second = load_questions(path.parent)
    assert code in first.answer
    assert second.id == "second"


def test_choice_keeps_order_and_explanations(write: Callable[..., Path], text: Callable[..., str]) -> None:
    options = "- [ ] none: a seed counts\n- [x] they add :: the chain rule: a sum\n- [ ] they multiply :: along a path"
    path = write(text(kind='"choice"', Options=options))
    key = load_questions(path.parent)[0].key
    assert isinstance(key, ChoiceKey)
    assert [(o.text, o.right, o.explanation) for o in key.options] == [
        ("none", False, "a seed counts"),
        ("they add", True, "the chain rule: a sum"),
        ("they multiply", False, "along a path"),
    ]
    assert key.right == 1


@pytest.mark.parametrize(
    ("points", "needed"),
    [
        ("- one\n- two\n- three", 3),
        ("- one\n- two\n- three\n- four\n- five", 3),
        ("- one\n- two\n+ three\n+ four", 2),
        ("- one\n- two\n- three\n+ four", 3),
    ],
)
def test_key_points_are_needed_up_to_the_first_plus(
    write: Callable[..., Path], text: Callable[..., str], points: str, needed: int
) -> None:
    (question,) = load_questions(write(text(Key_points=points)).parent)
    assert question.needed == needed
    assert question.key_points[:3] == ("one", "two", "three")


def test_numeric_answer_may_be_a_fraction(write: Callable[..., Path], text: Callable[..., str]) -> None:
    path = write(text(kind='"numeric"', table='tolerance = 0.01\n[answers]\n"dL/dx" = "1/4"\ny = -2', Proof=PROOF))
    key = load_questions(path.parent)[0].key
    assert isinstance(key, NumericKey)
    assert (key.answers, key.values, key.tolerance) == (
        {"dL/dx": "1/4", "y": "-2"},
        {"dL/dx": 0.25, "y": -2.0},
        0.01,
    )


def test_bug_key_has_the_corrected_program(write: Callable[..., Path], text: Callable[..., str]) -> None:
    program = "```python\ndef f(x):\n    return x\n```"
    path = write(text(kind='"bug"', ask=program, line="2", fix='"    return 2 * x"', Proof=PROOF))
    key = load_questions(path.parent)[0].key
    assert isinstance(key, BugKey)
    assert key.fixed.code == "def f(x):\n    return 2 * x\n"


def test_prediction_and_derivation_are_read(write: Callable[..., Path], text: Callable[..., str]) -> None:
    path = write(
        text(kind='"predict"', ask="```python torch\nprint(3)\n```", output='"3"'),
        text(id='"d"', kind='"derive"', variables='["x"]', table='[answers]\n"f\'" = "2*x"', Proof=PROOF),
    )
    predicted, derived = (question.key for question in load_questions(path.parent))
    assert isinstance(predicted, PredictKey)
    assert predicted.program.needs_torch
    assert isinstance(derived, DeriveKey)
    assert derived.answers == {"f'": "2*x"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": '"Sum Rule"'}, ":2: `id` must be lower-case letters"),
        ({"id": None}, ":1: `id` is missing"),
        ({"kind": '"essay"'}, ":3: `kind` must be one of recall, choice"),
        ({"minutes": "0"}, ":5: `minutes` must be a positive number"),
        ({"topics": "[]"}, ":6: `topics` must be an array of at least one"),
        ({"topics": '["graph", "graph"]'}, ":6: `topics` contains an item twice"),
        ({"sources": '["somewhere"]'}, ":7: each item of `sources` must be a document and a number"),
        ({"exercises": '["Mul Backward"]'}, ":8: each item of `exercises` must be"),
        ({"dificulty": '"easy"'}, ":8: unknown field `dificulty`; did you mean `difficulty`?"),
        ({"tolerance": "0.1"}, ":8: a recall question cannot have the field `tolerance`"),
        ({"minutes": '"two'}, ":5: the front matter is not valid TOML"),
        ({"Answer": None}, "the section `### Answer` is missing"),
        ({"Answer": ""}, "the section `Answer` is empty"),
        ({"Remarks": "none"}, "unknown section `Remarks`"),
        ({"Key_points": "- one"}, "`Key points` has 1 items; write 3 to 6"),
        ({"Key_points": "- one\n+ two\n+ three"}, "1 key points are needed; write two or three with `- `"),
        ({"Key_points": "- one\n- two\n+ three\n- four"}, "a bonus point, marked with `+`, must come after"),
        ({"Follow_ups": "- one?\n+ two?"}, "`+` marks a bonus among the key points"),
        ({"Follow_ups": "Why?"}, "`Follow-ups` must be a list"),
        ({"Common_wrong_answers": "It does."}, "`Common wrong answers` must be a list"),
        ({"You_will_often_read": "- it is so."}, "write it as `- The claim."),
        ({"Options": "- [x] a"}, "a recall question cannot have `### Options`"),
        ({"Proof": "Run this:\n```python\n```"}, "a proof can contain only code fences"),
        ({"Proof": "```py\n```"}, "open the proof's fence with"),
        ({"Answer": r"It is \frac{1}{2}."}, r"`\frac` is LaTeX"),
        ({"Answer": "It is x*y*z."}, "as emphasis; use backticks"),
        ({"Answer": "```python\nx = 1"}, "the code fence is never closed"),
        ({"kind": '"numeric"', "table": "[answers]\nx = 1"}, "the section `### Proof` is missing"),
        ({"kind": '"numeric"', "table": "[answers]\nx = 1\ntolerance = 0.1"}, ":10: move `tolerance` above"),
        ({"kind": '"numeric"', "table": '[answers]\nx = "1 +"'}, ":9: the answer `x`: `1 +` is not valid arithmetic"),
        ({"kind": '"predict"', "output": '"3"'}, "contain exactly one ```python fence, but it contains 0"),
        (
            {"kind": '"bug"', "line": "9", "fix": '"y"', "ask": "```python\nx\n```"},
            ":8: `line` must be between 1 and 1",
        ),
        (
            {"kind": '"bug"', "line": "1", "fix": '"x"', "ask": "```python\nx\n```"},
            ":9: `fix` is equal to the wrong line",
        ),
        ({"kind": '"derive"', "variables": '["x"]', "table": '[answers]\nf = "2*y"'}, ":10: the formula `f`: `y` is"),
        ({"kind": '"choice"'}, ":3: a choice question needs a section `### Options`"),
        ({"kind": '"choice"', "Options": "- [x] a\n- [x] b\n- [ ] c :: d"}, "mark exactly one option with `[x]`"),
        ({"kind": '"choice"', "Options": "- [x] a\n- [ ] b"}, "a wrong option needs its misconception"),
    ],
)
def test_malformed_question_is_reported_with_its_line(
    write: Callable[..., Path], text: Callable[..., str], changes: dict[str, str | None], message: str
) -> None:
    path = write(text(**changes))
    assert message in messages(path)
    assert read_file(path)[0] == []


def test_all_problems_of_all_files_are_reported_at_once(write: Callable[..., Path], text: Callable[..., str]) -> None:
    write(text(minutes="-1", difficulty='"nasty"'), name="a.md")
    path = write(text(topics="3"), name="b.md")
    with pytest.raises(ContentError) as caught:
        load_questions(path.parent)
    assert [(problem.path.rpartition("/")[2], problem.line) for problem in caught.value.problems] == [
        ("a.md", 4),
        ("a.md", 5),
        ("b.md", 6),
    ]


def test_repeated_id_names_both_places(write: Callable[..., Path], text: Callable[..., str]) -> None:
    write(text(), name="a.md")
    path = write(text(), name="b.md")
    with pytest.raises(ContentError, match=r"b\.md:1: the id `sum-rule` is already used at .*a\.md:1"):
        load_questions(path.parent)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1: the file contains no question"),
        ("# Hello\n", ":1: a question file must start with"),
        ("+++\nid", ":1: the front"),
    ],
)
def test_other_files_are_refused(write: Callable[..., Path], content: str, message: str) -> None:
    assert message in messages(write(content))


def test_unreadable_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.md").write_bytes(b"+++\n\xe9\n")
    with pytest.raises(FileError, match=r"latin\.md"):
        load_questions(tmp_path)


def test_drafts_and_hidden_files_are_skipped(write: Callable[..., Path], text: Callable[..., str]) -> None:
    write("draft", name="_draft.md")
    path = write(text())
    assert len(load_questions(path.parent)) == 1


def test_loading_400_questions_is_fast(write: Callable[..., Path], text: Callable[..., str]) -> None:
    proof = "```python\n" + "x = 1\n" * 20 + "```"
    answer = "One line of prose about a gradient.\n\n" * 10
    path = write(*(text(id=f'"q{i}"', Answer=answer, Proof=proof) for i in range(400)))
    best = min(timed(path) for _ in range(3))
    # 0.08 s of CPU on an idle core of 2020. Seven times that suits a busy machine and still finds a quadratic scan.
    assert best < 0.6


def timed(path: Path) -> float:
    start = time.process_time()
    load_questions(path.parent)
    return time.process_time() - start


def test_loading_imports_neither_numpy_nor_rich() -> None:
    program = (
        "import sys, autodrill.bank.question_files, autodrill.bank.judge;"
        "print(sorted({'numpy', 'rich', 'fsrs', 'torch'} & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"


def test_question_ids_are_read_without_parsing() -> None:
    assert question_ids() == [question.id for question in load_questions()]
    program = (
        "import sys; from autodrill.bank.question_index import question_ids as ids; ids(); "
        "print('tomllib' in sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "False"


def test_listed_files_come_first_and_the_others_by_name(tmp_path: Path) -> None:
    card = (content_root() / "questions" / "conv.md").read_text(encoding="utf-8")
    for name in ("alpha", "beta", "gamma"):
        (tmp_path / f"{name}.md").write_text(card.replace('id = "', f'id = "{name}-'), encoding="utf-8")
    (tmp_path / "_order.txt").write_text("gamma\nbeta\n", encoding="utf-8")
    assert list(dict.fromkeys(q.id.split("-")[0] for q in load_questions(tmp_path))) == ["gamma", "beta", "alpha"]
