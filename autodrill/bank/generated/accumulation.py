"""The generator `grad`: a short program of backward passes, resets and steps. What does `.grad` contain at its end?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.bank.generated.record import make, proof, verdict
from autodrill.bank.questions import Difficulty, PredictKey

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping

    from autodrill.bank.questions import Question

__all__ = ["grad_after_snippet"]

_LARGEST = 512  # small multiples of 1/4 are exact in PyTorch's float32 and easy in the head
_FIRST = "w"
_PRINTED = "grads = [w.grad, b.grad]\nprint(*(None if g is None else g.item() for g in grads))"


@dataclass(frozen=True, slots=True)
class _Step:
    """Statements with a small number `{k}`, and what they add to the `.grad` of each leaf they reach."""

    code: str
    adds: Callable[[float, float, int], Mapping[str, float]]


# Functions of the values of the leaves w and b when the statement runs.
_EASY = (
    _Step("({k} * w).backward()", lambda w, b, k: {"w": k}),
    _Step("(w * w).backward()", lambda w, b, k: {"w": 2 * w}),
    _Step("(w * b).backward()", lambda w, b, k: {"w": b, "b": w}),
    _Step("(w + {k} * b).backward()", lambda w, b, k: {"w": 1, "b": k}),
)
_MEDIUM = (
    *_EASY,
    _Step("(w.detach() * w).backward()", lambda w, b, k: {"w": w}),
    _Step("for _ in range({k}):\n    (w - b).backward()", lambda w, b, k: {"w": k, "b": -k}),
    _Step("y = w * w\ny.backward(retain_graph=True)\ny.backward()", lambda w, b, k: {"w": 4 * w}),
)
_HARD = (
    *_MEDIUM,
    _Step("(w * w * b).backward()", lambda w, b, k: {"w": 2 * w * b, "b": w * w}),
    _Step("with torch.no_grad():\n    y = w * b\n(y * w).backward()", lambda w, b, k: {"w": w * b}),
    _Step("torch.relu(w).backward()", lambda w, b, k: {"w": 1.0 if w > 0 else 0.0}),
    _Step("y = {k} * w\n(y * y.detach()).backward()", lambda w, b, k: {"w": k * k * w}),
)
_LEVELS = {Difficulty.EASY: (_EASY, 3, 1), Difficulty.MEDIUM: (_MEDIUM, 4, 2), Difficulty.HARD: (_HARD, 5, 3)}


class _Run:
    """A program under construction, with the current values of its leaves and their gradients."""

    def __init__(self, w: float, b: float) -> None:
        self.values: dict[str, float] = {"w": w, "b": b}
        self.grads: dict[str, float | None] = {"w": None, "b": None}
        self.total = 0.0
        self.code = [f"{name} = torch.tensor({value}, requires_grad=True)" for name, value in self.values.items()]

    def add(self, step: _Step, k: int) -> None:
        """Append the statements of a step and add their gradients."""
        self.code.append(step.code.format(k=k))
        for leaf, amount in step.adds(self.values["w"], self.values["b"], k).items():
            self.grads[leaf] = (self.grads[leaf] or 0.0) + amount
            self.total += amount if leaf == _FIRST else 0.0

    def interrupt(self, leaf: str, how: str) -> None:
        """Drop or zero an existing gradient, or use it for a step of gradient descent."""
        grad = self.grads[leaf]
        if grad is None:
            return
        if how == "drop":
            self.code.append(f"{leaf}.grad = None")
            self.grads[leaf] = None
        elif how == "zero":
            self.code.append(f"{leaf}.grad.zero_()")
            self.grads[leaf] = 0.0
        else:
            self.code.append(f"with torch.no_grad():\n    {leaf} -= 0.5 * {leaf}.grad")
            self.values[leaf] -= 0.5 * grad

    @property
    def numbers(self) -> list[float]:
        """Every number that a learner must track."""
        return [*self.values.values(), *(grad for grad in self.grads.values() if grad is not None)]


def grad_after_snippet(rng: random.Random, difficulty: Difficulty) -> Question:
    """Return a question that tracks `.grad` of two leaves through a short program."""
    while (run := _attempt(rng, difficulty)) is None:
        pass
    output = " ".join("None" if grad is None else f"{grad}" for grad in run.grads.values())
    program = "\n".join(run.code)
    shown = f"import torch\n\n{program}\n\n{_PRINTED}"
    fence = proof(shown, torch=True)
    # PyTorch and the engine use the same names, except to create a tensor.
    ours = program.replace("torch.tensor(", "torch.Tensor(").replace("torch.", "engine.")
    on_engine = f"""
from autodrill import engine

{ours}
assert " ".join("None" if g is None else str(g.item()) for g in (w.grad, b.grad)) == {output!r}
"""
    final = run.grads[_FIRST]
    never = (
        f"here `w.grad` would be {run.total} without the resets"
        if final != run.total
        else "here no reset changes the final `w.grad`"
    )
    return make(
        __file__,
        difficulty,
        PredictKey(fence, output),
        minutes={Difficulty.EASY: 1, Difficulty.MEDIUM: 2, Difficulty.HARD: 4}[difficulty],
        topics=("engine", "pytorch-autograd"),
        title="What are the gradients at the end of this program?",
        body=f"```python\n{shown}\n```",
        answer=f"`{output}`. Each `backward` adds to what `.grad` holds; only explicit statements reset it.",
        key_points=(
            "`backward` adds to `.grad` and does not replace it",
            "`.grad` is None until a gradient first arrives, and again after `= None`; `zero_()` leaves a 0",
            "A gradient uses the values that the leaves have when the forward pass runs",
            "No gradient flows back through `detach()` or out of a `no_grad()` block",
        ),
        wrong_answers=(
            verdict(
                "`.grad` holds only what the last `backward` computed", "`.grad` holds the sum since its last reset."
            ),
            verdict("Resets and steps matter only to the optimiser", f"they are statements like all others; {never}."),
        ),
        follow_ups=(
            (
                "Why does PyTorch accumulate instead of overwriting?",
                "The gradients of several losses or micro-batches then add up without an extra buffer.",
            ),
        ),
        proofs=(proof(on_engine),),
    )


def _attempt(rng: random.Random, difficulty: Difficulty) -> _Run | None:
    """Draw a program; None if its numbers become unwieldy or a step of descent ends at the kink of relu."""
    steps, passes, interruptions = _LEVELS[difficulty]
    run = _Run(float(rng.choice([-3, -2, 2, 3, 4])), float(rng.choice([-2, -1, 2, 3, 5])))
    interrupted = set(rng.sample(range(1, passes), min(interruptions, passes - 1)))
    ways = ("drop", "zero") if difficulty is Difficulty.EASY else ("drop", "zero", "step")
    for number in range(passes):
        if number in interrupted:
            run.interrupt(rng.choice("wwb"), rng.choice(ways))
        run.add(rng.choice(steps), rng.randint(2, 4))
        if not all(run.values.values()) or any(abs(number) > _LARGEST for number in run.numbers):
            return None
    return run if run.grads[_FIRST] is not None and all((4 * number).is_integer() for number in run.numbers) else None
