"""The einsum spec `"ij,jk->ik"` says: for every combination of i, j and k, multiply a[i, j] by b[j, k] and add the
product to out[i, k]. Backward differentiates the sum of g * out. Each product adds one term g·a·b to this sum, and the
three factors play the same role. By this symmetry

    da_{letters of a} = Σ over all other letters of
                        g_{letters of out} · b_{letters of b}

This formula is again an einsum, with g and the other operand as inputs. The target is the operand whose gradient is
computed. The result has the letters of the target. For da of a matrix product, the spec is `"ik,jk->ij"`, which is g @
b.T.

One case is missing: a letter that only the target has. The forward summed the target over this letter, and an einsum
cannot output a letter that no input has. Every entry along that axis entered the same sum, so every entry receives the
same gradient. Leave the letter out of the spec, then repeat the result along the axis of this letter. Repeating is the
backward of a sum, as in `sum_backward`.

Cost: each of the two einsums loops over the letters of the forward, but not over a letter that only its target has.
Backward therefore takes at most twice as many products as the forward. Both operands are saved.

PyTorch: Einsum has no VJP rule of its own. PyTorch first permutes and reshapes the operands. It also sums each operand
over the letters that occur nowhere else. Then PyTorch calls `bmm`, or an elementwise product if no shared letter is
summed. Autograd differentiates these operations. Autograd saves the rearranged operands, which are views of the
originals if the strides allow views.

Asked next:

- What if a letter occurs twice in an operand, as in `"ii->i"`? → The forward reads a diagonal, so backward must write a
  diagonal, which einsum cannot do. da has g on the diagonal and 0 elsewhere. For `"ii->"`, da is g times the identity.
- What if there are three operands? → The gradient of each operand is an einsum of g and the other two operands: da is
  an einsum of g, b and c. The order of contraction matters for the cost. If every letter has n values, `"ij,jk,kl->il"`
  takes n⁴ products in one loop, but only 2n³ if two operands at a time are contracted. The same holds for each
  gradient.
- NumPy lets a letter have size 1 in one operand and n in the other. What does your function do in this case? → Your
  function fails, because its einsum returns size n for this letter and the target has size 1. The forward broadcast
  this axis, so sum over the axis and keep it with size 1.
- What changes for complex operands? → In PyTorch's convention the other operand is conjugated: da is the einsum of g
  and conj(b).
"""

import numpy as np

from autodrill.drills import edit, given, mistake

HINTS = (
    (
        "Write the sum with indices and differentiate it with respect to one entry of a. Which letters are still "
        "summed over?"
    ),
    (
        "da is an einsum of g and b, and its result has the letters of `a`. If `a` has a letter that neither g nor b "
        "has, repeat the result along the axis of that letter."
    ),
    (
        "Split spec at the arrow and the comma. For da, write a spec without the letters that only `a` has. Then "
        "expand_dims, broadcast and copy."
    ),
)
EMPTY = True
CASES = [
    given("a[i,j] b[j,k]", spec="ij,jk->ik", large={"i": 120, "j": 140, "k": 160}),
    given("a[i,j] b[k,j]", spec="ij,kj->ki", large=False),
    given("a[b,i,j] b[b,j,k]", spec="bij,bjk->bik", large=False),
    given("a[b,i,j] b[j,k]", spec="bij,jk->bik", large=False),
    given("a[i] b[j]", spec="i,j->ij", large=False),
    given("a[i,j] b[i,j]", spec="ij,ij->i", large=False),
    given("a[i,j] b[i,j]", spec="ij,ij->", large=False),
    given("a[b,h,q,d] b[b,h,k,d]", spec="bhqd,bhkd->bhqk", large=False),
    given("a[i,j] b[k,j]", spec="ij,kj->k", large=False, note="only a has the letter i"),
    given("a[j] b[i,j,l,k]", spec="j,ijlk->k", large=False, note="only b has the letters i and l"),
    given("a[i,j] b[i,k]", spec="ij,ik->ik", large=False, note="only a has its last letter, j"),
    given("a[i,k] b[k,i,j]", spec="ik,kij->ki", large=False, note="only b has its last letter, j"),
    given("a[i,j] b[k,l]", spec="ij,kl->jl", large=False, note="only a has the letter i, and only b has k"),
]


