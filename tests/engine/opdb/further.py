"""PyTorch's signatures of factors, sampling, unpooling, scattered reductions, casts and its own backward operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodrill import engine as e
from tests.engine.opdb import networks
from tests.engine.opdb.agreement import NotOfferedError
from tests.engine.opdb.common import Call, axes, lengths, raw

GRID_MODES = ("bilinear", "nearest", "bicubic")
GRID_PADDING = ("zeros", "border", "reflection")


# Casts


def cast(dtype: Any) -> Call:
    return lambda x, **_: e.astype(x, dtype)


def converted(x: Any, *args: Any, **more: Any) -> Any:
    """`torch.Tensor.to`: a dtype, a device and a dtype, or another tensor."""
    for value in (*args, *more.values()):
        dtype = value.dtype if hasattr(value, "shape") else value
        name = str(dtype).removeprefix("torch.")
        if name in {"bfloat16", "complex32"}:
            raise NotOfferedError("a dtype that NumPy does not have")
        if name.startswith(("float", "complex")):
            return e.astype(x, name)
    return e.clone(x)


# LU


def rows_of(pivots: Any, count: int) -> Any:
    """Return the order of rows to which LAPACK's exchanges lead."""
    rows = np.broadcast_to(np.arange(count), (*pivots.shape[:-1], count)).copy()
    for batch in np.ndindex(pivots.shape[:-1]):
        for k, pivot in enumerate(pivots[batch]):
            rows[(*batch, [k, pivot - 1])] = rows[(*batch, [pivot - 1, k])]
    return rows


def decomposed(x: Any, *, pivot: bool = True) -> Any:
    if not pivot:
        raise NotOfferedError("without pivots")
    return e.lu(x)[1:]


def packed(x: Any, pivot: bool = True, *_: Any, **__: Any) -> Any:
    if not pivot:
        raise NotOfferedError("without pivots")
    return e.lu_factor(x)[0]


