"""Sums of products over labelled axes: einsum, and its special cases for vectors and tensors."""

from __future__ import annotations

import string
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.declaration import integers, place
from autodrill.engine.core.primitive import primitive
from autodrill.engine.ops.arrange import take
from autodrill.engine.ops.diagonals import diagonal
from autodrill.engine.ops.linalg import matmul
from autodrill.engine.ops.reduce import sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.shape import expand_dims, moveaxis, reshape, transpose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.backend import Array, Namespace

# fmt: off
__all__ = [
    "contract", "cross", "dot", "einsum", "inner", "kron", "matvec", "multi_dot", "outer", "tensordot", "vdot",
    "vecdot",
]
# fmt: on

Labels = tuple[str, str, str]

_WORTH_PLANNING = 4096  # element pairs; for fewer, NumPy's search for a BLAS call costs more than it saves


@primitive
def contract(xp: Namespace, x: Array, y: Array, *, labels: Labels) -> Array:
    """Return the einsum of two operands, Σ x y over the labels that the result lacks.

    No label occurs twice in one operand, and each occurs in the other operand or in the result. Every einsum reduces to
    this form when diagonals are taken and axes with a unique label are summed. Its derivatives have this form too.

    Args:
        x: Values with an axis for each of its labels.
        y: Likewise.
        labels: The labels of x, of y and of the result, a letter for each axis.

    Returns:
        The lengths of the result's labels.

    Raises:
        ValueError: Axes with the same label differ in length.

    Source: agrees with `numpy.einsum`.
    """
    left, right, out = labels
    return xp.einsum(f"{left},{right}->{out}", x, y, optimize=x.size * y.size > _WORTH_PLANNING)


def _contract_examples(x: Array, y: Array, labels: Labels, batch: tuple[int, ...]) -> Array:
    free = [label for label in string.ascii_letters if label not in "".join(labels)]
    more = "".join(free[: len(batch)])
    terms = []
    for v, term in ((x, labels[0]), (y, labels[1])):
        varies = [v.shape[k] == n for k, n in enumerate(batch)]
        own = "".join(label for label, here in zip(more, varies, strict=True) if here)
        lengths = [n for n, here in zip(batch, varies, strict=True) if here]
        terms.append((reshape(v, (*lengths, *v.shape[len(batch) :])), own + term))
    (x, left), (y, right) = terms
    return contract(x, y, labels=(left, right, more + labels[2]))


contract.vjp(
    x=lambda g, y, labels: contract(g, y, labels=(labels[2], labels[1], labels[0])),
    y=lambda g, x, labels: contract(g, x, labels=(labels[2], labels[0], labels[1])),
)
contract.jvp("linear in each argument")
contract.vmap(_contract_examples)


def _parsed(subscripts: str, ndims: Sequence[int]) -> tuple[list[str], str]:
    """Return the labels of each operand and of the result, with labels in place of ellipses."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ndims):
        raise ValueError(f"`{subscripts}` needs {len(terms)} operands, got {len(ndims)}")
    unused = [c for c in string.ascii_letters if c not in subscripts]
    widest = max([n - len(t.replace("...", "")) for t, n in zip(terms, ndims, strict=True) if "..." in t], default=0)
    batch = "".join(unused[:widest])
    inputs = []
    for term, ndim in zip(terms, ndims, strict=True):
        more = ndim - len(term.replace("...", ""))
        if more < 0 or (more > 0 and "..." not in term):
            raise ValueError(f"`{term}` of `{subscripts}` does not fit an operand of {ndim} axes")
        inputs.append(term.replace("...", batch[widest - more :]))
    if arrow:
        return inputs, right.replace("...", batch)
    joined = "".join(inputs)
    return inputs, batch + "".join(sorted(c for c in set(joined) if joined.count(c) == 1 and c not in batch))


def _simplified(x: Array, labels: str, kept: str) -> tuple[Array, str]:
    """Take the diagonal of axes that share a label, and sum over axes whose label is not in `kept`."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            if x.shape[first] != x.shape[second]:
                raise ValueError(
                    f"the label `{label}` has axes of different lengths, {x.shape[first]} and {x.shape[second]}"
                )
            x = diagonal(x, 0, first, second)
            labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    lonely = tuple(k for k, label in enumerate(labels) if label not in kept)
    if lonely:
        x = sum(x, axis=lonely)
        labels = "".join(label for label in labels if label in kept)
    return x, labels