MISTAKES = [
    edit(
        "lone-axes-first",
        "broadcasting puts a missing axis where the operand has it",
        "Broadcast an array of shape (3,) to (3, 2). On which side does NumPy add axes?",
        "np.expand_dims(d, lone) -> d",
    ),
]


def forward(a, b, spec):
    from autodrill import engine

    return engine.einsum(spec, a, b)


def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")

    def towards(target, shape, other, partner):
        known = out + other
        lone = tuple(i for i, c in enumerate(target) if c not in known)
        read = "".join(letter for letter in target if letter in out + other)
        d = np.einsum(f"{out},{other}->{read}", g, partner)
        return np.broadcast_to(np.expand_dims(d, lone), shape).copy()

    return towards(left, a.shape, right, b), towards(right, b.shape, left, a)


@mistake(
    "same-spec",
    "the forward's spec still fits if g replaces an operand",
    "g has the letters of the result. Which letters do the new inputs have, and which must the new result have?",
)
def einsum_backward(g, spec, a, b):
    return np.einsum(spec, g, b), np.einsum(spec, a, g)


@mistake(
    "lone-index",
    "every letter of an operand occurs in g or in the other operand",
    "Take a letter that occurs in one operand but not in g. What did the forward do with the axis of this letter?",
)
def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")
    return np.einsum(f"{out},{right}->{left}", g, b), np.einsum(f"{out},{left}->{right}", g, a)


@mistake(
    "lone-index-shared-out",
    "the gradient of a sum is divided among the summed entries",
    "Suppose you raise one entry along the summed axis by h. By how much does the sum rise?",
)
def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")

    def towards(target, shape, other, partner):
        known = out + other
        lone = tuple(i for i, c in enumerate(target) if c not in known)
        read = "".join(letter for letter in target if letter in out + other)
        d = np.expand_dims(np.einsum(f"{out},{other}->{read}", g, partner), lone)
        return np.broadcast_to(d, shape) / max(1, int(np.prod([shape[axis] for axis in lone])))

    return towards(left, a.shape, right, b), towards(right, b.shape, left, a)


@mistake(
    "one-lone-letter",
    "an operand has at most one letter that occurs nowhere else",
    "In 'j,ijlk->k', which letters of b occur neither in a nor in the result? How many of them does your code restore?",
)
def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")

    def towards(target, shape, other, partner):
        lone = [letter for letter in target if letter not in out + other][:1]
        d = np.einsum(f"{out},{other}->{''.join(letter for letter in target if letter not in lone)}", g, partner)
        return np.broadcast_to(np.expand_dims(d, tuple(map(target.index, lone))), shape).copy()

    return towards(left, a.shape, right, b), towards(right, b.shape, left, a)


@mistake(
    "own-operand",
    "an operand's gradient contains the operand itself",
    "`out` is linear in `a`. Can `a` occur in its own gradient?",
)
def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")

    def towards(target, array):
        lone = tuple(axis for axis, letter in enumerate(target) if letter not in out)
        d = np.einsum(f"{out}->{''.join(letter for letter in target if letter in out)}", g)
        return np.expand_dims(d, lone) * array

    return tuple(towards(target, array) for target, array in zip(operands.split(","), (a, b)))


@mistake(
    "summed-axis-of-size-1",
    "a summed axis has size 1 in the gradient",
    "What shapes do a and da have? Which entries of a receive the gradient of the sum?",
)
def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")

    def towards(target, other, partner):
        lone = tuple(i for i, c in enumerate(target) if c not in out + other)
        read = "".join(letter for letter in target if letter in out + other)
        return np.expand_dims(np.einsum(f"{out},{other}->{read}", g, partner), lone)

    return towards(left, right, b), towards(right, left, a)


@mistake(
    "contracted-as-lone",
    "every letter that the result lacks is a letter of one operand alone",
    "In 'ij,jk->ik', j is in both operands. Does the gradient of a[i, j] depend on j?",
)
def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")

    def towards(target, shape, other, partner):
        absent = tuple(i for i, c in enumerate(target) if c not in out)
        read = "".join(letter for letter in target if letter in out)
        d = np.einsum(f"{out},{other}->{read}", g, partner)
        return np.broadcast_to(np.expand_dims(d, absent), shape).copy()

    return towards(left, a.shape, right, b), towards(right, b.shape, left, a)
