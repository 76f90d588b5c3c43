"""Losses by margins between scores, distances or cosines, under PyTorch's functional names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import backend_of, everywhere
from autodrill.engine.core.complex_convention import check_real
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.activation import relu
from autodrill.engine.ops.elementwise import minimum, power, sqrt, where
from autodrill.engine.ops.index import getitem, take_along_axis
from autodrill.engine.ops.loss import reduced
from autodrill.engine.ops.norms import pairwise_distance
from autodrill.engine.ops.reduce import sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.shape import expand_dims

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.engine.core.backend import Array
    from autodrill.engine.ops.loss import Reduction

# fmt: off
__all__ = [
    "cosine_embedding_loss", "hinge_embedding_loss", "margin_ranking_loss", "multi_margin_loss",
    "multilabel_margin_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss",
]
# fmt: on


def _integers(target: Any, x: Array) -> Any:
    labels = raw(target)
    labels = labels if hasattr(labels, "dtype") else backend_of(raw(x)).xp.asarray(labels)
    if labels.dtype.kind not in "iu":
        raise TypeError(f"the target must hold integer class labels, not `{labels.dtype}`")
    return labels


def multi_margin_loss(
    x: Array,
    target: Any,
    reduction: Reduction = "mean",
    *,
    p: int = 1,
    margin: float = 1.0,
    weight: Array | None = None,
) -> Any:
    """Return Σ max(0, margin - x[target] + x[k])^p / C over the wrong classes k: the multi-class hinge loss.

    Args:
        x: Scores, real numbers of shape (N, C) or (C,).
        target: Labels, integers of shape (N,) or ().
        reduction: `"mean"` or `"sum"` over the examples, or `"none"`.
        p: The power, 1 or 2.
        margin: By how much the score of the label should exceed the others.
        weight: A weight for each class, shape (C,); the terms of an example get that of its label.

    Returns:
        Shape (); shape (N,) or () for `"none"`.

    Raises:
        TypeError: x is complex, or the target is not of an integer dtype.
        ValueError: Shapes do not fit, a label is out of range, or the reduction is unknown.

    Source: `torch.nn.functional.multi_margin_loss`.
    """
    check_real("multi_margin_loss", x)
    labels = _integers(target, x)[..., None]
    classes = x.shape[-1] if x.ndim else 0
    if labels.shape != (*x.shape[:-1], 1):
        raise ValueError(f"labels of shape {labels.shape[:-1]} do not fit scores of shape {x.shape}")
    if not everywhere((labels >= 0) & (labels < classes)):
        raise ValueError(f"a label is outside 0..{classes - 1}, the classes of scores of shape {x.shape}")
    violated = power(relu(margin - take_along_axis(x, labels, -1) + x), p)
    if weight is not None:
        violated = violated * getitem(weight, labels)
    wrong = backend_of(labels).xp.arange(x.shape[-1]) != labels
    return reduced(sum(where(wrong, violated, 0), axis=-1) / x.shape[-1], reduction)


def multilabel_margin_loss(x: Array, target: Any, reduction: Reduction = "mean") -> Any:
    """Return Σ max(0, 1 - x[j] + x[k]) / C over the labels j and all other classes k.

    Args:
        x: Scores, real numbers of shape (N, C) or (C,).
        target: The labels of each example, integers of x's shape; the first -1 ends the list.
        reduction: `"mean"` or `"sum"` over the examples, or `"none"`.

    Returns:
        Shape (); shape (N,) or () for `"none"`.

    Raises:
        TypeError: x is complex, or the target is not of an integer dtype.
        ValueError: Shapes do not fit, or the reduction is unknown.
        IndexError: A label is out of range.

    Source: `torch.nn.functional.multilabel_margin_loss`.
    """
    check_real("multilabel_margin_loss", x)
    labels = _integers(target, x)
    if labels.shape != x.shape:
        raise ValueError(f"labels of shape {labels.shape} do not fit scores of shape {x.shape}")
    xp = backend_of(labels).xp
    count = x.shape[-1]
    place = xp.arange(count)
    ended = (expand_dims(labels < 0, -2) & (place <= place[:, None])).any(axis=-1)
    listed = xp.logical_not(ended)
    chosen = xp.where(listed, labels, 0)
    is_label = (expand_dims(listed, -1) & (expand_dims(chosen, -1) == place)).any(axis=-2)
    violated = relu(1 - expand_dims(take_along_axis(x, chosen, -1), -1) + expand_dims(x, -2))
    counted = expand_dims(listed, -1) & expand_dims(xp.logical_not(is_label), -2)
    return reduced(sum(where(counted, violated, 0), axis=(-2, -1)) / count, reduction)


def triplet_margin_with_distance_loss(
    anchor: Array,
    positive: Array,
    negative: Array,
    reduction: Reduction = "mean",
    *,
    distance_function: Callable[[Array, Array], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
) -> Any:
    """Return max(0, margin + d(anchor, positive) - d(anchor, negative)), with any distance d.

    Args:
        anchor: Vectors, shape (..., D).
        positive: Vectors that should be near, shape (..., D).
        negative: Vectors that should be far, shape (..., D).
        reduction: `"mean"` or `"sum"` over the triplets, or `"none"`.
        distance_function: A function of two arrays, by default `pairwise_distance`.
        margin: By how much the far distance should exceed the near one.
        swap: Whether d(positive, negative) is used if it is less than d(anchor, negative).

    Returns:
        Shape (); the shape of the distances, (...), for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.

    Source: Balntas et al., 2016, for the swap; `torch.nn.functional.triplet_margin_with_distance_loss`.
    """
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    return reduced(relu(margin + near - (minimum(far, distance(positive, negative)) if swap else far)), reduction)


def hinge_embedding_loss(x: Array, target: Array, reduction: Reduction = "mean", *, margin: float = 1.0) -> Any:
    """Return x for label 1 and max(0, margin - x) for label -1, reduced; as in PyTorch, their sum for any other label.

    Args:
        x: Real distances of any shape.
        target: Labels -1 and 1, which broadcast against x.
        reduction: `"mean"`, `"sum"`, or `"none"` for the losses themselves.
        margin: The distance up to which label -1 has a loss.

    Returns:
        Shape (), or the common shape for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.
        TypeError: x is complex.

    Source: agrees with `torch.nn.functional.hinge_embedding_loss`.
    """
    labels = raw(target)
    return reduced(where(labels != -1, x, 0) + where(labels != 1, relu(margin - x), 0), reduction)


def margin_ranking_loss(x: Array, y: Array, target: Array, reduction: Reduction = "mean", *, margin: float = 0) -> Any:
    """Return max(0, margin - target (x - y)), reduced: x should rank above y for label 1, below y for label -1.

    Args:
        x: Real scores of any shape.
        y: Real scores that broadcast against x.
        target: Labels -1 and 1, which broadcast too.
        reduction: `"mean"`, `"sum"`, or `"none"` for the losses themselves.
        margin: The difference from which on there is no loss.

    Returns:
        Shape (), or the common shape for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.
        TypeError: The scores are complex.

    Source: agrees with `torch.nn.functional.margin_ranking_loss`.
    """
    return reduced(relu(margin - target * (x - y)), reduction)


def cosine_embedding_loss(
    x: Array, y: Array, target: Array, reduction: Reduction = "mean", *, margin: float = 0.0
) -> Any:
    """Return 1 - cos(x, y) for label 1, and max(0, cos(x, y) - margin) for label -1, reduced.

    Args:
        x: Real vectors along the last axis.
        y: Likewise; the shapes broadcast.
        target: Labels -1 and 1, which broadcast against the shape without the last axis.
        reduction: `"mean"`, `"sum"`, or `"none"` for the losses themselves.
        margin: The cosine from which on label -1 has a loss.

    Returns:
        Shape (), or the common shape without the last axis for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.
        TypeError: The vectors are complex.

    Source: agrees with `torch.nn.functional.cosine_embedding_loss`.
    """
    # Not `cosine_similarity`: PyTorch adds 1e-12 to each square here, but there it raises each norm to at least 1e-8.
    cosine = sum(x * y, axis=-1) / sqrt((sum(x * x, axis=-1) + 1e-12) * (sum(y * y, axis=-1) + 1e-12))
    return reduced(where(raw(target) == 1, 1 - cosine, relu(cosine - margin)), reduction)


def triplet_margin_loss(
    anchor: Array,
    positive: Array,
    negative: Array,
    reduction: Reduction = "mean",
    *,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
) -> Any:
    """Return max(0, margin + d(anchor, positive) - d(anchor, negative)), reduced, with d the norm of x - y + eps.

    Args:
        anchor: Vectors along the last axis.
        positive: Vectors that should be near to the anchors; the shapes broadcast.
        negative: Vectors that should be far from them.
        reduction: `"mean"`, `"sum"`, or `"none"` for the losses themselves.
        margin: The difference of the distances from which on there is no loss.
        p: The power of the norm.
        eps: Added to each difference, which keeps the distance of equal vectors differentiable.
        swap: Whether to use the distance from positive to negative if it is smaller.

    Returns:
        Shape (), or the common shape without the last axis for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.

    Source: Balntas et al. (2016); agrees with `torch.nn.functional.triplet_margin_loss`.
    """
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced(relu(margin + near - far), reduction)
