"""For a given mask, dropout is a product with the constant keep/(1 - p), so the backward is the same product:

    dx = g · keep / (1 - p)

A seed and a shape determine the mask. A new generator with the same seed starts in the same state and draws the same
numbers. g has the shape of x, so the context needs only two numbers, p and seed.

Each pass must create a new generator. The forward has advanced its own generator, so the next numbers of that generator
give another mask. With another mask, dx is not the gradient of the loss that was computed. For example, an element that
the forward dropped could receive a gradient.

p and seed have no gradient. Backward still returns one value for each argument of forward, because only the position
tells which gradient belongs to which argument.

Cost: the random numbers are drawn twice instead of once. In return, a layer saves two numbers instead of a mask. A mask
of booleans takes one byte per element in NumPy, so 800 layers of 8192 x 8192 elements would save 50 GiB.

PyTorch: On a CPU, `F.dropout` saves a mask of x's dtype in `MulBackward0`. On CUDA, `native_dropout` saves a mask of
booleans. The fused attention kernels save no mask. `aten::_scaled_dot_product_efficient_attention` returns
`philox_seed` and `philox_offset`, and its backward draws the mask again from these two numbers.

Asked next:

- A GPU kernel processes the array in tiles, in any order. How does the kernel draw the same mask again? → It uses a
  counter-based generator such as Philox. Each random number depends only on the seed and the index of its element, so
  the generator has no state that advances.
- Why not call `np.random.seed(seed)` in both passes? → The call resets the global generator, which other code uses too.
  After each call, all code that draws from this generator would draw the same numbers again.
- All layers receive the same seed. What goes wrong? → Layers of equal shape drop the same elements, so their masks are
  not independent. Derive one seed per layer and step, as `jax.random.fold_in` does with a key.
- This layer is in a checkpointed block. What must the checkpoint save for this layer? → Nothing: the seed is an
  argument, so the second forward draws the same mask. For `F.dropout` the checkpoint must save and restore the state of
  the generator.
"""

import functools

import numpy as np

from autodrill.drills import Scales, edit, given, mistake, numbers_in

HINTS = (
    (
        "What determines the numbers that a generator draws? How many bytes does this information take, compared with "
        "the mask?"
    ),
    "Keep p and the seed in ctx. In backward, start a new generator with this seed and draw numbers of the shape of g.",
    "Both passes compute `np.random.default_rng(...).random(...) >= p`. Backward returns three values.",
)
WRT = ("x",)
CASES = [
    given("x[2,3]", p=0.4, seed=5, layers=1),
    given("x[3,2,2]", p=0.5, seed=11, layers=2, note="two layers"),
    given("x[2,2]", p=0.5, seed=0, layers=2, note="seed 0"),
    given("x[2,6]", p=0.0, seed=1, layers=1, note="p = 0"),
    given("x[20]", p=0.9, seed=2, layers=3, note="p = 0.9"),
    # The third number that seed 8 draws is exactly p.
    given("x[5]", p=float(np.random.default_rng(8).random(3)[2]), seed=8, layers=1, note="a draw equal to p"),
    given("x[4000]", p=0.5, seed=17, layers=20, note="20 layers whose memory is measured"),
    given("x[40000]", p=0.5, seed=17, layers=20, note="20 wide layers whose memory is measured"),
    given("x[8]", x=0.0, p=0.25, seed=3, layers=2, note="x = 0"),
    given(
        "x[n]",
        p=0.5,
        seed=7,
        layers=800,
        large={"n": 16_384},
        memory=1 << 20,
        because="the contexts hold arrays",
        note="800 layers",
    ),
]
MISTAKES = [
    edit(
        "mask-saved",
        "a mask of one byte per element is small enough to keep",
        "How many bytes do the masks of 800 layers take? What do you need to draw a mask again?",
        "return x * keep -> ctx.save_for_backward(keep); return x * keep",
        "keep = np.random.default_rng(ctx.seed).random(g.shape) >= ctx.p -> (keep,) = ctx.saved_tensors",
    ),
    edit(
        "mask-from-output",
        "the elements that are 0 in the output were dropped",
        "What is out for a kept element with x = 0, and what is the gradient of this x?",
        "return x * keep / (1 - p) -> ctx.out = x * keep / (1 - p); return ctx.out.copy()",
        "keep = np.random.default_rng(ctx.seed).random(g.shape) >= ctx.p -> keep = ctx.out != 0",
    ),
    edit(
        "new-mask",
        "each mask with the same p gives the same gradient",
        "The forward dropped an element. Can the loss change if this element of x changes?",
        "default_rng(ctx.seed) -> default_rng()",
    ),
    edit(
        "stream-continued",
        "a generator draws the same numbers each time it is used",
        "In which state is the generator after the forward has drawn from it?",
        "ctx.p, ctx.seed = p, seed -> ctx.p, ctx.rng = p, np.random.default_rng(seed)",
        "np.random.default_rng(seed).random(x.shape) -> ctx.rng.random(x.shape)",
        "np.random.default_rng(ctx.seed).random(g.shape) -> ctx.rng.random(g.shape)",
    ),
    edit(
        "scale-forgotten",
        "the scale 1/(1 - p) belongs only to the forward",
        "By how much does `out` move when a kept x moves by 1?",
        "return g * keep / (1 - ctx.p), -> return g * keep,",
    ),
    edit(
        "never-scaled",
        "dropout only multiplies by the mask",
        "What is the mean of out over all masks? By what does the task's forward divide?",
        "x * keep / (1 - p) -> x * keep",
        "g * keep / (1 - ctx.p) -> g * keep",
    ),
    edit(
        "one-gradient",
        "x is the only argument of forward",
        "How many arguments does forward take after ctx? How many values does your backward return?",
        "(1 - ctx.p), None, None -> (1 - ctx.p)",
    ),
    edit(
        "zero-for-none",
        "an argument without a gradient has the gradient 0",
        "What must backward return in the place of an argument that is not differentiated?",
        "None, None -> 0.0, 0.0",
    ),
    edit(
        "shared-ctx",
        "each forward is immediately followed by its own backward",
        "Two layers run forward before the first backward. Which seed does your class hold then?",
        "ctx.p, ctx.seed = p, seed -> DropoutFromSeed.p, DropoutFromSeed.seed = p, seed",
        "(ctx.seed) -> (DropoutFromSeed.seed)",
        "random(g.shape) >= ctx.p -> random(g.shape) >= DropoutFromSeed.p",
        "g * keep / (1 - ctx.p) -> g * keep / (1 - DropoutFromSeed.p)",
    ),
    edit(
        "mask-inverted",
        "an element stays if its number is below p",
        "p is the probability of dropping. At p = 0, which elements does your code keep?",
        "random(x.shape) >= p -> random(x.shape) < p",
        "random(g.shape) >= ctx.p -> random(g.shape) < ctx.p",
    ),
    edit(
        "seed-ignored",
        "one mask serves all calls",
        "Two layers have different seeds. Should they drop the same elements?",
        "default_rng(seed) -> default_rng(0)",
        "default_rng(ctx.seed) -> default_rng(0)",
    ),
    edit(
        "seed-0-is-none",
        "a seed of 0 means that there is no seed",
        "What is `0 or None`? Which numbers does a generator draw that was made with the seed None?",
        "default_rng(seed) -> default_rng(seed or None)",
        "default_rng(ctx.seed) -> default_rng(ctx.seed or None)",
    ),
    edit(
        "draws-in-float32",
        "a generator draws the same numbers in float32 and in float64",
        "Draw three numbers in float32 and three in float64 from the same seed. Are they equal? "
        "Which dtype does the task's `random` have?",
        "random(x.shape) -> random(x.shape, x.dtype.type)",
        "random(g.shape) -> random(g.shape, g.dtype.type)",
    ),
]


