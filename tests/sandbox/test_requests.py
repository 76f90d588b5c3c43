"""Several calls in one request, and several pending requests: each reply belongs to its call."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.sandbox.outcomes import CallOutcome, Died, Flooded, Loaded, Raised, Returned, TimedOut, Unreadable
from autodrill.sandbox.requests import UNKNOWN, Call, Request, call_request
from autodrill.sandbox.runner import Limits, Runner, SameAs
from tests.sandbox.running import code

if TYPE_CHECKING:
    from collections.abc import Sequence
X = np.arange(3.0)
LIMITS = Limits(seconds=5)


def requests(*batches: Sequence[Call], seconds: float = 5) -> list[Request]:
    return [call_request(batch, budget=1 << 16, seconds=seconds) for batch in batches]


def answers(source: str, asked: list[Request], limits: Limits = LIMITS) -> list[tuple[CallOutcome, ...]]:
    with Runner.start(limits) as runner:
        assert runner.load(source.encode(), "f.py", "f") == Loaded()
        return list(runner.answers(asked))


def numbers(*values: int) -> list[Call]:
    return [Call([value]) for value in values]


def test_replies_match_their_calls() -> None:
    asked = requests(*(numbers(3 * n, 3 * n + 1, 3 * n + 2) for n in range(40)))
    got = answers("def f(x):\n    return x", asked)
    assert got == [tuple(Returned(3 * n + i) for i in range(3)) for n in range(40)]


def test_replies_before_a_crash_are_kept() -> None:
    source = "import os\ndef f(x):\n    if x == 7: os._exit(3)\n    return x"
    got = answers(source, requests(*(numbers(n) for n in range(1, 20))))
    assert got == [*((Returned(n),) for n in range(1, 7)), (Died("exit code 3", 3),)]


def test_calls_stop_after_one_that_does_not_return() -> None:
    source = "seen = []\ndef f(x):\n    seen.append(x)\n    if x == 2: raise ValueError\n    return list(seen)"
    (first, second) = answers(source, requests(numbers(1, 2, 3), numbers(9)))
    assert [type(end) for end in first] == [Returned, Raised]
    assert second == (Returned([1, 2, 9]),)


def test_again_passes_the_objects_of_the_first_call() -> None:
    source = "kept = []\ndef f(x):\n    x += 1\n    kept.append(x)\n    return x.copy(), x is kept[0]"
    (got,) = answers(source, requests([Call([X]), Call([X]), Call([X], again=True)]))
    sums = [end.value[0].tolist() if isinstance(end, Returned) else end for end in got]
    same = [end.value[1] if isinstance(end, Returned) else end for end in got]
    assert sums == [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [2.0, 3.0, 4.0]]
    assert same == [True, False, True]


def test_call_made_again_shows_what_a_file_keeps_for_an_array() -> None:
    source = "kept = {}\ndef f(x):\n    return kept.setdefault(id(x), (x, x.sum() * x))[1].copy()"
    steady = "def f(x):\n    return x.sum() * x"
    for text, repeated in ((source, [6.0, 3.0, 0.0]), (steady, [0.0, 3.0, 6.0])):
        (got,) = answers(text, requests([Call([X]), Call([X], again=True)]))
        found = [end.value.tolist() if isinstance(end, Returned) else end for end in got]
        assert found == [[0.0, 3.0, 6.0], repeated]


def test_call_made_again_survives_an_error_on_other_numbers() -> None:
    source = "def f(x):\n    if x[0] > 1: raise SystemExit\n    return x * 2"
    (got,) = answers(source, requests([Call([X]), Call([X], again=True)]))
    assert [end.value.tolist() if isinstance(end, Returned) else end for end in got] == [[0.0, 2.0, 4.0]] * 2


def test_unwatched_call_makes_no_claims() -> None:
    (got,) = answers("def f(x):\n    x += 1\n    return x", requests([Call([X]), Call([X], watched=False)]))
    assert [end.changed if isinstance(end, Returned) else end for end in got] == [(0,), ()]


SILENCED = """
import sys
import numpy as np
for name, module in list(sys.modules.items()):
    if name.endswith("memory_claims"):
        module.compare = lambda *_: None
