"""The square of the norm is a sum over all elements of all parameters. Split this sum by the ranks that hold the
elements:

    norm² = Σ over ranks of |sharded of the rank|² + |replicated|²

The sum over ranks needs one number from each rank, the sum of squares of its own pieces. An all-reduce adds these
numbers. The second term is the same on all ranks, and each rank already knows it. It is added once, after the
all-reduce. If it were part of the message, it would count once for each rank.

Squares add up, and norms do not. If two pieces have the norms 3 and 4, the norm of both together is 5. So the root
comes after the reduction.

The faulty code takes the norm of what one rank holds. Each rank then scales by a factor of its own. The gradient of the
whole model changes its direction, and the ranks scale the same replicated gradient differently. Their copies of the
parameter drift apart from the first clipped step on.

Cost: one pass over the gradients and one message of one number. The message is short, but all ranks must wait for it
before the optimiser step.

PyTorch: if the gradients are plain tensors, `clip_grad_norm_` knows nothing of other ranks, so each rank gets the norm
of its own shards. If the gradients are DTensors, the function knows which of them are sharded. For example, it returns
the right norm for one sharded and one replicated DTensor on two ranks, after one all-reduce. Megatron adds the squares
over the model-parallel group in float32. It skips replicated parameters on all ranks but one, and skips the second copy
of a shared embedding.

Asked next:

- The model is split by tensor and by pipeline parallelism. Over which ranks is the sum? → Over all ranks of both
  groups. A parameter that several ranks hold counts on one of them only. An example is an embedding that the first and
  the last pipeline stage share.
- The gradients are float16. What can go wrong in the sum of squares? → 256² is above 65504, the largest float16. So one
  gradient of 256 makes the norm infinite and the scale 0. Convert to float32 before squaring.
- One rank has a NaN in its gradient. What happens if all ranks use the global norm, and what if each rank uses its
  local norm? → With the global norm all ranks get NaN from the message, and all skip the step or fail together. With
  local norms one rank skips and the others step, so the ranks no longer train the same model.
- Could the ranks avoid the wait by using the norm of the previous step? → Yes. The message can then run during the next
  forward, and the factor is still the same on all ranks. But a sudden large gradient is not clipped in the step in
  which it occurs.
"""

import numpy as np

from autodrill.drills import edit, in_step, scenario

HINTS = (
    (
        "Two ranks hold the pieces of one gradient, and the pieces have the norms 3 and 4. What is the norm of the "
        "whole gradient? By which factor does each rank scale?"
    ),
    (
        "Reduce the sum of squares of the sharded pieces. Add the sum of squares of the replicated gradients once. "
        "Then take the root."
    ),
    "Write `norm = np.sqrt(all_reduce(...) + ...)`, with one sum of squares inside the call and one outside.",
)
RESULTS = ("norm", "sharded", "replicated", "the number of messages", "the count of numbers sent")


def made(rng, sharded, replicated, max_norm):
    return {
        "sharded": [[rng.normal(size=shape) for shape in own] for own in sharded],
        "replicated": [rng.normal(size=shape) for shape in replicated],
        "max_norm": max_norm,
    }


@scenario(1, 2, 3, note="clipped")
def clipped(rng, size):
    return made(rng, [[(2, 3), (3,)], [(1, 3), (2,)], [(4, 3), (3,)]][:size], [(2,), (2, 2)], 0.5)


@scenario(2, note="below the bound")
def below(rng, size):
    return made(rng, [[(2, 3)], [(4,)]], [(3,)], 100.0)


# Each rank alone is below the bound, and the whole is above it.
@scenario(2, note="only the whole exceeds the bound")
def only_whole(rng, size):
    given = made(rng, [[(3,)], [(3,)]], [(2,)], 1.0)
    for a in [*given["sharded"][0], *given["sharded"][1], *given["replicated"]]:
        a *= 0.7 / np.sqrt((a * a).sum())
    return given


@scenario(3, note="different numbers of pieces")
def uneven(rng, size):
    return made(rng, [[(2,), (3,), (1,)], [], [(2, 2)]], [(2,)], 0.7)


@scenario(2, note="no replicated gradients")
def all_sharded(rng, size):
    return made(rng, [[(3,)], [(2,)]], [], 0.5)


@scenario(2, note="no sharded gradients")
def all_replicated(rng, size):
    return made(rng, [[], []], [(3,), (2, 2)], 0.5)


@scenario(2, note="gradients of 0")
def zero(rng, size):
    return {"sharded": [[np.zeros(2)], [np.zeros(3)]], "replicated": [np.zeros(2)], "max_norm": 1.0}


def scaled(rng, scale):
    given = made(rng, [[(2,)], [(3,)]], [(2,)], scale)
    for a in [*given["sharded"][0], *given["sharded"][1], *given["replicated"]]:
        a *= scale
    return given


# A norm of 1e-6 is as large as the number that is added to it.
@scenario(2, note="a tiny bound")
def tiny(rng, size):
    return scaled(rng, 1e-6)


