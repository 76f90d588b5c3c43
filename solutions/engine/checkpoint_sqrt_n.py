"""Backward needs the inputs of the stages in reverse order, and forward makes them in order: somebody has to keep them,
or make them again. Cut the chain into segments of length s = ⌈√N⌉. Forward keeps only the input of each segment, N/s of
them. Backward takes the segments from the last to the first: run the segment again from its kept input, keeping its s
activations, then walk back through them and let all of them go.

Alive at once: N/s kept inputs and s activations, least at s = √N: 2√N. What lives is what is referred to: the last
activation of the forward is not needed, and a list that still holds a finished segment keeps it alive.

Cost: N calls of f going forward and, as the last stage of a segment need not run again, N − ⌈N/s⌉ more. If a VJP costs
as much as two calls of f, that is less than a third more work than without checkpoints, for about 2√N activations where
N were kept.

PyTorch: `torch.utils.checkpoint.checkpoint` does this for one segment; `checkpoint_sequential` cuts a chain into
several and runs the last of them, which takes the remainder, without one. It also saves the random state and puts it
back (`preserve_rng_state`), or dropout would draw another mask the second time. In 2.13 leaving out `use_reentrant`
warns and takes the reentrant version; recommended is `use_reentrant=False`, which recomputes through hooks on saved
tensors.

Asked next:

- N = 64: how many activations, how many calls of f? → Segments of 8: eight kept inputs and the eight of the segment at
  hand, about 16 where plain backward keeps 64; and 64 + 56 = 120 calls of f.
- And if √N activations are still too many? → Checkpoint recursively: run to the middle and keep that, reverse the
  second half, then the first, each in the same way. For N a power of two that is log₂ N kept activations and (N/2)·log₂
  N calls of f: 6 and 192 for N = 64.
- Stages differ in size and price. Where do you cut? → Where the activation is small, as the inputs of segments are what
  is kept throughout; what counts is their sum plus the largest segment, in bytes. And recompute what is cheap for its
  size, such as activations, norms and dropout, rather than matrix products.
- What must hold of f for the second run to be the first one again? → The same inputs, not written to in between; the
  same random numbers; no state that counts its calls. Batch norm in training breaks the last: checkpointed, it updates
  its running statistics twice a step, although its gradients are right.
"""

import functools
import math

import numpy as np

from autodrill import engine
from autodrill.drills import gradient, mistake, scenario

HINTS = (
    "Which activations must be kept, if any stretch of the chain may be run again from its first input?",
    "Keep every ⌈√N⌉-th input. Going back, run one segment again, use its activations, and let go of them.",
    "One loop forward that stores the inputs of segments; one loop over segments reversed, with two short loops in it.",
)


@scenario(1, 2, 5, 10, 16, 64, 256, note="a chain")
def chain(rng, size):
    return {"x": rng.normal(size=2), "g": rng.normal(size=2), "stages": size}


# 256 activations of an eighth of a MiB, where 2 * 16 + 3 may live, and a few are in the making.
@scenario(256, note="a chain of large activations", memory=6 << 20, because="all 256 activations at once")
def large_chain(rng, size):
    return {"x": rng.normal(size=1 << 14), "g": rng.normal(size=1 << 14), "stages": size}


CASES = [chain, large_chain]
EQUIVALENT = {
    "comparison: if i % length == 0: -> if i % length <= 0:": "a remainder is never negative",
    "statement: del a -> pass": "one more is within what is allowed",
}


# A stage turns the array round, or the order of the VJPs would not matter: slopes element by element commute. What
# lives and what is called is counted beside the candidate's code, and so is its word; that the large chain fits in
# memory is enforced outside.
def drive(candidate, x, g, stages):
    alive = peak = backwards = 0
    forwards = [0] * stages

    class Activation(np.ndarray):
        def __array_finalize__(self, source):
            self.counted = False

        def __del__(self):
            nonlocal alive
            alive -= self.counted

    def stage(number):
        def f(a):
            nonlocal alive, peak
            forwards[number] += 1
            out = np.sin(np.asarray(a)[::-1] * (1 + number % 64 / 100)).view(Activation)
            out.counted = True
            alive += 1
            peak = max(peak, alive)
            return out

        def vjp(a, g):
            nonlocal backwards
            backwards += 1
            slope = (1 + number % 64 / 100) * np.cos(np.asarray(a)[::-1] * (1 + number % 64 / 100))
            return (np.asarray(g) * slope)[::-1]

        return f, vjp

    answer = np.array(candidate([stage(number) for number in range(stages)], x, g))
    return {"dx": answer, "alive": peak, "forwards": sum(forwards), "often": max(forwards), "backwards": backwards}


@functools.lru_cache(maxsize=8)  # whoever answers, it is the same
def right_gradient(x, g, stages):
    right, a, slopes = np.frombuffer(g), np.frombuffer(x), []
    for number in range(stages):
        a = a[::-1] * (1 + number % 64 / 100)
        slopes.append(np.cos(a) * (1 + number % 64 / 100))
        a = np.sin(a)
    for slope in reversed(slopes):
        right = (right * slope)[::-1]
    return right


