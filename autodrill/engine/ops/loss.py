"""Classification losses under PyTorch's functional names: cross-entropy, negative log-likelihood and CTC."""

from __future__ import annotations

from typing import Any, Literal

from autodrill.engine.core.backend import Array, Namespace, backend_of, everywhere, floating, memory
from autodrill.engine.core.complex_convention import check_real, is_complex
from autodrill.engine.core.declaration import behind
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import BY_OPERATIONS, raw
from autodrill.engine.ops.elementwise import where
from autodrill.engine.ops.index import getitem, take_along_axis
from autodrill.engine.ops.probabilities import log_softmax, softmax
from autodrill.engine.ops.reduce import logsumexp, mean, sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.shape import along, concatenate, expand_dims, squeeze, stack

__all__ = ["cross_entropy", "ctc_loss", "nll_loss", "one_hot", "softmax_cross_entropy"]

Reduction = Literal["none", "mean", "sum"]


def reduced(losses: Array, reduction: Reduction, divisor: Any = None) -> Any:
    """Return the mean or the sum of losses, or the losses themselves.

    Args:
        losses: One for each element.
        reduction: `"mean"`, `"sum"` or `"none"`.
        divisor: The divisor of the mean, by default the number of losses.

    Raises:
        ValueError: The reduction is unknown.
        TypeError: The losses are complex.
    """
    if is_complex(losses):
        raise TypeError("a loss is not defined for complex numbers; make it real, for example with `abs(...) ** 2`")
    if reduction == "none":
        return losses
    if reduction == "sum":
        return sum(losses)
    if reduction != "mean":
        raise ValueError(f"`reduction` is `none`, `mean` or `sum`, not `{reduction}`")
    return mean(losses) if divisor is None else sum(losses) / divisor


def _class_axis(scores: Array) -> int:
    if scores.ndim == 0:
        raise ValueError("the scores need a class axis, but these are 0-d")
    return 0 if scores.ndim == 1 else 1


def _checked_labels(scores: Array, target: Any, ignore_index: int) -> tuple[Array, int, Array | None]:
    """Return the labels with 0 for ignored ones, the class axis, and a mask of the labels that count (None: all)."""
    scores = raw(scores)
    labels = backend_of(scores).asarray(raw(target))
    if labels.dtype.kind not in "iu":
        raise TypeError(f"the target must hold integer class labels, not `{labels.dtype}`")
    axis = _class_axis(scores)
    expected = scores.shape[:axis] + scores.shape[axis + 1 :]
    if labels.shape != expected:
        raise ValueError(f"the target has shape {labels.shape}, but scores of shape {scores.shape} need {expected}")
    classes = scores.shape[axis]
    # As unsigned numbers negative labels are the largest, so one pass shows that all labels are in range.
    in_range = not labels.size or int(memory(labels).astype("u8").max()) < classes
    if in_range and not 0 <= ignore_index < classes:
        return labels, axis, None
    counted = labels != ignore_index
    labels = labels * counted
    if labels.size and int(memory(labels).astype("u8").max()) >= classes:
        raise ValueError(f"a label is outside 0..{classes - 1}, the classes of scores of shape {scores.shape}")
    return labels, axis, counted


def _picked(scores: Array, labels: Array, axis: int) -> Array:
    return squeeze(take_along_axis(scores, expand_dims(labels, axis), axis), axis)


def _label_weights(weight: Array | None, labels: Array, counted: Array | None, dtype: Any) -> Array | None:
    """Return the weight of each label: that of its class, and 0 if it is ignored."""
    if weight is None:
        return None if counted is None else counted.astype(dtype)
    weights = getitem(weight, labels)
    return weights if counted is None else where(counted, weights, 0)


def _check_weight(weight: Array | None, scores: Array) -> None:
    classes = scores.shape[_class_axis(scores)]
    if weight is not None and weight.shape != (classes,):
        raise ValueError(f"the weights have shape {weight.shape}, but {classes} classes need ({classes},)")


