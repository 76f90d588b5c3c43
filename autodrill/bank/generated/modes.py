"""The generator `modes`: a Jacobian or a part of it. Which mode computes it, and in how few passes?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.bank.generated.record import make, proof, verdict
from autodrill.bank.questions import ChoiceKey, Difficulty, Option

if TYPE_CHECKING:
    import random

    from autodrill.bank.questions import Question

__all__ = ["mode_and_passes"]


@dataclass(frozen=True, slots=True)
class _Task:
    """The required part of J, the Jacobian of f: Rⁿ → Rᵐ, written as UJV. U has r rows and V has c columns.

    Forward mode computes JV with one pass for each of the c columns, reverse mode UJ with one for each of the r rows.

    Attributes:
        wanted: The part in words.
        left: U, as NumPy code in terms of m.
        right: V, as NumPy code in terms of n.
        forward: c, the passes of forward mode.
        reverse: r, the passes of reverse mode.
        batch: The number of rows to which f is applied independently.
    """

    wanted: str
    left: str
    right: str
    forward: int
    reverse: int
    batch: int = 1


def mode_and_passes(rng: random.Random, difficulty: Difficulty) -> Question:
    """Return a question on the mode for a Jacobian, some of its columns or rows, or the Jacobians of a batch."""
    n, m = rng.sample(range(2, 25), 2)
    task = _task(rng, difficulty, n, m)
    forward, reverse, batch = task.forward, task.reverse, task.batch
    cheapest = min(forward, reverse)
    # The likely mistakes: the other dimension as the number of passes, or separate passes for each sample.
    slips = (reverse, forward) if batch == 1 else (batch * forward, batch * reverse)
    claims = [
        ("forward", forward, forward),
        ("reverse", reverse, reverse),
        ("forward", slips[0], forward),
        ("reverse", slips[1], reverse),
    ]
    options = tuple(
        Option(f"{mode} mode, {_passes(count)}", _is_right(count, need, cheapest), _why(mode, count, need, cheapest))
        for mode, count, need in claims
    )
    plans = [(mode, count) for mode, count, _ in claims]
    apart = f"  The function is applied to each of the {batch} rows of `X` separately." if batch > 1 else ""
    return make(
        __file__,
        difficulty,
        ChoiceKey(options),
        minutes=2,
        topics=("modes",),
        title="Which mode needs fewer passes, and how many does it need?",
        body=f"`f` maps R^{n} to R^{m}; its Jacobian `J` is {m}×{n}.{apart} Compute {task.wanted}. "
        "A pass is one JVP or one VJP; count passes, not their cost.",
        answer=f"Forward mode needs {_passes(forward)} and reverse mode {_passes(reverse)}, so "
        f"{'forward' if forward < reverse else 'reverse'} mode needs fewer. A JVP pushes one direction of the inputs "
        "forward and gives a combination of the columns of `J`. A VJP pulls one direction of the outputs back and "
        "gives a combination of the rows of `J`."
        + (" The samples are independent, so one pass carries a direction for every row." if batch > 1 else ""),
        key_points=(
            "A JVP gives J·v, a combination of columns, so forward mode needs one pass per direction of the input",
            "A VJP gives uᵀ·J, a combination of rows, so reverse mode needs one pass per direction of the output",
            "What counts is the number of required directions, not the size of J",
        ),
        wrong_answers=(
            verdict(
                "Reverse mode, because backprop uses it",
                "reverse mode is cheap for one output; for few inputs forward mode is cheaper.",
            ),
        ),
        follow_ups=(
            (
                "Which mode must store values of the forward pass?",
                "Reverse mode. Forward mode computes each tangent along with its value.",
            ),
        ),
        proofs=(
            proof(_ON_ENGINE.format(n=n, m=m, task=task, plans=plans) + _COUNTED),
            proof(_ON_TORCH.format(n=n, m=m, task=task, plans=plans) + _COUNTED, torch=True),
        ),
    )


def _task(rng: random.Random, difficulty: Difficulty, n: int, m: int) -> _Task:
    everything = ("np.eye(m)", "np.eye(n)")
    if difficulty is Difficulty.EASY:
        return _Task("all of `J`", *everything, n, m)
    if difficulty is Difficulty.HARD:
        batch = rng.randint(2, 9)
        return _Task(f"the {batch} Jacobians, one for each row", *everything, n, m, batch)
    columns = rng.choice([k for k in range(1, n + 1) if k != m])
    rows = rng.choice([k for k in range(1, m + 1) if k != n])
    return rng.choice(
        [
            _Task("`J @ v` for one vector `v`", "np.eye(m)", "np.ones((n, 1))", 1, m),
            _Task("`u @ J` for one vector `u`", "np.ones((1, m))", "np.eye(n)", n, 1),
            _Task(f"{columns} of the {n} columns of `J`", "np.eye(m)", f"np.eye(n)[:, :{columns}]", columns, m),
            _Task(f"{rows} of the {m} rows of `J`", f"np.eye(m)[:{rows}]", "np.eye(n)", n, rows),
        ]
    )


def _is_right(count: int, need: int, cheapest: int) -> bool:
    return count == need == cheapest


def _why(mode: str, count: int, need: int, cheapest: int) -> str:
    if _is_right(count, need, cheapest):
        return f"{mode} mode needs {_passes(need)}, and the other mode needs more"
    if count < need:
        return f"that is not enough: {mode} mode needs {_passes(need)}"
    if count > need:
        return f"that is more than needed: {mode} mode needs only {need}"
    return f"that is enough, but the other mode needs only {cheapest}"


def _passes(count: int) -> str:
    return f"{count} pass" + ("es" if count != 1 else "")


_SETTING = """
n, m, batch = {n}, {m}, {task.batch}
plans = {plans}
rng = np.random.default_rng(0)
A, X = rng.standard_normal((m, n)), rng.standard_normal((batch, n))
U, V = {task.left}, {task.right}
"""
_ON_ENGINE = f"""
import numpy as np

from autodrill import engine
{_SETTING}

def f(X):
    return engine.sin(X @ A.T)


def push(T):
    return engine.jvp(f, (X,), (T,))[1].numpy()


def pull(G):
    return engine.vjp(f, X)[1](G)[0].numpy()
"""
_ON_TORCH = f"""
import numpy as np
import torch
{_SETTING}

def f(X):
    return torch.sin(X @ torch.from_numpy(A).T)


def push(T):
    return torch.func.jvp(f, (torch.from_numpy(X),), (torch.from_numpy(T),))[1].numpy()


def pull(G):
    return torch.func.vjp(f, torch.from_numpy(X))[1](torch.from_numpy(G))[0].numpy()
"""
# Compared with the closed form of the Jacobian of sin(Ax), which is diag(cos Ax)·A.
_COUNTED = """

want = U @ (np.cos(X @ A.T)[:, :, None] * A) @ V


def enough(mode, count):
    got = np.full(want.shape, np.nan)
    for k in range(min(count, V.shape[1] if mode == "forward" else len(U))):
        if mode == "forward":
            got[:, :, k] = push(np.tile(V[:, k], (batch, 1))) @ U.T
        else:
            got[:, k, :] = pull(np.tile(U[k], (batch, 1))) @ V
    return np.allclose(got, want)


fewest = min(count for mode, count in plans if enough(mode, count))
verdicts = [count == fewest and enough(mode, count) for mode, count in plans]
"""