@scenario(2, note="a norm far below 1e-6")
def tinier(rng, size):
    return scaled(rng, 1e-8)


# The sum of the norm and 1e-6 exceeds the bound.
@scenario(1, note="a norm just below a tiny bound")
def just_below(rng, size):
    return {"sharded": [[np.array([3e-7, -4e-7])]], "replicated": [np.array([1e-7])], "max_norm": 1e-6}


CASES = [clipped, below, only_whole, uneven, all_sharded, all_replicated, zero, tiny, tinier, just_below]


def drive(candidate, sharded, replicated, max_norm):
    def program(rank, collective):
        def all_reduce(a):
            return collective(np.array(a, dtype=float))

        norm, mine, shared = candidate(sharded[rank], replicated, max_norm, all_reduce)
        for new, old in ((mine, sharded[rank]), (shared, replicated)):
            if [np.shape(a) for a in new] != [a.shape for a in old]:
                raise ValueError(f"the shapes {[np.shape(a) for a in new]} should be {[a.shape for a in old]}")
        return float(norm), [np.ravel(a) for a in mine], [np.ravel(a) for a in shared]

    def combine(sent):
        if len({a.shape for a in sent}) > 1:
            raise ValueError(f"the ranks send shapes {[a.shape for a in sent]} in one all_reduce")
        return np.sum(sent, axis=0)

    results, rounds = in_step(program, [[rank] for rank in range(len(sharded))], combine)
    return {
        "norm": np.array([norm for norm, _, _ in results]),
        "sharded": np.concatenate([np.zeros(0), *(a for _, mine, _ in results for a in mine)]),
        "replicated": np.concatenate([np.zeros(0), *(a for _, _, shared in results for a in shared)]),
        "the number of messages": max(1, len(rounds)),
        "the count of numbers sent": max(1, sum(sent[0].size for sent in rounds)),
    }


def expected(sharded, replicated, max_norm):
    pieces = [a.ravel() for own in sharded for a in own]
    copies = [a.ravel() for a in replicated]
    norm = np.linalg.norm(np.concatenate([*pieces, *copies]))
    scale = min(1, max_norm / (norm + 1e-6))
    return {
        "norm": np.full(len(sharded), norm),
        "sharded": np.concatenate([np.zeros(0), *pieces]) * scale,
        "replicated": np.concatenate([np.zeros(0), *copies * len(sharded)]) * scale,
        "the number of messages": 1,
        "the count of numbers sent": 1,
    }


def bug_clip_sharded_norm(sharded, replicated, max_norm, all_reduce):
    own = sum((a * a).sum() for a in sharded)
    common = sum((a * a).sum() for a in replicated)
    norm = np.sqrt(all_reduce(own) + common)
    scale = min(1, max_norm / (norm + 1e-6))
    return norm, [a * scale for a in sharded], [a * scale for a in replicated]