@functools.lru_cache(maxsize=16)
def factors(shape, p, seed, layers):
    """Return the sum of the layers' masks, divided by 1 - p."""
    return sum((np.random.default_rng(seed + i).random(shape) >= p) / (1 - p) for i in range(layers))


def forward(x, p, seed, layers):
    return x * factors(x.shape, p, seed, layers)


# A context may hold this many numbers of eight bytes. The bits of a mask of the large case are 256 numbers.
FEW = 12


# Several layers with the same input: `out` and `dx` are the sums over them. Each layer gets its own copy of x, so that
# a context that holds x costs memory. The packed bits of a mask take less than the limit on memory can tell from the
# memory of the layers themselves. So the contexts are searched in each case, and the process is weighed in two
# cases, because a mask can be kept outside the contexts.
def drive(candidate, g, x, p, seed, layers):
    class Context:
        saved_tensors = ()

        def save_for_backward(self, *values):
            self.saved_tensors = values

    class ContextTooLargeError(Exception):
        pass

    out, contexts = np.zeros_like(x), [Context() for _ in range(layers)]
    with Scales() as scales:
        for i, ctx in enumerate(contexts):
            out += candidate.forward(ctx, x.copy(), p, seed + i)
            if (held := numbers_in(vars(ctx), integers=True)) > FEW:
                raise ContextTooLargeError(f"a context holds {held} numbers for an x of {x.size}; {FEW} are enough")
        if x.size > 1000 and scales.bytes > 640 * layers:  # a mask takes 500 bytes, 2048 or 5000
            raise ContextTooLargeError(f"{layers} layers keep {scales.bytes} bytes")
    dx, others = np.zeros_like(x), ()
    for ctx in contexts:
        grads = candidate.backward(ctx, g)
        first, *others = grads if isinstance(grads, (tuple, list)) else (grads,)
        dx += first
    return (out, dx, *others)


class DropoutFromSeed:
    @staticmethod
    def forward(ctx, x, p, seed):
        ctx.p, ctx.seed = p, seed
        keep = np.random.default_rng(seed).random(x.shape) >= p
        return x * keep / (1 - p)

    @staticmethod
    def backward(ctx, g):
        keep = np.random.default_rng(ctx.seed).random(g.shape) >= ctx.p
        return g * keep / (1 - ctx.p), None, None


@mistake(
    "global-stream",
    "seeding the global generator is the same as making a new generator",
    "Which generator does the task name? What does other code draw after your call has reset the global generator?",
)
class DropoutFromSeed:
    @staticmethod
    def forward(ctx, x, p, seed):
        ctx.p, ctx.seed = p, seed
        np.random.seed(seed)
        return x * (np.random.random(x.shape) >= p) / (1 - p)

    @staticmethod
    def backward(ctx, g):
        np.random.seed(ctx.seed)
        keep = np.random.random(g.shape) >= ctx.p
        return g * keep / (1 - ctx.p), None, None