def nll_loss(
    log_probs: Array,
    target: Any,
    reduction: Reduction = "mean",
    *,
    weight: Array | None = None,
    ignore_index: int = -100,
) -> Any:
    """Return -log_probs[target], minus the log-probability of each target class.

    Args:
        log_probs: Log-probabilities, real numbers of shape (N, C) or (C,), or (N, C, d1, ...).
        target: Integer labels, of the same shape without the class axis.
        reduction: `"mean"`, weighted by the classes' weights, `"sum"`, or `"none"` for the losses themselves.
        weight: The weights of the classes, shape (C,).
        ignore_index: The label of elements that are left out.

    Returns:
        Shape (); the shape of the target for `"none"`.

    Raises:
        TypeError: The log-probabilities are complex, or the target is not of an integer dtype.
        ValueError: Shapes do not fit, a label is out of range, or the reduction is unknown.

    Source: `torch.nn.functional.nll_loss`.
    """
    labels, axis, counted = _checked_labels(log_probs, target, ignore_index)
    _check_weight(weight, log_probs)
    losses = -_picked(log_probs, labels, axis)
    if counted is not None:
        losses = where(counted, losses, 0)
    weights = _label_weights(weight, labels, counted, losses.dtype)
    if weights is None:
        return reduced(losses, reduction)
    return reduced(losses if weight is None else losses * weights, reduction, divisor=sum(weights))


def _softmax_minus_onehot(logits: Array, target: Array, axis: int) -> Array:
    classes = along(backend_of(target).xp.arange(logits.shape[axis]), axis, logits.ndim)
    onehot = (classes == expand_dims(target, axis)).astype(logits.dtype)
    return softmax(logits, axis) - onehot


def _softmax_cross_entropy_vjp(g: Array, logits: Array, out: Array, target: Array, axis: int) -> Array:
    target = raw(target)
    if type(g) in BY_OPERATIONS or type(logits) in BY_OPERATIONS:
        return expand_dims(g, axis) * _softmax_minus_onehot(logits, target, axis)
    # The saved loss contains the logarithm of softmax's denominator, which saves two of four passes. The logits are
    # subtracted from each other first, because a sum with the loss could round their difference away.
    index = _places(target, axis)
    kept = (*out.shape[:axis], 1, *out.shape[axis:])
    slope = logits - logits[index].reshape(kept)
    slope -= out.reshape(kept)
    backend_of(slope).xp.exp(slope, out=slope)
    slope[index] -= 1
    slope *= g.reshape(kept)
    return slope


def _places(target: Array, axis: int) -> tuple[Array, ...]:
    """Return the index of the target's logit for each loss."""
    xp = backend_of(target).xp
    if target.ndim == 1:
        return (xp.arange(target.shape[0]), target) if axis else (target,)
    grid = list(xp.ogrid[tuple(slice(n) for n in target.shape)]) if target.ndim else []
    return (*grid[:axis], target, *grid[axis:])


@primitive
def softmax_cross_entropy(xp: Namespace, logits: Array, target: Array, *, axis: int) -> Array:
    """Return -log softmax(logits)[target] along `axis`, one loss for each integer of `target`.

    Args:
        logits: Unnormalised scores, real numbers of any shape.
        target: Integer labels, of the same shape without the axis; they are not checked, a negative one counts back.
        axis: The axis of the classes.

    Returns:
        The shape of the target and the dtype of the logits; for integers, floating-point numbers.

    Raises:
        TypeError: The logits are complex.
        IndexError: A label is too large or not an integer.
        AxisError: The logits lack the axis.

    Source: `torch.nn.functional.cross_entropy` with `reduction="none"`, for any axis.
    """
    logits = floating(logits)
    shifted = logits - logits.max(axis=axis, keepdims=True)
    picked = shifted[_places(target, axis)]
    return xp.log(xp.exp(shifted, out=shifted).sum(axis=axis)) - picked


def _softmax_cross_entropy_examples(logits: Array, logits_shape: tuple[int, ...], target: Array, axis: int) -> Array:
    axis = behind(axis, len(logits_shape))
    return -_picked(log_softmax(logits, axis=axis), target, axis)