def judge(answer, x, g, stages):
    def run(x):
        for number in range(stages):
            x = engine.sin(x[::-1] * (1 + number % 64 / 100))
        return (x * g).sum()

    match answer:
        case {"dx": np.ndarray() as dx, "alive": int(), "forwards": int(), "often": int(), "backwards": int()}:
            pass
        case _:
            return "type: the gradient of x must be an array of floats"
    if dx.dtype.kind != "f":
        return "type: the gradient of x must be an array of floats"
    if dx.shape != x.shape:
        return f"shape: the gradient has shape {dx.shape}, x has {x.shape}"
    if stages <= 64 and x.size < 100:
        (right,) = gradient(run, x)
    else:
        right = right_gradient(x.tobytes(), g.tobytes(), stages)
    if not np.allclose(dx, right, rtol=1e-9, atol=1e-9 * np.abs(right).max()):
        return "wrong-gradient: the gradient of x is wrong"
    if answer["backwards"] != stages:
        return f"vjp-calls: {answer['backwards']} calls of vjp for {stages} stages"
    if answer["forwards"] > 2 * stages:
        return f"too-many-forwards: {answer['forwards']} calls of f for {stages} stages, where {2 * stages} are enough"
    if answer["often"] > 2:
        return f"too-many-forwards: {answer['often']} calls of one f, where 2 are enough"
    if answer["alive"] > (allowed := 2 * math.ceil(math.sqrt(stages)) + 3):
        return f"too-many-alive: {answer['alive']} activations alive at once, {allowed} are enough for {stages} stages"
    return None


def checkpoint_sqrt_n(fs, x, g):
    length = math.ceil(math.sqrt(len(fs)))
    kept, a = [], x
    for i, (f, _) in enumerate(fs):
        if i % length == 0:
            kept.append(a)
        a = f(a)
    del a
    for start in range(len(kept) * length - length, -1, -length):
        segment = fs[start : start + length]
        inputs = [kept.pop()]
        for f, _ in segment[:-1]:
            inputs.append(f(inputs[-1]))
        for _, vjp in reversed(segment):
            g = vjp(inputs.pop(), g)
    return g


@mistake(
    "store-all",
    "an activation that is needed later must be kept until then",
    "How many are alive when the forward ends?",
)
def checkpoint_sqrt_n(fs, x, g):
    inputs = [x]
    for f, _ in fs:
        inputs.append(f(inputs[-1]))
    for i in reversed(range(len(fs))):
        g = fs[i][1](inputs[i], g)
    return g


@mistake(
    "recompute-from-start",
    "what is not kept is run again from x",
    "How often does the first stage run? You may afford two forwards in all.",
)
def checkpoint_sqrt_n(fs, x, g):
    for i in reversed(range(len(fs))):
        a = x
        for f, _ in fs[:i]:
            a = f(a)
        g = fs[i][1](a, g)
    return g


@mistake(
    "one-segment",
    "running the whole chain again is checkpointing",
    "While you walk back, how many activations of the second run are alive?",
)
def checkpoint_sqrt_n(fs, x, g):
    a = x
    for f, _ in fs:
        a = f(a)
    del a
    inputs = [x]
    for f, _ in fs[:-1]:
        inputs.append(f(inputs[-1]))
    for _, vjp in reversed(fs):
        g = vjp(inputs.pop(), g)
    return g


@mistake(
    "fixed-length",
    "segments of eight stages are short enough for any chain",
    "With 256 stages, how many inputs of segments do you keep? Which length makes their number and the length equal?",
)
def checkpoint_sqrt_n(fs, x, g):
    kept, a = [], x
    for i, (f, _) in enumerate(fs):
        if i % 8 == 0:
            kept.append(a)
        a = f(a)
    del a
    for start in range(len(kept) * 8 - 8, -1, -8):
        segment = fs[start : start + 8]
        inputs = [kept.pop()]
        for f, _ in segment[:-1]:
            inputs.append(f(inputs[-1]))
        for _, vjp in reversed(segment):
            g = vjp(inputs.pop(), g)
    return g


@mistake(
    "output-not-input",
    "a stage's VJP is taken at its output",
    "Where is the slope of sin taken: at what goes in, or at what comes out?",
)
def checkpoint_sqrt_n(fs, x, g):
    length = math.ceil(math.sqrt(len(fs)))
    kept, a = [], x
    for i, (f, _) in enumerate(fs):
        if i % length == 0:
            kept.append(a)
        a = f(a)
    del a
    for start in range(len(kept) * length - length, -1, -length):
        segment = fs[start : start + length]
        outputs, a = [], kept.pop()
        for f, _ in segment:
            a = f(a)
            outputs.append(a)
        for _, vjp in reversed(segment):
            g = vjp(outputs.pop(), g)
    return g
