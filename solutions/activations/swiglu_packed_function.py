"""out is a product of silu(a) and b, with silu(a) = a·σ(a). Each factor receives g times the other factor, and silu has
the slope σ(a)(1 + a(1 - σ(a))):

    da = g ∘ b ∘ σ(a)(1 + a(1 - σ(a))),    db = g ∘ a σ(a)

forward took one array, so backward returns one gradient. Splitting ab gives two views, one of each half. The backward
of a split puts the gradients of the halves side by side, in the same order.

Everything in these formulas can be computed from ab. Saving σ(a) as well would avoid one sigmoid per element in the
backward. But each layer would then keep another array, half as large as ab, from its forward to its backward. On a GPU,
memory traffic limits elementwise kernels, so a second sigmoid costs little.

Cost: the backward takes one sigmoid and eight other operations per element of a. ctx holds a reference to ab and no
array of its own. After the backward, ab is not needed any more.

PyTorch: `a, b = ab.chunk(2, -1)` and `F.silu(a) * b` save a and b as views of ab, and silu(a) as a new array.
`GluBackward0` of `F.glu` saves only its input. `F.glu` computes a·σ(b): its gate is the second half, with a sigmoid
instead of silu. In an `autograd.Function`, pass inputs and outputs to `ctx.save_for_backward`, because autograd then
detects a later change in place.

Asked next:

- Some fused kernels write dab into the memory of ab. Why is this possible, and what does it cost? → Each pair of da and
  db depends only on g and on the a and b at the same places, so a thread can read this a and b before it overwrites
  them. The largest activation of the layer then needs no second array for its gradient. But ab is lost: no other code
  may read it afterwards, and a second backward is not possible.
- What changes for GeGLU? → Only the activation and its slope change. gelu(a) has the slope Φ(a) + a·φ(a), with the
  normal distribution function Φ and its density φ.
- The inputs are bfloat16. Which roundings should a kernel avoid? → It should not round intermediate results. Rounding
  silu(a) to bfloat16 before the product with b adds an error. A kernel reads bfloat16, computes in float32, and rounds
  each result once.
- Does the recomputation change the result? → No. The same formula gives the same bits for the same a, in forward and in
  backward. This holds as long as ab was not changed in between.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import Scales, edit, given, mistake, numbers_in

HINTS = (
    "Which arrays do the formulas of da and db contain? Which of these can be computed from ab?",
    (
        "Save only ab. In backward, split ab, compute the sigmoid of a again, and apply the product rule. Return one "
        "array with da in its first half and db in its second."
    ),
    "With s = σ(a): concatenate g * b * s * (1 + ...) and g * a * ... along the last axis.",
)
CASES = [
    given("ab[3,n,6]", times=1, large=False, note="three layers"),
    given("ab[2,2,n,4]", times=2, large=False, note="two layers of a batch"),
    given("ab[2,6]", times=1, large=False, note="two layers of one axis"),
    given("ab[1,n,2]", times=1, large=False, note="one layer, m = 1"),
    given(
        "ab[2,2,4]",
        ab=[[[1000.0, -1000.0, 1.0, 2.0], [0.0, 0.0, 3.0, -1.0]], [[2.0, -900.0, -1000.0, 0.0], [1.0, -1.0, 0.0, 0.5]]],
        times=1,
        smooth=False,
        large=False,
        note="elements of ±1000",
    ),
    given(
        "ab[1,1,16]",
        ab=[[[4.5, -4.5, 7.0, -7.0, 12.0, -12.0, 20.0, -20.0, 1.0, 2.0, -1.0, 3.0, -2.0, 1.5, 0.5, -3.0]]],
        times=1,
        large=False,
        note="gates from 4 to 20",
    ),
    given("ab[20,30,8]", times=1, large=False, note="20 layers whose memory is measured"),
    given(
        "ab[2,n,8]",
        times=400,
        large={"n": 5000},
        memory=10 << 20,
        because="800 calls save more than their inputs",
    ),
]


def forward(ab, times):
    m = ab.shape[-1] // 2
    return engine.silu(ab[..., :m]) * ab[..., m:]


# A context may hold this many numbers apart from `ab`. An integer, such as m, does not count.
FEW = 4


# Each of the `times` rounds runs the same layers with contexts of their own, so only what these save takes memory.
def drive(candidate, g, ab, times):
    class Context:
        saved_tensors = ()

        def save_for_backward(self, *values):
            self.saved_tensors = values

    class ContextTooLargeError(Exception):
        pass

    rounds = [[Context() for _ in ab] for _ in range(times)]
    for contexts in rounds:
        with Scales() as scales:
            out = [candidate.forward(ctx, layer) for ctx, layer in zip(contexts, ab)]
            # A sigmoid may be kept outside the contexts. It takes 960 bytes a layer in the smallest case.
            # In the large case one bit for each element takes 2500 bytes a layer. Some small objects are made once.
            if ab.size > 4000 and scales.bytes > sum(array.nbytes for array in out) + 700 * len(ab) + 2000:
                raise ContextTooLargeError(f"{len(ab)} calls keep {scales.bytes} bytes, their results included")
        out = [np.array(each) for each in out]  # the backward must not complete them
        held = max(numbers_in([ab, vars(ctx)], (ab,)) for ctx in contexts) - ab.size
        if held > FEW:
            raise ContextTooLargeError(f"a ctx holds {held} numbers apart from `ab`; {FEW} are enough")
    while rounds:
        contexts = rounds.pop()
        dab = [candidate.backward(contexts.pop(), each) for each in reversed(list(g))]
    return {"out": np.stack(out), "dab": np.stack(dab[::-1])}


def sigmoid(x):
    return (1 + np.tanh(x / 2)) / 2


class SwiGLUPacked:
    @staticmethod
    def forward(ctx, ab):
        ctx.save_for_backward(ab)
        a, b = np.split(ab, 2, axis=-1)
        return a * sigmoid(a) * b

    @staticmethod
    def backward(ctx, g):
        (ab,) = ctx.saved_tensors
        a, b = np.split(ab, 2, axis=-1)
        s = sigmoid(a)
        da = g * b * s * (1 + a * (1 - s))
        db = g * a * s
        return np.concatenate([da, db], axis=-1)


MISTAKES = [
    edit(
        "halves-exchanged-back",
        "the gradient of the value comes first",
        "Which half of ab went through silu? Where in dab does the gradient of this half belong?",
        "np.concatenate([da, db], axis=-1) -> np.concatenate([db, da], axis=-1)",
    ),
    edit(
        "slope-is-sigmoid",
        "the slope of silu is σ",
        "silu(a) = a·σ(a) has two factors that depend on a. What does the product rule give?",
        "s * (1 + a * (1 - s)) -> s",
    ),
    edit(
        "value-uses-sigmoid",
        "b is multiplied by σ(a)",
        "Which number multiplies b in the forward: σ(a) or a·σ(a)?",
        "db = g * a * s -> db = g * s",
    ),
    edit(
        "gate-without-b",
        "the derivative of out with respect to silu(a) is 1",
        "out = silu(a)·b. By how much does `out` move if silu(a) moves by 1?",
        "da = g * b * s -> da = g * s",
    ),
    edit(
        "saves-activations",
        "saving intermediate results costs nothing",
        "How many bytes does a layer save, compared with ab? Which saved array can be computed again from ab?",
        "ctx.save_for_backward(ab) -> a, b = np.split(ab, 2, axis=-1); s = sigmoid(a); ctx.save_for_backward(ab, s)",
        "(ab,) = ctx.saved_tensors -> ab, s = ctx.saved_tensors",
    ),
    edit(
        "sigmoid-overflows",
        "e^a / (1 + e^a) is safe to compute",
        "At a = 1000, what are the numerator and the denominator?",
        "return (1 + np.tanh(x / 2)) / 2 -> e = np.exp(x); return e / (1 + e)",
    ),
    edit(
        "two-results",
        "gate and value are two inputs",
        "How many arrays did forward take? How many gradients must backward return?",
        "return np.concatenate([da, db], axis=-1) -> return da, db",
    ),
    edit(
        "joined-on-axis-1",
        "ab always has two axes",
        (
            "For a layer of shape (2, 3, 4), along which axis does the forward split ab? Along which axis do you "
            "join da and db?"
        ),
        "np.concatenate([da, db], axis=-1) -> np.concatenate([da, db], axis=1)",
    ),
    edit(
        "joined-on-axis-0",
        "the two halves of ab lie along the first axis",
        "Along which axis does the forward split ab? Along which axis do you join da and db?",
        "np.concatenate([da, db], axis=-1) -> np.concatenate([da, db], axis=0)",
    ),
    edit(
        "interleaved-back",
        "gate and value alternate in the gradient",
        "Which columns of ab hold the gate: the first m, or every second one?",
        "np.concatenate([da, db], axis=-1) -> np.stack([da, db], axis=-1).reshape(ab.shape)",
    ),
]


@mistake(
    "halves-exchanged",
    "the value is the first half of ab",
    "According to the task, which half of ab goes through silu?",
)
class SwiGLUPacked:
    @staticmethod
    def forward(ctx, ab):
        ctx.save_for_backward(ab)
        b, a = np.split(ab, 2, axis=-1)
        return a * sigmoid(a) * b

    @staticmethod
    def backward(ctx, g):
        (ab,) = ctx.saved_tensors
        b, a = np.split(ab, 2, axis=-1)
        s = sigmoid(a)
        return np.concatenate([g * a * s, g * b * s * (1 + a * (1 - s))], axis=-1)


@mistake(
    "interleaved",
    "gate and value alternate in the last axis",
    "According to the task, which columns of ab hold the gate: the first m, or every second one?",
)
class SwiGLUPacked:
    @staticmethod
    def forward(ctx, ab):
        ctx.save_for_backward(ab)
        a, b = ab[..., ::2], ab[..., 1::2]
        return a * sigmoid(a) * b

    @staticmethod
    def backward(ctx, g):
        (ab,) = ctx.saved_tensors
        a, b = ab[..., ::2], ab[..., 1::2]
        s = sigmoid(a)
        return np.stack([g * b * s * (1 + a * (1 - s)), g * a * s], axis=-1).reshape(ab.shape)


@mistake(
    "saved-on-the-class",
    "each call of forward is immediately followed by its own backward",
    "Two layers run forward before any backward. Which of the two arrays does your backward find?",
)
class SwiGLUPacked:
    last = None

    @staticmethod
    def forward(ctx, ab):
        SwiGLUPacked.last = ab
        a, b = np.split(ab, 2, axis=-1)
        return a * sigmoid(a) * b

    @staticmethod
    def backward(ctx, g):
        a, b = np.split(SwiGLUPacked.last, 2, axis=-1)
        s = sigmoid(a)
        return np.concatenate([g * b * s * (1 + a * (1 - s)), g * a * s], axis=-1)