kept = np.zeros(3)
"""


@pytest.mark.parametrize(
    ("body", "claim"),
    [
        ("x[0] = 5; return x.copy()", {"changed": (UNKNOWN,)}),
        ("return x[:2]", {"shared": ((0, UNKNOWN),)}),
        ("y = x.copy(); return y, y[:1]", {"shared": ((0, UNKNOWN),)}),
        ("return np.broadcast_to(x.copy(), (2, 3))", {"shared": ((0, UNKNOWN),)}),
        ("kept[:] = x; return kept", {"reused": (0,)}),
        ("return x.copy()", {}),
    ],
)
def test_silenced_claim_counts_as_made(body: str, claim: dict[str, Any]) -> None:
    source = f"{SILENCED}\ndef f(x):\n    {body}"
    ((first, second),) = answers(source, requests([Call([X]), Call([X + 1])]))
    assert isinstance(first, Returned)
    assert isinstance(second, Returned)
    names = ("changed", "shared", "joined", "readonly", "reused")
    made = {name: value for name in names if (value := getattr(second, name))}
    assert made == claim
    assert bool(first.changed or first.shared) == ("kept" not in body and bool(claim))


@pytest.mark.parametrize("period", [1, 5, 1000])
def test_reuse_of_any_recent_result_is_claimed(period: int) -> None:
    source = f"""
        import numpy as np
        calls, buffers = -1, [np.zeros(3) for _ in range({period})]
        def f(x):
            global calls
            calls += 1
            if calls == 0:
                return x.copy()
            out = buffers[calls % {period}]
            out[...] = x
            return out
    """
    got = answers(code(source).decode(), requests([Call([X + n], watched=n != 2) for n in range(12)]))
    reused = [end.reused if isinstance(end, Returned) else end for end in got[0]]
    assert reused == [(0,) if n > period and n != 2 else () for n in range(12)]


@pytest.mark.parametrize("evidence", ["bytes(12)", "b''", "b'1'", "b'1' * 40"])
def test_missing_evidence_counts_as_every_claim(evidence: str) -> None:
    source = f"{SILENCED}        module.evidence = lambda *_: {evidence}\ndef f(x):\n    return x.copy()"
    source = source.replace("kept = np.zeros(3)\n", "")
    ((got,),) = answers(source, requests([Call([X])]))
    assert isinstance(got, Returned)
    assert (got.changed, got.shared) == ((UNKNOWN,), ((0, UNKNOWN),))


def test_claims_report_one_changed_bit_of_a_large_argument() -> None:
    large = np.zeros(100_000)
    source = "import numpy as np\ndef f(x, how):\n    x[777] = np.nan if how else -0.0\n    return 0"
    (got,) = answers(source, requests([Call([large, 1]), Call([large, 0])]))
    assert [end.changed if isinstance(end, Returned) else end for end in got] == [(0,), (0,)]
    (kept,) = answers("def f(x, how):\n    return 0", requests([Call([large, 1])]))
    assert kept == (Returned(0),)


def test_equal_arguments_are_sent_once_and_stay_two_objects() -> None:
    source = "def f(a, b, c):\n    return a is b, a is c"
    asked = requests([Call([X, X.copy(), SameAs(0)])])
    assert answers(source, asked) == [(Returned((False, True)),)]
    alone = requests([Call([np.arange(1000.0)])])[0]
    thrice = requests([Call([np.arange(1000.0)])] * 3)[0]
    assert len(thrice.frame) < len(alone.frame) + 100


def test_time_limit_applies_to_each_call() -> None:
    slow = "import time\ndef f(x):\n    time.sleep(0.3)\n    return x"
    together = (1, 2, 3, 4, 5)  # 1.5 s
    assert answers(slow, requests(numbers(*together), seconds=1.0)) == [tuple(map(Returned, together))]
    (got,) = answers(slow.replace("0.3", "x"), requests(numbers(0, 0, 60), seconds=1.0))
    assert got[-1] == TimedOut(1.0, 3)


def test_output_limit_applies_to_each_request() -> None:
    source = "def f(x):\n    print('x' * x)\n    return 0"
    got = answers(source, requests(numbers(10), numbers(400, 400, 400), numbers(1)), Limits(seconds=5, output=1000))
    # The process is ahead of the parent: later output may be counted while an earlier reply is read.
    assert isinstance(got[-1][-1], Flooded)
    assert got[:-1] in ([], [(Returned(0),)])


def test_answers_can_be_closed_early() -> None:
    with Runner.start(LIMITS) as runner:
        runner.load(b"def f(x):\n    return x", "f.py", "f")
        with closing(runner.answers(requests(*(numbers(n) for n in range(30))))) as stream:
            assert [next(stream) for _ in range(2)] == [(Returned(0),), (Returned(1),)]
        assert runner.call([99], budget=100) == Returned(99)


def test_call_request_rejects_too_many_arguments() -> None:
    with pytest.raises(ValueError, match="range"):
        call_request([Call([float(n) for n in range(300)])], budget=100, seconds=1)


ASKS = """
def drive(candidate, x):
    return candidate(ask, x)
"""


def test_ask_is_answered_and_counted_by_the_parent() -> None:
    source = "def f(ask, x):\n    return [ask(i) for i in range(int(x))]"
    batches = [[Call([2.0]), Call([0.0])], [Call([3.0])]]
    asked = [call_request(calls, budget=1000, seconds=5, answer=lambda value: 10 * value) for calls in batches]
    with Runner.start(LIMITS) as runner:
        assert isinstance(runner.load(source.encode(), "f.py", "f", ASKS), Loaded)
        with closing(runner.answers(asked)) as stream:
            got = list(stream)
    assert got == [(Returned([0, 10], asked=2), Returned([], asked=0)), (Returned([0, 10, 20], asked=3),)]


def test_ask_ends_the_process_if_nothing_answers() -> None:
    source = "def f(ask, x):\n    return ask(x)"
    with Runner.start(LIMITS) as runner:
        assert isinstance(runner.load(source.encode(), "f.py", "f", ASKS), Loaded)
        assert isinstance(runner.call([1.0], budget=100), Unreadable)


def test_time_limit_ends_questions_that_never_pause() -> None:
    source = """
        import os
        import struct

        def f(ask, x):
            for _ in range(40):
                questions = memoryview((struct.pack("<BQ", 17, 1) + b"N") * 5000)
                while questions:
                    questions = questions[os.write(ask.__self__._descriptor, questions) :]
            return 0
    """
    with Runner.start(LIMITS) as runner:
        assert isinstance(runner.load(code(source), "f.py", "f", ASKS), Loaded)
        outcome = runner.call([1.0], budget=100, seconds=0.1, answer=lambda value: value)
        assert isinstance(outcome, TimedOut)


def test_time_limit_counts_all_that_is_asked() -> None:
    source = "def f(ask, x):\n    while True:\n        ask(x)"
    with Runner.start(LIMITS) as runner:
        assert isinstance(runner.load(source.encode(), "f.py", "f", ASKS), Loaded)
        assert isinstance(runner.call([1.0], budget=100, seconds=0.3, answer=lambda value: value), TimedOut)
