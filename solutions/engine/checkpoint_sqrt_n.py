"""Forward computes the inputs of the stages in order, and backward needs them in reverse order. So each input must be
kept or computed again. Gradient checkpointing keeps a few inputs and computes the others again.

Cut the chain of N stages into segments of length s = ⌈√N⌉. Forward keeps only the input of each segment, in total N/s
arrays. Backward takes the segments from the last to the first. It runs a segment again from its kept input and keeps
the segment's s activations. Then it goes back through these activations and releases them.

At most N/s kept inputs and s activations are alive at once. The sum N/s + s is smallest at s = √N, with the value 2√N.
An array is alive as long as something refers to it. The last activation of the forward is not needed, so drop it. A
list that still refers to the activations of a finished segment keeps them alive.

Cost: N calls of f in the forward, and N − ⌈N/s⌉ more in backward, because the last stage of a segment need not run
again. If a VJP costs as much as two calls of f, checkpoints increase the total work by less than a third. About 2√N
activations are kept instead of N.

PyTorch: `torch.utils.checkpoint.checkpoint` keeps the input of one segment and runs it again in backward.
`checkpoint_sequential` cuts a chain into several segments. The last segment takes the remaining stages and runs without
a checkpoint. Both functions save the random state and restore it (`preserve_rng_state`); otherwise dropout would draw
another mask the second time. In PyTorch 2.13, omitting `use_reentrant` gives a warning and selects the reentrant
version. The recommended `use_reentrant=False` recomputes through hooks on saved tensors.

Asked next:

- For N = 64, how many activations are alive, and how many times is f called? → With segments of 8 there are eight kept
  inputs and the eight activations of the current segment. So about 16 activations are alive, whereas plain backward
  keeps 64. f is called 64 + 56 = 120 times.
- What if √N activations are still too many? → Checkpoint recursively. Run to the middle and keep the activation there.
  Then go back through the second half, and after that through the first half, each in the same way. If N is a power of
  two, this takes log₂ N kept activations and (N/2)·log₂ N calls of f. For N = 64 these numbers are 6 and 192.
- Stages differ in size and cost. Where do you cut? → Cut at small activations, because the inputs of segments are kept
  throughout. Minimise the bytes of all these inputs plus the bytes of the largest segment. Recompute operations that
  cost little compared with the size of their output, such as activation functions, norms and dropout, rather than
  matrix products.
- What must hold for the second run of f to repeat the first? → The inputs must be the same and must not be changed in
  place. The random numbers must be the same. f must have no state that depends on the number of calls. Batch norm in
  training breaks the last condition: under checkpointing, it updates its running statistics twice per step, although
  its gradients are right.
"""

import functools
import math

import numpy as np

from autodrill import engine
from autodrill.drills import Scales, ask, gradient, mistake, scenario

HINTS = (
    "Any part of the chain can be run again from its first input. So which activations must be kept?",
    "Keep every ⌈√N⌉-th input. In backward, run one segment again, use its activations, and release them.",
    (
        "A first loop stores the input of each segment. A second loop takes the segments in reverse. It contains two "
        "short loops: one runs the segment again, the other calls its VJPs."
    ),
)


@scenario(1, 2, 5, 10, 16, 64, 256, note="a chain")
def chain(rng, size):
    x, g = rng.normal(size=(2, 2))
    return {"x": x, "g": g, "stages": size, "every": size, "seed": int(rng.integers(1000))}


# Copies of activations are not counted, so this chain is weighed: 100 activations of 5 KiB or more take 0.5 MiB, and
# the 23 that may be alive take 0.1 MiB.
@scenario(100, note="a chain whose memory is measured")
def weighed_chain(rng, size):
    x, g = rng.normal(size=(2, int(rng.integers(640, 1000))))
    return {"x": x, "g": g, "stages": size, "every": 8, "seed": int(rng.integers(1000))}


# 9600 activations of 32 KiB each. 2 * 98 + 3 of them may be alive, 6.2 MiB; with holes in the heap, up to 17 MiB.
@scenario(9600, note="a chain of large activations", memory=28 << 20, because="all 9600 activations are alive at once")
def large_chain(rng, size):
    x, g = rng.normal(size=(2, 1 << 12))
    return {"x": x, "g": g, "stages": size, "every": 48, "seed": int(rng.integers(1000))}


CASES = [chain, weighed_chain, large_chain]
SINES = 640
EQUIVALENT = {
    "comparison: if i % length == 0: -> if i % length <= 0:": "a remainder is never negative",
    "statement: del a -> pass": "one more activation is still within the limit",
}