def unpacked(x: Any, pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    if not (unpack_data and unpack_pivots):
        raise NotOfferedError("some of the factors")
    return e.lu_unpack(x, rows_of(pivots, x.shape[-2]))[1:]


def solved_by_lu(x: Any, pivots: Any, b: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    if adjoint or not left:
        raise NotOfferedError("the adjoint, or from the right")
    if x.ndim != b.ndim or x.shape[:-2] != b.shape[:-2]:
        raise NotOfferedError("batches that broadcast")
    return e.lu_solve(x, rows_of(pivots, x.shape[-1]), b)


def solved_by_triangle(b: Any, a: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:
    triangle = e.swapaxes(a, -1, -2) if transpose else a
    found = e.solve_triangular(triangle, b, lower=upper == transpose, unit_diagonal=unitriangular)
    return found, e.clone(a)


# Networks


def unpooled(dims: int) -> Call:
    ours = getattr(e, f"max_unpool{dims}d")

    def call(
        x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
    ) -> Any:
        single = x.ndim == dims + 1
        x, indices = (x[None], indices[None]) if single else (x, indices)
        size = None if output_size is None else tuple(output_size[-dims:])
        found = ours(x, indices, *map(lengths, (kernel_size, stride or None, padding)), output_size=size)
        return found[0] if single else found

    return call


def sampled(x: Any, grid: Any, mode: Any = "bilinear", padding_mode: Any = "zeros", align_corners: Any = None) -> Any:
    """The private operations number the modes."""
    mode = GRID_MODES[mode] if isinstance(mode, int) else mode
    padding_mode = GRID_PADDING[padding_mode] if isinstance(padding_mode, int) else padding_mode
    return e.grid_sample(x, grid, mode, padding_mode, bool(align_corners))


def of_classes(ours: Any) -> Call:
    """PyTorch takes a number for an array of one class. Without a batch, it takes one label for one example."""

    def call(x: Any, target: Any, **more: Any) -> Any:
        x = e.atleast_1d(x)
        one_label = ours is e.multi_margin_loss and x.ndim == 1
        return ours(x, target.reshape(()) if one_label else np.atleast_1d(target), **more)

    return call


def triplet(anchor: Any, positive: Any, negative: Any, *, distance_function: Any = None, **more: Any) -> Any:
    """The samples give the default as a module: a distance of two arrays of the engine takes its place."""
    if distance_function is not None and type(distance_function).__name__ != "PairwiseDistance":
        raise NotOfferedError("a distance between PyTorch's tensors")
    return e.triplet_margin_with_distance_loss(anchor, positive, negative, **more)


def bags(
    weight: Any,
    indices: Any,
    offsets: Any = None,
    *,
    mode: Any = "mean",
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: Any = None,
    max_norm: Any = None,
    **_: Any,
) -> Any:
    if padding_idx is not None or max_norm is not None:
        raise NotOfferedError("padding, or a largest norm")
    if offsets is None:
        if per_sample_weights is not None:
            raise NotOfferedError("weights of rows")
        return e.embedding_bag(indices, weight, mode)
    starts = [int(k) for k in offsets]
    ends = starts[1:] + ([] if include_last_offset else [len(indices)])
    results = []
    for start, end in zip(starts, ends, strict=False):
        if start == end:
            results.append(e.sum(weight, axis=0) * 0)
            continue
        rows = e.embedding(indices[start:end], weight)
        if per_sample_weights is not None:
            rows = rows * e.unsqueeze(per_sample_weights[start:end], -1)
        results.append(extreme_row(rows) if mode == "max" else {"sum": e.sum, "mean": e.mean}[mode](rows, axis=0))
    return e.stack(results)


def extreme_row(rows: Any) -> Any:
    return e.max(rows, axis=0)


def batch_normed(
    x: Any, weight: Any, bias: Any, mean: Any, var: Any, training: bool, momentum: float, eps: float
) -> Any:
    """Return the normalised values, and the means and inverse deviations of the batch."""
    del momentum
    if x.ndim < 2:
        raise NotOfferedError("an input without channels")
    value = e.batch_norm(x, mean, var, weight, bias, training=training, eps=eps)
    over = (0, *range(2, x.ndim))
    if not training:
        return value, np.zeros(0), np.zeros(0)
    # PyTorch does not differentiate what it keeps for backward.
    return value, raw(e.mean(x, axis=over)), raw(e.rsqrt(e.var(x, axis=over) + eps))


def batch_normed_legit(x: Any, weight: Any, bias: Any, *rest: Any) -> Any:
    mean, var, training, momentum, eps = rest if len(rest) == 5 else (None, None, *rest)
    return batch_normed(x, weight, bias, mean, var, training, momentum, eps)


def group_normed(x: Any, weight: Any, bias: Any, n: int, channels: int, inner: int, groups: int, eps: float) -> Any:
    rows = e.reshape(x, (n, groups, channels // groups * inner))
    deviation = e.rsqrt(e.var(rows, axis=-1) + eps)
    if x.ndim < 3:
        value = e.group_norm(e.unsqueeze(x, -1), groups, weight, bias, eps)[..., 0]
    else:
        value = e.group_norm(x, groups, weight, bias, eps)
    return value, e.mean(rows, axis=-1), deviation


def classified(x: Any, matrix: Any, target: Any, *, linear_bias: Any = None, options: Any = None, **more: Any) -> Any:
    """The cross-entropy of a linear layer. PyTorch also takes weights with one matrix for each position."""
    if options is not None:
        raise NotOfferedError("in chunks, to save memory")
    if matrix.ndim > 2:
        raise NotOfferedError("a matrix for each position")
    return networks.classes(e.cross_entropy)(e.linear(x, matrix, linear_bias), target, **more)


def safe_softmax(x: Any, dim: int, dtype: Any = None) -> Any:
    """The softmax, but 0 where all scores are minus infinity."""
    del dtype
    if x.ndim == 0:
        return e.softmax(e.reshape(x, 1))[0]
    hidden = (raw(x) == -np.inf).all(axis=dim, keepdims=True)
    return e.where(hidden, 0, e.softmax(e.where(hidden, 0, x), axis=dim))


def softmax_backward(g: Any, out: Any, dim: int, _: Any = None) -> Any:
    return out * (g - e.sum(g * out, axis=dim, keepdims=True))


# Spectra


def framed(
    x: Any,
    n_fft: int,
    hop_length: Any = None,
    win_length: Any = None,
    window: Any = None,
    center: bool = True,
    pad_mode: Any = "reflect",
    normalized: bool = False,
    onesided: Any = None,
    return_complex: Any = None,
) -> Any:
    """`torch.stft`, of which the frames are windows of the padded signal."""
    width, step = win_length or n_fft, hop_length or n_fft // 4
    if center:
        x = e.pad(x, [(0, 0)] * (x.ndim - 1) + [(n_fft // 2, n_fft // 2)], mode=pad_mode)
    frames = e.windows(x, axes=(x.ndim - 1,), size=(n_fft,), stride=(step,), dilation=(1,))
    weights = np.ones(width) if window is None else window
    left = (n_fft - width) // 2
    weights = e.pad(weights, [(left, n_fft - width - left)])
    transform = e.fft if onesided is False else e.rfft
    found = e.swapaxes(transform(frames * weights, norm="ortho" if normalized else None), -1, -2)
    return found if return_complex else e.view_as_real(found)


# Reductions


def without_method(x: Any, q: Any, axis: Any, keepdims: bool, method: str) -> Any:
    if method != "linear":
        raise NotOfferedError("a choice of one of two elements")
    return e.nanquantile(x, q, axis, keepdims)


def nan_middle(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """`torch.nanmedian`: the lower of two in the middle."""
    if dim is None or x.ndim == 0:
        x, dim, keepdim = e.reshape(x, -1), 0, False
    along = dim
    kept = raw(x) == raw(x)
    place = np.maximum(kept.sum(axis=along, keepdims=True) - 1, 0) // 2
    found = e.take_along_axis(e.sort(x, along), place, along)
    return found if keepdim else e.squeeze(found, axis=along)


def masked_middle(x: Any, dim: int, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    del dtype
    if x.ndim == 0:
        raise NotOfferedError("a number")
    return nan_middle(x if mask is None else e.where(mask, x, np.nan), dim, keepdim)


def masked_norm(
    x: Any, ord: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
) -> Any:
    del dtype
    identity = np.inf if ord == -np.inf else 0
    if ord is not None and ord < 0 and mask is not None and identity == 0:
        raise NotOfferedError("a negative order")
    return e.vector_norm(x if mask is None else e.where(mask, x, identity), ord, axes(x, dim), keepdim)


def masked_normalized(x: Any, ord: Any, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None) -> Any:
    del dtype
    if x.ndim == 0:
        raise NotOfferedError("a number")
    known = x if mask is None else e.where(mask, x, 0)
    return e.normalize(known, ord, dim, eps) if mask is None else x / denominator(known, ord, dim, eps)


def denominator(x: Any, ord: Any, dim: int, eps: float) -> Any:
    return e.maximum(e.vector_norm(x, ord, dim, keepdims=True), eps)


def masked_spread(ours: Any) -> Call:
    def call(
        x: Any,
        dim: Any = None,
        unbiased: Any = None,
        *,
        correction: Any = None,
        keepdim: bool = False,
        dtype: Any = None,
        mask: Any = None,
    ) -> Any:
        del dtype
        if unbiased is None and correction is None:
            unbiased = True
        ddof = int(bool(unbiased)) if correction is None else correction
        held = np.ones(x.shape, bool) if mask is None else np.broadcast_to(mask, x.shape)
        over = axes(x, dim)
        count = held.sum(axis=over, keepdims=True)
        mean = e.sum(e.where(held, x, 0), axis=over, keepdims=True) / count
        squares = e.sum(e.where(held, e.square(x - mean), 0), axis=over, keepdims=keepdim)
        divisor = np.maximum(count.reshape(squares.shape) - ddof, 0)
        found = squares / divisor
        return e.sqrt(found) if ours == "std" else found

    return call


def masked_logaddexp(x: Any, y: Any, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None) -> Any:
    del dtype
    x = x if input_mask is None else e.where(input_mask, x, -np.inf)
    y = y if other_mask is None else e.where(other_mask, y, -np.inf)
    return e.logaddexp(x, y)


# Elements


def filled(x: Any, value: Any) -> Any:
    return e.broadcast_to(e.astype(np.asarray(value) if not hasattr(value, "dtype") else value, x.dtype), x.shape)


def mantissa(x: Any) -> Any:
    """Return the mantissa, for which the power of two is a constant."""
    exponent = np.frexp(raw(x))[1]
    return x * 2.0 ** (-exponent.astype(float))


def by_masked_index(x: Any, mask: Any, indices: Any, fill: float) -> Any:
    places = tuple(np.clip(k, 0, n - 1) for k, n in zip(indices, x.shape, strict=False))
    return e.where(mask, e.getitem(x, places), fill)


def accumulated(x: Any, mask: Any, indices: Any, values: Any) -> Any:
    places = tuple(np.clip(k, 0, n - 1) for k, n in zip(indices, x.shape, strict=False))
    return e.index_add(x, places, e.where(mask, values, 0))
