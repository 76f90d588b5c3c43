"""A learner for the pictures: 41 days of practice, and an interview in the middle or at its end."""  # noqa: INP001 a script, not a package

from __future__ import annotations

import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from autodrill.bank.curriculum import load_curriculum
from autodrill.bank.question_files import load_questions
from autodrill.practice.interview_log import Event, InterviewLog, What
from autodrill.practice.interview_plan import Form, Level, Plan, Role, Step, asking_minutes
from autodrill.practice.log_records import Rating
from autodrill.practice.progress import log_attempt
from autodrill.practice.schedule import schedule_of
from autodrill.practice.store import Store

if TYPE_CHECKING:
    from autodrill.bank.questions import Question

TODAY = datetime(2026, 11, 24, 9, tzinfo=UTC)
DAYS = 41
PATH = "post-training"
RULES = ("no-unbroadcast", "wrong-axis", "no-upstream", "no-unbroadcast")
CODED = (
    *("add_backward", "mul_backward", "tanh_backward", "sum_backward", "mul_broadcast_backward", "relu_backward"),
    *("matmul_backward", "softmax_backward", "log_softmax_backward", "var_backward", "layernorm_backward"),
    *("logsumexp_backward", "gelu_backward", "softmax_cross_entropy_backward"),
)
ASKED = (
    *("argmax-round-differentiable", "attention-dqdkdv", "why-topological-order", "memory-vs-compute"),
    "initial-loss-check",
)
EXERCISE = "layernorm_backward"
TYPED = (
    "No: their derivative is 0 almost everywhere. Use a straight-through "
    "estimator (biased), Gumbel-softmax, or the score function (unbiased, noisy)."
)


def practise(store: Store) -> None:
    """Answer what is due and a few new questions on most days, and write exercises on some."""
    rng = random.Random(41)  # noqa: S311 a learner, not a secret
    new = [step.name for step in load_curriculum().paths[PATH].steps if not step.is_exercise]
    new += [question.id for question in load_questions() if question.id not in new]
    coded = list(CODED)
    store.choose_path(PATH, TODAY - timedelta(days=DAYS))
    for ago in range(DAYS, -1, -1):
        at = TODAY - timedelta(days=ago, hours=1)
        if ago > 6 and rng.random() < 0.3:
            continue
        every = [state.card for state in schedule_of(store, at).due(at)]
        due = [card for card in every if card.startswith("q:")]
        for name in [card.removeprefix("x:") for card in every if card.startswith("x:")][: 3 if ago else 0]:
            at += timedelta(minutes=4)
            log_attempt(store, name, "pass", f"# {at}", 1, at)
        fresh = [f"q:{new.pop(0)}" for _ in range(rng.randrange(1, 4))]
        for card in [*due[: 14 if ago else 3], *fresh]:
            at += timedelta(minutes=2)
            rating = rng.choices([Rating.AGAIN, Rating.HARD, Rating.GOOD, Rating.EASY], [2, 1, 8, 1])[0]
            store.add_review(card, rating, at, {"seconds": 90.0})
        if coded and rng.random() < 0.45:
            name = coded.pop(0)
            for rule in rng.sample(RULES, rng.randrange(3)):
                at += timedelta(minutes=rng.randrange(2, 9))
                log_attempt(store, name, "fail", f"# {at}", 1, at, {"fault": "value", "rule": rule})
            log_attempt(store, name, "pass", f"# {at}", 1, at + timedelta(minutes=3))


def interview(store: Store, *, over: bool) -> None:
    """Begin an interview; if it is over, answer and mark everything but the last step."""
    bank = {question.id: question for question in load_questions()}
    questions = [bank[name] for name in ASKED]
    steps = [Step(Form.QUESTION, q.id, q.title, q.topics[0], str(q.kind), asking_minutes(q)) for q in questions]
    steps.insert(2, Step(Form.EXERCISE, EXERCISE, "Backward of layer normalisation", "norm", "code", 15.0))
    log = InterviewLog(store)
    taken = log.begin(Plan(Role.RESEARCH_ENGINEER, Level.MID, 45, 7, tuple(steps)), TODAY - timedelta(minutes=41))
    spent = 0.0

    def write(what: What, step: int | None, seconds: float = 0.0, **detail: object) -> None:
        nonlocal spent
        spent += seconds
        log.write(taken.id, Event(what, step, spent, detail), TODAY)

    if not over:
        write(What.BEGIN, 0)
        write(What.DRAFT, 0, 61.0, line=0, **{"from": 0, "text": TYPED})
        return
    for at, step in enumerate(steps):
        write(What.BEGIN, at)
        if step.form is Form.EXERCISE:
            for number, verdict in enumerate(("fail", "pass")):
                rule = "" if number else "wrong-axis"
                passed = 54 if number else 12
                facts = {"verdict": verdict, "passed": passed, "cases": 54, "summary": "", "rule": rule, "because": ""}
                write(What.ATTEMPT, at, 340.0, source=f"# {number}", **facts)
        write(What.ANSWER, at, 151.0 + 43.0 * at, typed=[["", TYPED]])
    write(What.END, None, why="done")
    for at, step in enumerate(steps):
        if step.form is Form.QUESTION:
            _mark(write, store, bank[step.id], at, missed=at % 2)


def _mark(write: object, store: Store, question: Question, at: int, *, missed: int) -> None:
    """Tick the needed points of an answer but the last `missed` ones."""
    points = [[p, n < question.needed, n < question.needed - missed] for n, p in enumerate(question.key_points)]
    rating = Rating.HARD if missed else Rating.GOOD
    store.add_review(f"q:{question.id}", rating, TODAY)
    assert callable(write)
    write(
        What.MARKED,
        at,
        right=question.needed - missed,
        of=question.needed,
        points=points,
        answer="",
        rating=rating.word,
        exercises=list(question.exercises),
    )


def main() -> None:
    """Write the log that is asked for into a home."""
    home, what = Path(sys.argv[1]), sys.argv[2]
    with Store.open(home / "history.db", now=TODAY - timedelta(days=DAYS)) as store:
        practise(store)
        if what != "days":
            interview(store, over=what == "report")


if __name__ == "__main__":
    main()
