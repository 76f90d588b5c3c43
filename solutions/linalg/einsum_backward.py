"""`"ij,jk->ik"` says: for every value of every letter, multiply an entry of a by an entry of b and add the product to
an entry of out. The loss gains g·a·b from each such product, in which all three play the same part. So by symmetry

    da_{letters of a} = Σ over all other letters of g_{letters of out} · b_{letters of b}

which is an einsum again: g and the partner come in, and the letters of the target come out. For the matrix product
that is `"ik,jk->ij"`, or g @ b.T.

One thing is missing. A letter that only the target has was summed out by itself, and einsum cannot write a letter it
does not read. Every entry along that axis went into the same sum, so every entry receives the same gradient: leave the
letter out, then repeat along the axis. It is the backward of a sum, as in `sum_backward`.

Cost: Each of the two einsums loops over the letters of the forward, less those that only its target has, so backward
takes at most twice the forward's products. Both operands are kept.

PyTorch: It has no rule for einsum: operands are permuted and reshaped, lone letters summed out first, and `bmm` called,
or an elementwise product where no shared letter is summed; the backwards of these do the work. What is kept are the
rearranged operands, views of the originals where their strides allow it.

Asked next:

- What if a letter stands twice in an operand, as in `"ii->i"`? → The forward reads a diagonal, so backward writes one,
  which einsum cannot: da is zeros with g on the diagonal. For `"ii->"` it is g times the identity.
- And with three operands? → Leave out each in turn: da is an einsum of g, b and c. But `"ij,jk,kl->il"` in one loop
  takes n⁴ products; in pairs it takes 2n³, and so does each gradient.
- NumPy lets a letter have size 1 in one operand and n in the other. What would your function lack? → It would fail, as
  the einsum has n there and the target 1: that axis was broadcast, so sum over it, keeping the axis.
- And for complex operands? → In the convention of PyTorch the partner is conjugated: da is the einsum of g and conj(b).
"""

import numpy as np

from autodrill.drills import given, mistake

HINTS = (
    "Write the sum out with indices and differentiate it by one entry of a: which letters are still summed over?",
    "da is an einsum of g and b towards the letters of a. A letter found in neither was summed alone: repeat along it.",
    "Split spec at the arrow and the comma; leave lone letters out of the new spec; then expand_dims, broadcast, copy.",
)
CASES = [
    given("a[i,j] b[j,k]", spec="ij,jk->ik", large={"i": 120, "j": 140, "k": 160}),
    given("a[i,j] b[k,j]", spec="ij,kj->ki", large=False),
    given("a[b,i,j] b[b,j,k]", spec="bij,bjk->bik", large=False),
    given("a[b,i,j] b[j,k]", spec="bij,jk->bik", large=False),
    given("a[i] b[j]", spec="i,j->ij", large=False),
    given("a[i,j] b[i,j]", spec="ij,ij->i", large=False),
    given("a[i,j] b[i,j]", spec="ij,ij->", large=False),
    given("a[b,h,q,d] b[b,h,k,d]", spec="bhqd,bhkd->bhqk", large=False),
    given("a[i,j] b[k,j]", spec="ij,kj->k", large=False, note="a letter of a summed alone"),
    given("a[j] b[i,j,l,k]", spec="j,ijlk->k", large=False, note="two letters of b summed alone"),
    given("a[i,j] b[i,k]", spec="ij,ik->ik", large=False, note="the last letter of a summed alone"),
    given("a[i,k] b[k,i,j]", spec="ik,kij->ki", large=False, note="the last letter of b summed alone"),
    given("a[i,j] b[k,l]", spec="ij,kl->jl", large=False, note="a lone letter in each"),
]


def forward(a, b, spec):
    from autodrill import engine

    return engine.einsum(spec, a, b)


def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")

    def towards(target, shape, other, partner):
        lone = tuple(axis for axis, letter in enumerate(target) if letter not in out + other)
        read = "".join(letter for letter in target if letter in out + other)
        d = np.einsum(f"{out},{other}->{read}", g, partner)
        return np.broadcast_to(np.expand_dims(d, lone), shape).copy()

    return towards(left, a.shape, right, b), towards(right, b.shape, left, a)


@mistake(
    "same-spec",
    "the forward's spec serves g as well",
    "g has the letters of the result. Which letters come in now, and which must come out?",
)
def einsum_backward(g, spec, a, b):
    return np.einsum(spec, g, b), np.einsum(spec, a, g)


@mistake(
    "lone-index",
    "every letter of the target stands in g or in the partner",
    "Which letter of the target does neither of them have? How did its axis enter the result?",
)
def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")
    return np.einsum(f"{out},{right}->{left}", g, b), np.einsum(f"{out},{left}->{right}", g, a)


@mistake(
    "lone-index-shared-out",
    "an axis that was summed alone divides the gradient among its entries",
    "Raise one entry along that axis by h: by how much does the sum rise?",
)
def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")

    def towards(target, shape, other, partner):
        lone = tuple(axis for axis, letter in enumerate(target) if letter not in out + other)
        read = "".join(letter for letter in target if letter in out + other)
        d = np.expand_dims(np.einsum(f"{out},{other}->{read}", g, partner), lone)
        return np.broadcast_to(d, shape) / max(1, int(np.prod([shape[axis] for axis in lone])))

    return towards(left, a.shape, right, b), towards(right, b.shape, left, a)


@mistake(
    "own-operand",
    "an operand's gradient is made of g and the operand itself",
    "A product is linear in a. Can a stand in its own gradient?",
)
def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")

    def towards(target, array):
        lone = tuple(axis for axis, letter in enumerate(target) if letter not in out)
        d = np.einsum(f"{out}->{''.join(letter for letter in target if letter in out)}", g)
        return np.expand_dims(d, lone) * array

    return tuple(towards(target, array) for target, array in zip(operands.split(","), (a, b)))