def einsum(subscripts: str, *operands: Array) -> Any:
    """Return the sum of products given in Einstein's notation, from left to right, two operands at a time.

    Args:
        subscripts: For example `"bij,bjk->bik"`. `...` stands for axes that broadcast. Without an arrow the result has
            the labels that occur once, in alphabetical order.
        operands: One for each term.

    Returns:
        The lengths of the result's labels, in their order.

    Raises:
        ValueError: The subscripts do not fit the operands, axes with one label differ in length, or the result has a
            label that no operand has.

    Source: agrees with `numpy.einsum`.
    """
    terms, out = _parsed(subscripts, [x.ndim for x in operands])
    unknown = [label for label in out if not any(label in term for term in terms)]
    if unknown or len(set(out)) != len(out):
        raise ValueError(f"the result `{out}` has a label twice, or one that no operand has")
    needed = [out]  # the labels of the terms after each, and of the result, from the last term to the first
    for term in terms[:0:-1]:
        needed.append("".join(dict.fromkeys(needed[-1] + term)))
    result, labels = _simplified(operands[0], terms[0], needed.pop())
    for k in range(1, len(operands)):
        later = needed.pop()
        y, right = _simplified(operands[k], terms[k], labels + later)
        result, labels = _simplified(result, labels, right + later)
        joint = "".join(label for label in dict.fromkeys(labels + right) if label in later)
        last = k == len(operands) - 1
        result = contract(result, y, labels=(labels, right, out if last else joint))
        labels = out if last else joint
    if labels == out:
        return result
    return transpose(result, tuple(labels.index(label) for label in out))


def tensordot(x: Array, y: Array, axes: int | tuple[Any, Any] = 2) -> Any:
    """Return the products of x and y summed over pairs of axes.

    Args:
        x: Values of any shape.
        y: Likewise.
        axes: The number of pairs of x's last and y's first axes, or two sequences of paired axes.

    Returns:
        The other axes of x, followed by the other axes of y.

    Raises:
        ValueError: Paired axes differ in length, or the sequences in number.
        numpy.exceptions.AxisError: x or y lacks one of the axes.

    Source: agrees with `numpy.tensordot`.
    """
    pairs = (range(x.ndim - axes, x.ndim), range(axes)) if isinstance(axes, (int, np.integer)) else axes
    left, right = ([place(a, v.ndim) for a in integers(side)] for side, v in zip(pairs, (x, y), strict=True))
    summed = [[v.shape[a] for a in side] for v, side in ((x, left), (y, right))]
    if summed[0] != summed[1]:
        raise ValueError(f"the summed axes differ in length: {summed[0]} of {x.shape} and {summed[1]} of {y.shape}")
    rows = [a for a in range(x.ndim) if a not in left]
    columns = [a for a in range(y.ndim) if a not in right]
    shape = (*(x.shape[a] for a in rows), *(y.shape[a] for a in columns))
    inner = prod(x.shape[a] for a in left)
    matrix = reshape(transpose(x, (*rows, *left)), (prod(x.shape[a] for a in rows), inner))
    other = reshape(transpose(y, (*right, *columns)), (inner, prod(y.shape[a] for a in columns)))
    return reshape(matmul(matrix, other), shape)


def dot(x: Array, y: Array) -> Any:
    """Return the sum of products over the last axis of x and the second to last of y, or the only axis of a vector.

    Args:
        x: Shape (..., N); without axes, a factor.
        y: Shape (..., N, M) or (N,); without axes, a factor.

    Returns:
        The other axes of x, followed by the other axes of y: () for two vectors.

    Raises:
        ValueError: The two axes differ in length.

    Source: agrees with `numpy.dot`.
    """
    if x.ndim == 0 or y.ndim == 0:
        return x * y
    return tensordot(x, y, ((-1,), (-1 if y.ndim == 1 else -2,)))


def vdot(x: Array, y: Array) -> Any:
    """Return the inner product of all elements of x and y, Σ conj(x) y.

    Args:
        x: Values of any shape, flattened.
        y: Values of as many elements, flattened.

    Returns:
        Shape ().

    Raises:
        ValueError: x and y differ in the number of elements.

    Source: agrees with `numpy.vdot`.
    """
    return matmul(reshape(x, -1).conj(), reshape(y, -1))


def vecdot(x: Array, y: Array, axis: int = -1) -> Any:
    """Return the inner products of vectors along `axis`, Σ conj(x) y; the other axes broadcast.

    Args:
        x: Values with at least one axis.
        y: Likewise.
        axis: The axis of the vectors in the common shape.

    Returns:
        The common shape without the axis.

    Raises:
        ValueError: The shapes do not broadcast.
        numpy.exceptions.AxisError: The common shape lacks the axis.

    Source: agrees with `numpy.vecdot`.
    """
    return sum(x.conj() * y, axis=axis)