MISTAKES = [
    edit(
        "local-norm",
        "each rank may clip by the norm of what it holds",
        (
            "Two ranks scale by different factors. What happens to the direction of the whole gradient, and to a "
            "replicated parameter?"
        ),
        "all_reduce(own) + common -> own + common",
    ),
    edit(
        "norms-added",
        "norms add up",
        "Two pieces have the norms 3 and 4. What is the norm of both together?",
        "np.sqrt(all_reduce(own) + common) -> all_reduce(np.sqrt(own)) + np.sqrt(common)",
    ),
    edit(
        "replicated-each-time",
        "the squares of all gradients are reduced over ranks",
        "On 8 ranks, how many times does the gradient of a norm layer count?",
        "all_reduce(own) + common -> all_reduce(own + common)",
    ),
    edit(
        "replicated-left-out",
        "only the shards make up the global norm",
        "Which parameters are part of the whole model?",
        "all_reduce(own) + common -> all_reduce(own)",
    ),
    edit(
        "replicated-not-scaled",
        "replicated gradients need no clipping",
        "The whole gradient should become shorter. What happens to its direction if you scale only a part of it?",
        "[a * scale for a in replicated] -> [a.copy() for a in replicated]",
    ),
    edit(
        "always-rescaled",
        "clipping makes the norm equal to the bound",
        "What should happen to a gradient whose norm is below the bound?",
        "scale = ... -> scale = max_norm / (norm + 1e-6)",
    ),
    edit(
        "squared",
        "the sum of squares is the norm",
        "Let the only gradient be (3, 4). What is its norm, and what does your code return?",
        "np.sqrt(all_reduce(own) + common) -> all_reduce(own) + common",
    ),
    edit(
        "message-per-gradient",
        "each gradient needs a message of its own",
        "What can a rank add up before it sends anything? Do all ranks have the same number of pieces?",
        "all_reduce(own) + common -> sum(all_reduce((a * a).sum()) for a in sharded) + common",
    ),
    edit(
        "each-by-its-own",
        "each gradient is clipped by its own norm",
        "When you clip by the global norm, by how many different numbers are the gradients multiplied?",
        "return ... -> cut = lambda a: a * min(1, max_norm / (np.sqrt((a * a).sum()) + 1e-6)); "
        "return norm, [cut(a) for a in sharded], [cut(a) for a in replicated]",
    ),
    edit(
        "ranks-norms-added",
        "the norms of the ranks' pieces add up",
        "Two ranks hold pieces with the norms 3 and 4. What is the norm of both together?",
        "all_reduce(own) + common -> all_reduce(np.sqrt(own)) ** 2 + common",
    ),
    edit(
        "whole-norms-added",
        "the global norm is the sum of the ranks' norms",
        "Two ranks hold pieces with the norms 3 and 4. Which numbers must be added before you take the root?",
        "np.sqrt(all_reduce(own) + common) -> all_reduce(np.sqrt(own + common))",
    ),
    edit(
        "gradients-norms-added",
        "the global norm is the sum of the gradients' norms",
        "Two gradients have the norms 3 and 4. What is the norm of both together?",
        "(a * a).sum() for a in sharded -> np.sqrt((a * a).sum()) for a in sharded",
        "(a * a).sum() for a in replicated -> np.sqrt((a * a).sum()) for a in replicated",
        "np.sqrt(all_reduce(own) + common) -> all_reduce(own) + common",
    ),
    edit(
        "only-with-pieces",
        "a rank without pieces has nothing to send",
        "A rank without sharded gradients does not call `all_reduce`. What do the other ranks wait for?",
        "all_reduce(own) + common -> (all_reduce(own) if sharded else 0) + common",
    ),
    edit(
        "only-if-locally-above",
        "a rank whose own norm is below the bound has nothing to send",
        "Can one rank know whether the whole gradient exceeds the bound? What if only some ranks call `all_reduce`?",
        "norm = ... -> norm = np.sqrt(own + common); norm = np.sqrt(all_reduce(own) + common) "
        "if norm > max_norm else norm",
    ),
    edit(
        "norm-after-clipping",
        "the returned norm is the norm of the clipped gradient",
        "Does the task ask for the norm before or after clipping?",
        "return norm, -> return norm * scale,",
    ),
    edit(
        "bound-for-sum",
        "1e-6 is a lower bound of the norm",
        "The norm is 1. By which number does the task divide `max_norm`, and by which number does your code?",
        "(norm + 1e-6) -> max(norm, 1e-6)",
    ),
    edit(
        "small-number-under-root",
        "1e-6 is added to the sum of squares, and the root of this sum is the norm",
        "All gradients are 0. What is their norm, and what does your code return?",
        "all_reduce(own) + common -> all_reduce(own) + common + 1e-6",
        "(norm + 1e-6) -> norm",
    ),
    edit(
        "small-number-added-to-norm",
        "the returned norm contains the 1e-6",
        "All gradients are 0. What is their norm, and what does your code return?",
        "norm = np.sqrt(all_reduce(own) + common) -> norm = np.sqrt(all_reduce(own) + common) + 1e-6",
        "(norm + 1e-6) -> norm",
    ),
    edit(
        "small-number-left-out",
        "1e-6 only protects against a division by 0",
        "The norm is 1e-6. By which number does the task divide `max_norm`, and by which number does your code?",
        "(norm + 1e-6) -> (norm or 1.0)",
    ),
    edit(
        "only-if-norm-above",
        "gradients are scaled only if the norm itself exceeds the bound",
        "The norm is 5e-7 and the bound is 1e-6. What is c? Does the task compare c or the norm?",
        "scale = ... -> scale = max_norm / (norm + 1e-6) if norm > max_norm else 1.0",
    ),
    edit(
        "absolute-values",
        "the norm of a gradient is the sum of its absolute values",
        "Let the only gradient be (3, 4). What is its norm?",
        "(a * a).sum() for a in sharded -> np.abs(a).sum() for a in sharded",
        "(a * a).sum() for a in replicated -> np.abs(a).sum() for a in replicated",
        "np.sqrt(all_reduce(own) + common) -> all_reduce(own) + common",
    ),
    edit(
        "never-below-1",
        "the factor is at least 1",
        "The norm is twice the bound. Must the gradients become shorter or longer?",
        "scale = min -> scale = max",
    ),
    edit(
        "message-for-replicated",
        "the replicated gradients need a message too",
        "Do the ranks differ in their replicated gradients? How many messages does the task allow?",
        "all_reduce(own) + common -> all_reduce(own) + all_reduce(common) / all_reduce(1)",
    ),
    edit(
        "two-numbers",
        "a message may hold several numbers",
        "How many numbers may a rank pass to `all_reduce`? Which sum of squares must not be reduced at all?",
        "all_reduce(own) + common -> all_reduce(np.array([own, 1.0]))[0] + common",
    ),
    edit(
        "factors-reduced",
        "each rank's factor is a part of the whole factor",
        "Does the global norm follow from the ranks' sums of squares or from their factors?",
        "scale = ... -> norm = np.sqrt(own + common); scale = min(1, all_reduce(max_norm / (norm + 1e-6)))",
    ),
]