@functools.lru_cache(maxsize=2)
def shifts(size, stages, every, seed):
    """Return what each stage adds whose number is a multiple of `every`: an array of shape (⌈stages / every⌉, size)."""
    return np.random.default_rng(int(seed)).random((-(-stages // every), size))


# The candidate's process does not hold these shifts. A forward of such a stage asks for its shift, and is counted.
# Only a candidate that knows this text could keep the shifts, and run the stages uncounted by a copy of `stage`.
def answer(asked, x, g, stages, every, seed):
    if type(asked) is int and asked in range(0, stages, every):
        return shifts(x.size, stages, every, seed)[asked // every]
    return None


# Each stage reverses the array and takes the sine of its first 640 elements. The sine of all would take a large chain
# seconds. The sines of all activations, which a candidate could keep alone, exceed the memory bound. Without the
# reversal the Jacobians would be diagonal and commute, and the order of the VJPs would not matter.
# `drive` counts in the candidate's own process, so the candidate could falsify what it counts. Outside that process,
# `asked` counts forwards, and the memory bound of the large chain is enforced.
def drive(candidate, x, g, stages, every):
    import math

    alive = peak = before = backwards = 0
    forwards = [0] * stages

    counted = {}  # not an attribute: a candidate could set it on a view

    class Activation(np.ndarray):
        def __del__(self):
            nonlocal alive
            alive -= counted.pop(id(self), 0)

    def stage(number):
        factor = 1 + number % 64 / 100

        def f(a):
            nonlocal alive, peak, before
            forwards[number] += 1
            out = np.array(np.asarray(a)[::-1])
            out[:640] = np.sin(factor * out[:640])
            out = out.view(Activation)
            if number % every == 0:
                out += ask(number)
            counted[id(out)] = 1
            alive += 1
            if alive > peak:
                peak, before = alive, backwards
            return out

        def vjp(a, g):
            nonlocal backwards
            backwards += 1
            out = np.array(np.asarray(g), dtype=float)
            out[:640] *= factor * np.cos(factor * np.asarray(a)[::-1][:640])
            return out[::-1]

        return f, vjp

    pairs, copies = [stage(number) for number in range(stages)], 0
    allowed = 2 * math.ceil(math.sqrt(stages)) + 3
    if not 100 < x.size < 3000:  # the large chain has a bound on memory
        answer = np.array(candidate(pairs, x, g))
    else:
        with Scales() as scales:
            answer = np.array(candidate(pairs, x, g))
            held = (scales.peak - 512 * stages - (1 << 15)) // x.nbytes  # without small objects
        # A gradient, a copy of it, and arrays inside a stage may be in memory too.
        copies = held if held > allowed + 8 and peak <= allowed else 0
    # Numbers within the limit are not returned: two answers with the same mistake may differ in them.
    too_many = peak > allowed
    return {
        "dx": answer,
        "too_many_alive": peak if too_many else 0,
        "vjps_before": before if too_many else 0,
        "copies": copies,
        "often": max(forwards),
        "backwards": backwards,
    }


@functools.lru_cache(maxsize=32)  # the same for every submission
def right_gradient(x, g, stages, every, seed):
    right, a, slopes = np.array(np.frombuffer(g)), np.frombuffer(x), []
    added = shifts(a.size, stages, every, seed)
    for number in range(stages):
        factor = 1 + number % 64 / 100
        a = a[::-1].copy()
        slopes.append(factor * np.cos(factor * a[:SINES]))
        a[:SINES] = np.sin(factor * a[:SINES])
        a += 0 if number % every else added[number // every]
    for slope in reversed(slopes):
        right[:SINES] *= slope
        right = right[::-1]
    return right


def judge(answer, x, g, stages, every, seed):
    added = shifts(x.size, stages, every, seed)

    def run(x):
        for number in range(stages):
            x = engine.sin(x[::-1] * (1 + number % 64 / 100)) + (0 if number % every else added[number // every])
        return (x * g).sum()

    match answer:
        case {
            "dx": np.ndarray() as dx,
            "too_many_alive": int() as alive,
            "vjps_before": int() as before,
            "copies": int(),
            "often": int(),
            "backwards": int(),
        }:
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
        right = right_gradient(x.tobytes(), g.tobytes(), stages, every, seed)
    if not np.allclose(dx, right, rtol=1e-9, atol=1e-9 * np.abs(right).max()):
        return "wrong-gradient: the gradient of x is wrong"
    if answer["backwards"] != stages:
        return f"vjp-calls: {answer['backwards']} calls of vjp for {stages} stages; each needs exactly one"
    if answer["often"] > 2:
        return f"too-many-forwards: {answer['often']} calls of one f; 2 are enough"
    if answer["asked"] > 2 * len(added):  # the counts of `drive` are falsified
        return f"too-many-forwards: {answer['asked']} calls of f for {len(added)} stages; {2 * len(added)} are enough"
    if alive > (allowed := 2 * math.ceil(math.sqrt(stages)) + 3):
        return (
            f"too-many-alive: {alive} activations alive at once, after {before} calls of vjp; {allowed} are enough for "
            f"{stages} stages"
        )
    if answer["copies"]:
        return f"too-many-alive: {answer['copies']} arrays are in memory at once; {allowed} activations are enough"
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
    "How many activations are alive when the forward ends?",
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
    "an input that is not kept is computed again from x",
    "How many times does the first stage run? You may call each f twice.",
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
    "running the whole chain again as one segment saves memory",
    "How many activations of the second run are alive when you start to walk back?",
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
    "segments of eight stages are short enough for every chain",
    "How many segment inputs do you keep for 256 stages? Which segment length equals the number of segments?",
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
    "a stage's VJP is evaluated at the stage's output",
    "Let f be the sine. Is its slope evaluated at the input of f or at the output of f?",
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


@mistake(
    "whole-segments-only",
    "the number of stages is a multiple of the length of a segment",
    "Take 5 stages in segments of 2. Which segment does stage 4 belong to?",
)
def checkpoint_sqrt_n(fs, x, g):
    length = max(1, math.isqrt(len(fs)))
    kept, a = [], x
    for i, (f, _) in enumerate(fs[: len(fs) // length * length]):
        if i % length == 0:
            kept.append(a)
        a = f(a)
    del a
    for start in range(len(kept) * length - length, -1, -length):
        inputs = [kept.pop()]
        for f, _ in fs[start : start + length - 1]:
            inputs.append(f(inputs[-1]))
        for _, vjp in reversed(fs[start : start + length]):
            g = vjp(inputs.pop(), g)
    return g


@mistake(
    "segments-from-the-start",
    "backward takes the segments in the order of the forward",
    "At first, g is the gradient of one stage's output. Which stage is that, and which segment contains it?",
)
def checkpoint_sqrt_n(fs, x, g):
    length = math.ceil(math.sqrt(len(fs)))
    kept, a = [], x
    for i, (f, _) in enumerate(fs):
        if i % length == 0:
            kept.append(a)
        a = f(a)
    del a
    for start in range(0, len(fs), length):
        segment = fs[start : start + length]
        inputs = [kept[start // length]]
        for f, _ in segment[:-1]:
            inputs.append(f(inputs[-1]))
        for _, vjp in reversed(segment):
            g = vjp(inputs.pop(), g)
    return g


@mistake(
    "stages-from-the-start",
    "within a segment, the VJPs run in the order of the forward",
    "Which stage computed the segment's output? Which stage's VJP must therefore run first?",
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
        inputs = [kept.pop()]
        for f, _ in segment[:-1]:
            inputs.append(f(inputs[-1]))
        for (_, vjp), a in zip(segment, inputs):
            g = vjp(a, g)
    return g


@mistake(
    "second-run-kept",
    "an activation of the second run may stay alive until the end",
    "When the last segment is done, does any later step use its activations? What still refers to them?",
)
def checkpoint_sqrt_n(fs, x, g):
    length = math.ceil(math.sqrt(len(fs)))
    inputs, a = {}, x
    for i, (f, _) in enumerate(fs):
        if i % length == 0:
            inputs[i] = a
        a = f(a)
    del a
    for i in reversed(range(len(fs))):
        if i not in inputs:
            for k in range(i - i % length, i):
                inputs[k + 1] = fs[k][0](inputs[k])
        g = fs[i][1](inputs[i], g)
    return g


@mistake(
    "finished-segments-kept",
    "a segment may keep its activations after its last VJP has run",
    "How many segments have run twice when you reach the first one? Which of their activations are still alive?",
)
def checkpoint_sqrt_n(fs, x, g):
    length = math.ceil(math.sqrt(len(fs)))
    kept, a = [], x
    for i, (f, _) in enumerate(fs):
        if i % length == 0:
            kept.append(a)
        a = f(a)
    runs = []
    for start in range(len(kept) * length - length, -1, -length):
        segment = fs[start : start + length]
        runs.append([kept[start // length]])
        for f, _ in segment[:-1]:
            runs[-1].append(f(runs[-1][-1]))
        for (_, vjp), source in zip(reversed(segment), reversed(runs[-1])):
            g = vjp(source, g)
    return g


@mistake(
    "segment-run-for-each-stage",
    "the input of every stage may be computed anew from the input of its segment",
    "Take a segment of four stages. How many times do you run its first stage, and how many times may you?",
)
def checkpoint_sqrt_n(fs, x, g):
    length = math.ceil(math.sqrt(len(fs)))
    kept, a = [], x
    for i, (f, _) in enumerate(fs):
        if i % length == 0:
            kept.append(a)
        a = f(a)
    for i in reversed(range(len(fs))):
        a = kept[i // length]
        for f, _ in fs[i - i % length : i]:
            a = f(a)
        g = fs[i][1](a, g)
    return g


@mistake(
    "two-halves",
    "two segments are enough for every chain",
    "Take 64 stages in two segments. How many activations of a segment are alive when you start to walk back?",
)
def checkpoint_sqrt_n(fs, x, g):
    length = (len(fs) + 1) // 2
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