softmax_cross_entropy.vjp(logits=_softmax_cross_entropy_vjp, target=None)
softmax_cross_entropy.jvp(
    lambda dlogits, logits, target, axis: sum(dlogits * _softmax_minus_onehot(logits, raw(target), axis), axis=axis)
)
softmax_cross_entropy.vmap(_softmax_cross_entropy_examples)


def cross_entropy(
    logits: Array,
    target: Any,
    reduction: Reduction = "mean",
    *,
    weight: Array | None = None,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Any:
    """Return -log softmax(logits)[target], finite for logits of any size.

    Args:
        logits: Unnormalised scores, real numbers of shape (N, C) or (C,), or (N, C, d1, ...).
        target: Integer labels, of the same shape without the class axis; or probabilities of the classes, of the same
            shape.
        reduction: `"mean"` over the labels, weighted by the classes' weights, `"sum"`, or `"none"` for the losses
            themselves. With probabilities the mean divides by their number alone, as in PyTorch.
        weight: The weights of the classes, shape (C,).
        ignore_index: The label of elements that are left out.
        label_smoothing: The fraction of the target spread evenly over all classes (Szegedy et al., 2016).

    Returns:
        Shape (); the shape of the logits without the class axis for `"none"`.

    Raises:
        TypeError: The logits are complex, or the target is neither integers nor probabilities.
        ValueError: Shapes do not fit, a label is out of range, or the reduction is unknown.

    Source: `torch.nn.functional.cross_entropy`.
    """
    given = raw(target)
    _check_weight(weight, logits)
    if getattr(given, "shape", None) == logits.shape and given.dtype.kind == "f":
        return _soft_cross_entropy(logits, target, reduction, weight, label_smoothing)
    labels, axis, counted = _checked_labels(logits, target, ignore_index)
    if weight is None and label_smoothing == 0:
        losses = softmax_cross_entropy(logits, labels, axis=axis)
        if counted is None:
            return reduced(losses, reduction)
        return reduced(where(counted, losses, 0), reduction, divisor=counted.sum().astype(losses.dtype))
    log_probs = log_softmax(logits, axis=axis)
    losses = -_picked(log_probs, labels, axis)
    weights = _label_weights(weight, labels, counted, losses.dtype)
    if weights is not None:
        losses = losses * weights
    if label_smoothing:
        spread = -log_probs if weight is None else -log_probs * along(weight, axis, logits.ndim)
        smooth = mean(spread, axis=axis)
        smooth = smooth if counted is None else where(counted, smooth, 0)
        losses = (1 - label_smoothing) * losses + label_smoothing * smooth
    return reduced(losses, reduction, divisor=None if weights is None else sum(weights))


def _soft_cross_entropy(
    logits: Array, target: Array, reduction: Reduction, weight: Array | None, label_smoothing: float
) -> Any:
    axis = _class_axis(raw(logits))
    classes = logits.shape[axis]
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    if weight is not None:
        target = target * along(weight, axis, logits.ndim)
    losses = -sum(target * log_softmax(logits, axis=axis), axis=axis)
    return reduced(losses, reduction, divisor=max(1, raw(losses).size))


def _never(xp: Namespace, like: Array) -> Any:
    # Far below any log-probability, but finite: the difference of two infinities would be NaN.
    return xp.finfo(like.dtype).min / 4


def ctc_loss(
    log_probs: Array,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: Reduction = "mean",
) -> Any:
    """Return minus the log-probability of each label sequence, summed over its alignments.

    The loss uses the forward recursion of the paper, in logarithms, for all sequences of the batch at once.

    Args:
        log_probs: Log-probabilities, real numbers of shape (T, N, C).
        targets: Integer labels without blanks, padded, shape (N, S).
        input_lengths: The number of steps of each sequence, N integers from 1 to T.
        target_lengths: The number of labels of each sequence, N integers from 0 to S.
        blank: The label that means no label.
        reduction: `"mean"` of the losses, each divided by its target's length, `"sum"`, or `"none"`.

    Returns:
        Shape (); shape (N,) for `"none"`. For a sequence too short for its labels, the loss is a very large number,
        whereas PyTorch returns infinity.

    Raises:
        TypeError: The log-probabilities are complex.
        ValueError: Shapes do not fit, a length or a label is out of range, or the reduction is unknown.

    Source: Graves et al., 2006; `torch.nn.functional.ctc_loss`.
    """
    check_real("ctc_loss", log_probs)
    xp = backend_of(raw(log_probs)).xp
    labels, lengths, steps = (xp.asarray(raw(v)) for v in (targets, target_lengths, input_lengths))
    duration, batch, classes = log_probs.shape
    if labels.ndim != 2 or not batch == labels.shape[0] == lengths.size == steps.size:
        raise ValueError(f"`ctc_loss` needs targets of shape ({batch}, S) and {batch} lengths of each kind")
    longest = labels.shape[1]
    if not everywhere((lengths >= 0) & (lengths <= longest) & (steps > 0) & (steps <= duration)):
        raise ValueError(f"a length is outside 1..{duration} for the inputs or 0..{longest} for the targets")
    labels = xp.where(xp.arange(longest) < lengths[:, None], labels, blank)  # in place of the padding
    if not everywhere((labels >= 0) & (labels < classes)):
        raise ValueError(f"a label is outside 0..{classes - 1}, the classes of `log_probs`")
    states = xp.full((batch, 2 * longest + 1), blank, labels.dtype)  # blanks before, between and after the labels
    states[:, 1::2] = labels
    never = _never(xp, log_probs)
    rows = xp.arange(batch)[:, None]
    emitted = getitem(log_probs, (slice(None), rows, states))  # (T, N, 2S + 1)
    # A step may skip the blank between two different labels.
    skips = xp.zeros(states.shape, bool)
    skips[:, 3::2] = labels[:, 1:] != labels[:, :-1]
    first = xp.arange(states.shape[1]) < 2
    alpha = where(first, emitted[0], never)
    pad = xp.full((batch, 2), never, raw(log_probs).dtype)
    for t in range(1, log_probs.shape[0]):
        shifted = concatenate([pad, alpha], axis=1)
        paths = stack([alpha, shifted[:, 1:-1], where(skips, shifted[:, :-2], never)])
        ahead = logsumexp(paths, axis=0) + emitted[t]
        alpha = where((t < steps)[:, None], ahead, alpha)
    index = xp.arange(batch)
    last = alpha[index, 2 * lengths]
    before = where(lengths > 0, alpha[index, xp.maximum(2 * lengths - 1, 0)], never)
    losses = -logsumexp(stack([last, before]), axis=0)
    return (
        mean(losses / xp.maximum(lengths, 1).astype(losses.dtype))
        if reduction == "mean"
        else reduced(losses, reduction)
    )


def one_hot(labels: Any, num_classes: int | None = None) -> Array:
    """Return an integer array with a new last axis, with a 1 at the label; it has no derivative.

    Args:
        labels: Integers of any shape.
        num_classes: The length of the new axis, by default the largest label plus 1.

    Returns:
        Integers of shape (..., num_classes), a plain array.

    Raises:
        TypeError: The labels are not of an integer dtype.
        ValueError: A label is outside 0..num_classes - 1, or there is none to count.

    Source: `torch.nn.functional.one_hot`.
    """
    labels = raw(labels)
    xp = backend_of(labels).xp
    labels = xp.asarray(labels)
    if labels.dtype.kind not in "iu":
        raise TypeError(f"`one_hot` needs integer class labels, not `{labels.dtype}`")
    classes = int(labels.max()) + 1 if num_classes is None else num_classes
    if labels.size and (int(labels.min()) < 0 or int(labels.max()) >= classes):
        raise ValueError(f"a label is outside 0..{classes - 1}")
    return (labels[..., None] == xp.arange(classes)).astype(labels.dtype)