def inner(x: Array, y: Array) -> Any:
    """Return the sums of products over the last axis of x and the last axis of y, without a conjugate.

    Args:
        x: Shape (..., N); without axes, a factor.
        y: Likewise.

    Returns:
        The other axes of x, followed by the other axes of y.

    Raises:
        ValueError: The last axes differ in length.

    Source: agrees with `numpy.inner`.
    """
    return x * y if x.ndim == 0 or y.ndim == 0 else tensordot(x, y, ((-1,), (-1,)))


def outer(x: Array, y: Array) -> Any:
    """Return the products xᵢ yⱼ of every element of x with every element of y.

    Args:
        x: Values of any shape, flattened.
        y: Likewise.

    Returns:
        Shape (x.size, y.size).

    Source: agrees with `numpy.outer`.
    """
    return reshape(x, (-1, 1)) * reshape(y, (1, -1))


def kron(x: Array, y: Array) -> Any:
    """Return the Kronecker product: every element of x times the whole of y.

    Args:
        x: Values of any shape; the one with fewer axes gets axes of length 1 in front.
        y: Likewise.

    Returns:
        Each length is the product of those of x and y.

    Source: agrees with `numpy.kron`.
    """
    ndim = max(x.ndim, y.ndim)
    a = (1,) * (ndim - x.ndim) + tuple(x.shape)
    b = (1,) * (ndim - y.ndim) + tuple(y.shape)
    spread = reshape(x, tuple(k for n in a for k in (n, 1))) * reshape(y, tuple(k for n in b for k in (1, n)))
    return reshape(spread, tuple(n * m for n, m in zip(a, b, strict=True)))


def cross(x: Array, y: Array, axis: int = -1) -> Any:
    """Return the cross product of vectors of three elements: (x₂y₃ - x₃y₂, x₃y₁ - x₁y₃, x₁y₂ - x₂y₁).

    Args:
        x: Vectors of three elements along `axis`.
        y: Likewise; the other axes broadcast.
        axis: The axis of the vectors.

    Returns:
        The common shape.

    Raises:
        ValueError: The vectors have another length, or the other axes do not broadcast.
        numpy.exceptions.AxisError: x or y lacks the axis.

    Source: agrees with `torch.linalg.cross`.
    """
    sizes = [v.shape[place(axis, v.ndim)] for v in (x, y)]
    if sizes != [3, 3]:
        raise ValueError(f"`cross` needs vectors of three elements, not {sizes[0]} and {sizes[1]}")
    x, y = moveaxis(x, axis, -1), moveaxis(y, axis, -1)
    after, before = [1, 2, 0], [2, 0, 1]
    product = take(x, after, -1) * take(y, before, -1) - take(x, before, -1) * take(y, after, -1)
    return moveaxis(product, -1, axis)


def matvec(x: Array, y: Array) -> Any:
    """Return the products of matrices with vectors, Σⱼ xᵢⱼ yⱼ.

    Args:
        x: Shape (..., M, N).
        y: Shape (..., N); the leading axes broadcast.

    Returns:
        Shape (..., M).

    Raises:
        ValueError: The lengths differ, or the leading axes do not broadcast.

    Source: agrees with `numpy.matvec`.
    """
    return matmul(x, expand_dims(y, -1))[..., 0]


def multi_dot(arrays: Sequence[Array]) -> Any:
    """Return the product of a chain of matrices, in the order with the least work.

    The order is found by dynamic programming over the place of the last product.

    Args:
        arrays: At least one matrix; the first and the last may be vectors.

    Returns:
        (M, N), with the rows of the first matrix and the columns of the last; without the axis of an end that is a
        vector.

    Raises:
        ValueError: There are no matrices, or two neighbours do not fit.

    Source: agrees with `numpy.linalg.multi_dot`.
    """
    if not arrays:
        raise ValueError("`multi_dot` needs at least one matrix")
    if len(arrays) < 3:
        return matmul(*arrays) if len(arrays) == 2 else arrays[0]
    sizes = [arrays[0].shape[0] if arrays[0].ndim == 2 else 1]
    sizes += [a.shape[-1] if a.ndim == 2 else 1 for a in arrays[:-1]]
    sizes[1] = arrays[0].shape[-1]
    sizes.append(arrays[-1].shape[-1] if arrays[-1].ndim == 2 else 1)
    n = len(arrays)
    cost = [[0.0] * n for _ in range(n)]
    cut = [[0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            options = [(cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            cost[i][j], cut[i][j] = min(options)

    def product(i: int, j: int) -> Any:
        return arrays[i] if i == j else matmul(product(i, cut[i][j]), product(cut[i][j] + 1, j))

    return product(0, n - 1)
