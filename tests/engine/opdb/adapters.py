"""PyTorch's signatures over the engine's functions: `dim` for `axis`, negative padding, batches that may be missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import numpy as np

from autodrill import engine as e
from tests.engine.opdb.agreement import NotOfferedError

Call = Callable[..., Any]


def raw(x: Any) -> Any:
    return x.data if isinstance(x, e.Tensor) else x


def axes(x: Any, dim: Any) -> Any:
    """Return a reduction's axes as NumPy names them: no list, or an empty one, means all."""
    if dim is None or x.ndim == 0 or (isinstance(dim, (list, tuple)) and not dim):
        return None
    return tuple(dim) if isinstance(dim, (list, tuple)) else dim


def reduction(ours: Any) -> Call:
    return lambda x, dim=None, keepdim=False, *, dtype=None: ours(x, axis=axes(x, dim), keepdims=keepdim)


def along(ours: Any, default: Any = None) -> Call:
    """An operation along one axis, of which a number has none."""

    def call(x: Any, dim: Any = default, **more: Any) -> Any:
        more.pop("dtype", None)
        if x.ndim == 0:
            return e.reshape(ours(e.reshape(x, 1), axis=0, **more), ())
        return ours(x, axis=dim, **more)

    return call


def spread(ours: Any) -> Call:
    """A variance or standard deviation: `correction`, or whether it is 1, which comes as `dim` as well."""

    def call(x: Any, dim: Any = None, *, unbiased: bool = True, correction: Any = None, keepdim: bool = False) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        ddof = int(unbiased) if correction is None else correction
        return ours(x, axis=axes(x, dim), ddof=ddof, keepdims=keepdim)

    return call


def one_by_one(ours: Any, dims: int) -> Call:
    """An operation on (N, C, ...) with `dims` spatial axes, to which PyTorch gives (C, ...) too."""

    def call(x: Any, *args: Any, **more: Any) -> Any:
        return ours(x, *args, **more) if x.ndim == dims + 2 else ours(x[None], *args, **more)[0]

    return call


def lengths(value: Any) -> Any:
    return tuple(value) if isinstance(value, (list, tuple)) else value


# Families


def convolution(ours: Any, dims: int) -> Call:
    def call(x: Any, weight: Any, bias: Any = None, **more: Any) -> Any:
        return ours(x, weight, bias, **{k: lengths(v) for k, v in more.items()})

    return one_by_one(call, dims)


def max_pool(ours: Any, dims: int) -> Call:
    def call(
        x: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        del return_indices
        return ours(x, *map(lengths, (kernel_size, stride or None, padding, dilation)), ceil_mode)

    return one_by_one(call, dims)


def avg_pool(ours: Any, dims: int) -> Call:
    def call(
        x: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> Any:
        more = {"ceil_mode": ceil_mode, "divisor_override": divisor_override}
        return ours(x, *map(lengths, (kernel_size, stride or None, padding)), count_include_pad, **more)

    return one_by_one(call, dims)


def adaptive(ours: Any, dims: int) -> Call:
    def call(x: Any, output_size: Any, return_indices: bool = False) -> Any:
        del return_indices
        sizes = output_size if isinstance(output_size, (list, tuple)) else (output_size,) * dims
        kept = x.shape[-dims:] if len(sizes) == dims else ()
        return ours(x, tuple(n if size is None else size for size, n in zip(sizes, kept, strict=True)))

    return one_by_one(call, dims)


def resized(
    x: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: Any = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
) -> Any:
    if size is None and recompute_scale_factor:
        factors = scale_factor if isinstance(scale_factor, (list, tuple)) else (scale_factor,) * (x.ndim - 2)
        size, scale_factor = [int(n * f) for n, f in zip(x.shape[2:], factors, strict=True)], None
    return e.interpolate(x, lengths(size), mode, bool(align_corners), scale_factor=lengths(scale_factor))


def padded(x: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    """PyTorch names the last axis first, and cuts where the width is negative."""
    pairs = list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    pairs = [(0, 0)] * (x.ndim - len(pairs)) + pairs
    if mode == "circular":  # the one that cuts first
        x = x[tuple(slice(max(0, -low), n - max(0, -high)) for (low, high), n in zip(pairs, x.shape, strict=True))]
        pairs = [(max(0, low), max(0, high)) for low, high in pairs]
    widths = [(max(0, a), max(0, b)) for a, b in pairs]
    if mode == "constant":
        wide = e.pad(x, widths, constant_values=value or 0)
    else:
        named: Any = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
        wide = e.pad(x, widths, mode=named[mode])
    return wide[tuple(slice(max(0, -a), n - max(0, -b)) for (a, b), n in zip(pairs, wide.shape, strict=True))]


def normed(x: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """`torch.norm`: of all elements as of one vector, unless it is the nuclear norm."""
    del dtype
    if p == "nuc":
        return e.norm(x, "nuc", tuple(dim) if dim else (0, 1), keepdim)
    return e.vector_norm(x, 2 if p in ("fro", None) else p, axes(x, dim), keepdim)


def linalg_norm(x: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    del dtype
    return e.norm(x, ord, axes(x, dim), keepdim)


def joined(arrays: Sequence[Any], dim: int = 0) -> Any:
    """PyTorch lets an empty vector stand for an empty array of any shape."""
    ndim = max(a.ndim for a in arrays)
    return e.concatenate([a for a in arrays if a.ndim == ndim], axis=dim)


def cut(x: Any, size: Any, dim: int = 0) -> Any:
    """`torch.split`: pieces of one size, or of the sizes given."""
    sizes = size if isinstance(size, (list, tuple)) else [size] * (x.shape[dim] // size)
    return e.split(x, [int(n) for n in np.cumsum(sizes)][: len(sizes) - (sum(sizes) == x.shape[dim])], dim)


def chunked(x: Any, chunks: int, dim: int = 0) -> Any:
    return cut(x, -(-x.shape[dim] // chunks), dim)


def split_at(x: Any, sections: Any, dim: int = 0) -> Any:
    """`torch.tensor_split`: where they are not equal, the first parts are the longer ones."""
    if np.ndim(sections) or isinstance(sections, (list, tuple)):
        return e.split(x, [int(k) for k in sections], dim)
    size, more = divmod(x.shape[dim], int(sections))
    return e.split(x, [int(k) for k in np.cumsum([size + (k < more) for k in range(int(sections))])[:-1]], dim)


def clamped(x: Any, min: Any = None, max: Any = None) -> Any:
    x = x if min is None else e.maximum(x, min)
    return x if max is None else e.minimum(x, max)


def diagonal_places(x: Any, offset: int, dim1: int, dim2: int) -> Any:
    places = np.moveaxis(np.arange(x.size).reshape(x.shape), (dim1, dim2), (-2, -1))
    return np.unravel_index(np.diagonal(places, offset, -2, -1), x.shape)


def chosen(x: Any, r: int = 2, with_replacement: bool = False) -> Any:
    pick = combinations_with_replacement if with_replacement else combinations
    places = np.array(list(pick(range(x.shape[0]), r)), dtype=int).reshape(-1, r)
    return e.take(x, places, 0)


def grid(arrays: Sequence[Any]) -> Any:
    vectors = [e.reshape(a, -1) for a in arrays]
    places = np.array(list(product(*(range(v.shape[0]) for v in vectors))))
    return e.stack([e.take(v, places[:, k], 0) for k, v in enumerate(vectors)], -1)


def ordered(x: Any, dim: int = -1, descending: bool = False, stable: Any = None) -> Any:
    """Return the sorted values, without their indices: they are integers."""
    del stable
    if x.ndim == 0:
        return e.reshape(x, ())
    return -e.sort(-x, dim) if descending else e.sort(x, dim)


def extreme_with_index(largest: bool) -> Call:
    """`torch.max(x, dim)`: of equal ones the first alone gets the gradient, not each its share."""

    def call(x: Any, dim: int, keepdim: bool = False) -> Any:
        if x.ndim == 0:
            return e.reshape(x, ())
        place = np.expand_dims((e.argmax if largest else e.argmin)(x, dim), dim)
        found = e.take_along_axis(x, place, dim)
        return found if keepdim else e.squeeze(found, axis=dim)

    return call


def middle(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """`torch.median`: the lower of two in the middle."""
    if dim is None:
        return e.kthvalue(e.reshape(x, -1), (x.size + 1) // 2)
    return kth(x, 1 if x.ndim == 0 else (x.shape[dim] + 1) // 2, dim, keepdim)


def kth(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    if x.ndim == 0:
        return e.reshape(x, ())
    found = e.kthvalue(x, k, dim)
    return e.expand_dims(found, dim) if keepdim else found


def top(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    del sorted
    return e.reshape(x, ()) if x.ndim == 0 else e.topk(x, k, dim, largest)[0]


def quantile(ours: Any) -> Call:
    def call(x: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Any:
        return ours(x, q, axes(x, dim), keepdim, method=interpolation)

    return call


def triangle(x: Any, upper: bool) -> Any:
    return e.swapaxes(x, -1, -2) if upper else x


def normalized(x: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    return e.layer_norm(x, tuple(range(-len(normalized_shape), 0)), weight, bias, eps)


def squeezed(x: Any, dim: Any = None) -> Any:
    """PyTorch leaves an axis that is longer than 1."""
    if dim is None:
        return e.squeeze(x)
    dims = {d % max(x.ndim, 1) for d in (dim if isinstance(dim, (list, tuple)) else (dim,))}
    return e.reshape(x, tuple(n for k, n in enumerate(x.shape) if k not in dims or n != 1))


def rows_and_columns(x: Any, dim0: int, dim1: int) -> Any:
    return e.swapaxes(x, dim0, dim1) if x.ndim else e.reshape(x, ())


def expanded(x: Any, *sizes: Any) -> Any:
    shape = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (list, tuple)) else sizes
    own = (1,) * (len(shape) - x.ndim) + tuple(x.shape)
    return e.broadcast_to(x, tuple(m if n == -1 else n for n, m in zip(shape, own, strict=True)))


def tiled(x: Any, *reps: Any) -> Any:
    counts = reps[0] if len(reps) == 1 and isinstance(reps[0], (list, tuple)) else reps
    return e.tile(x, tuple(counts))


def unflattened(x: Any, dim: int, sizes: Sequence[int]) -> Any:
    dim %= x.ndim
    return e.reshape(x, (*x.shape[:dim], *sizes, *x.shape[dim + 1 :]))


def prelu(x: Any, weight: Any) -> Any:
    return e.prelu(x, weight) if x.ndim else e.prelu(e.reshape(x, 1), e.reshape(weight, -1))[0]


def softplus(x: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """PyTorch's is x itself above a threshold, where the formula differs by less than a rounding at the default."""
    return e.where(raw(x) * beta > threshold, x, e.softplus(x, beta=beta))


def attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Any = None,
    enable_gqa: bool = False,
) -> Any:
    if dropout_p:
        raise NotOfferedError("random")
    if enable_gqa:
        raise NotOfferedError("grouped queries")
    return e.scaled_dot_product_attention(query, key, value, attn_mask, is_causal=is_causal, scale=scale)


def dropped(x: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    del inplace
    if training and 0 < p < 1:
        raise NotOfferedError("random")
    return e.dropout(x, p, training, rng=np.random.default_rng(0))


def batch_normed(
    x: Any,
    mean: Any,
    var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    del momentum
    if x.ndim < 2:
        raise NotOfferedError("an input without channels")
    return e.batch_norm(x, mean, var, weight, bias, training=training, eps=eps)


def instance_normed(
    x: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    del running_mean, running_var, momentum
    if not use_input_stats:
        raise NotOfferedError("running statistics")
    return e.instance_norm(x, weight, bias, eps)


def embedded(
    weight: Any,
    index: Any,
    padding_idx: Any = None,
    max_norm: Any = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    del norm_type
    if max_norm is not None or scale_grad_by_freq:
        raise NotOfferedError("a largest norm, or gradients scaled by frequency")
    return e.embedding(index, weight, padding_idx, sparse=sparse)


def classes(ours: Any) -> Call:
    """A loss of labels, or of probabilities."""

    def call(
        x: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: Any = "mean", **more: Any
    ) -> Any:
        return ours(x, target, reduction, weight=weight, ignore_index=ignore_index, **more)

    return call


def ctc(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: Any = "mean",
    zero_infinity: bool = False,
) -> Any:
    if zero_infinity:
        raise NotOfferedError("zeros in place of infinite losses")
    if np.ndim(targets) == 1:
        raise NotOfferedError("targets joined in one vector")
    return e.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction)


def masked(ours: Any, identity: float) -> Call:
    """A reduction over the elements at which a mask holds, the others replaced by its identity."""

    def call(x: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
        del dtype
        x = x if mask is None else e.where(mask, x, identity)
        return ours(x, axis=axes(x, dim), keepdims=keepdim)

    return call


def masked_mean(x: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    del dtype
    held = np.ones(x.shape) if mask is None else np.broadcast_to(mask, x.shape) * 1.0
    total = e.sum(x if mask is None else e.where(mask, x, 0), axis=axes(x, dim), keepdims=keepdim)
    return total / held.sum(axis=axes(x, dim), keepdims=keepdim)


def masked_along(ours: Any, identity: float) -> Call:
    def call(x: Any, dim: int, dtype: Any = None, mask: Any = None) -> Any:
        del dtype
        x = x if mask is None else e.where(mask, x, identity)
        return along(ours)(x, dim)

    return call


def put(x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    flat, places = e.reshape(x, -1), index.reshape(-1)
    source = e.reshape(source, -1)
    return e.reshape((e.index_add if accumulate else e.index_put)(flat, places, source), x.shape)


def vector(x: Any) -> Any:
    return e.reshape(x, 1) if x.ndim == 0 else x


def index_dim(ours: Any) -> Call:
    """An operation along one axis of a number, which PyTorch takes for a vector of one element."""

    def call(x: Any, dim: int, index: Any, *source: Any, **more: Any) -> Any:
        if np.ndim(index) > max(x.ndim, 1):
            raise NotOfferedError("an empty index of more axes")
        if x.ndim:
            return ours(x, dim, index, *source, **more)
        wide = [vector(s) if hasattr(s, "ndim") else s for s in source]
        found = ours(vector(x), 0, np.reshape(index, -1), *wide, **more)
        return e.reshape(found, np.shape(index) if ours is e.gather else ())

    return call


def added_at(x: Any, dim: int, index: Any, source: Any, *, alpha: float = 1) -> Any:
    return e.index_add(x, (*(slice(None),) * (dim % x.ndim), index), alpha * source)


def scattered(x: Any, axis: int, index: Any, source: Any) -> Any:
    if not hasattr(source, "ndim"):
        source = np.full(np.shape(index), source)
    return e.scatter(x, axis, index, source[tuple(slice(n) for n in index.shape)])


def scatter_added(x: Any, axis: int, index: Any, source: Any) -> Any:
    return e.scatter_add(x, axis, index, source[tuple(slice(n) for n in index.shape)])


def by_places(x: Any, index: Any, values: Any, accumulate: bool = False) -> Any:
    return (e.index_add if accumulate else e.index_put)(x, tuple(index), values)


def slid(x: Any, dimension: int, size: int, step: int) -> Any:
    if x.ndim == 0:
        return e.reshape(x, 1)[:size]
    return e.windows(x, axes=(dimension % x.ndim,), size=(size,), stride=(step,), dilation=(1,))


def differences(x: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    parts = [v for v in (prepend, x, append) if v is not None] if n else [x]
    return e.diff(e.concatenate(parts, dim) if len(parts) > 1 else x, n, dim)


def contracted(x: Any, y: Any, *, dims: Any = 2) -> Any:
    if not isinstance(dims, int) and any(x.shape[j] != y.shape[k] for j, k in zip(*dims, strict=True)):
        raise NotOfferedError("an axis of length 1 that stands for a longer one")
    return e.tensordot(x, y, dims if isinstance(dims, int) else tuple(dims))


def crossed(x: Any, y: Any, dim: Any = None) -> Any:
    return e.cross(x, y, next(k for k, n in enumerate(x.shape) if n == 3) if dim is None else dim)


def repeated(x: Any, repeats: Any, dim: Any = None, *, output_size: Any = None) -> Any:
    del output_size
    return e.repeat(x, repeats if isinstance(repeats, int) else tuple(repeats.tolist()), dim)


def solved(a: Any, b: Any, *, left: bool = True) -> Any:
    """PyTorch takes b for a batch of vectors where it has one axis less than a and its shape otherwise."""
    if not left:
        raise NotOfferedError("from the right")
    if b.ndim == 1 or (b.ndim == a.ndim - 1 and tuple(b.shape) == tuple(a.shape[:-1])):
        return e.solve(a, e.expand_dims(b, -1))[..., 0]
    return e.solve(a, b)


def solved_by_triangle(a: Any, b: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    if left:
        return e.solve_triangular(a, b, lower=not upper, unit_diagonal=unitriangular)
    found = e.solve_triangular(e.swapaxes(a, -1, -2), e.swapaxes(b, -1, -2), lower=upper, unit_diagonal=unitriangular)
    return e.swapaxes(found, -1, -2)


def from_cholesky(factor: Any, upper: bool) -> Any:
    """Return the matrix that a Cholesky factor is of."""
    lower = triangle(factor, upper)
    return e.matmul(lower, e.swapaxes(lower, -1, -2))


def pseudo_inverse(x: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    del hermitian
    if atol is not None or rtol is not None:
        raise NotOfferedError("a tolerance")
    return e.pinv(x)


def at(x: Any, dim: int, place: Any) -> Any:
    """Return the index of a place, or of several, along one axis."""
    return (*(slice(None),) * (dim % max(x.ndim, 1)), place)


def at_least(ndim: int) -> Call:
    def one(x: Any) -> Any:
        shape = tuple(x.shape)
        if len(shape) >= ndim:
            return x
        if ndim == 3:
            return e.reshape(x, (1, -1, 1) if len(shape) < 2 else (*shape, 1))
        return e.reshape(x, (1,) * (ndim - len(shape)) + shape)

    def call(*arrays: Any) -> Any:
        arrays = tuple(arrays[0]) if isinstance(arrays[0], (list, tuple)) else arrays
        return [one(x) for x in arrays]

    return call


def masked_scattered(x: Any, mask: Any, source: Any) -> Any:
    """Write the first elements of `source`, in its order, where the mask holds."""
    shape = np.broadcast_shapes(x.shape, mask.shape)
    places = np.broadcast_to(mask, shape)
    return e.index_put(e.broadcast_to(x, shape), places, e.reshape(source, -1)[: int(places.sum())])


def mean_beside(x: Any, dim: Any = None, *, keepdim: bool = False, **rest: Any) -> Any:
    """Return the mean that comes with a variance."""
    del rest
    return e.mean(x, axis=None if isinstance(dim, bool) else axes(x, dim), keepdims=keepdim)


def renormed(x: Any, p: float, dim: int, maxnorm: float) -> Any:
    """Scale down the slices along `dim` whose norm is above `maxnorm`."""
    others = tuple(k for k in range(x.ndim) if k != dim % x.ndim)
    norm = e.vector_norm(x, p, others, keepdims=True)
    return x * e.where(raw(norm) > maxnorm, maxnorm / (norm + 1e-7), 1)


def vector_normed(x: Any, ord: float = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    del dtype
    return e.vector_norm(x, ord, axes(x, dim), keepdim)


def slopes(x: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> Any:
    """`torch.gradient` has a spacing, or coordinates, for each axis."""
    chosen = range(x.ndim) if dim is None else dim if isinstance(dim, (list, tuple)) else [dim]
    steps = spacing if isinstance(spacing, (list, tuple)) else [1 if spacing is None else spacing] * len(list(chosen))
    return [e.gradient(x, h, axis, edge_order) for axis, h in zip(chosen, steps, strict=True)]


def integral(ours: Any) -> Call:
    def call(y: Any, x: Any = None, *, dim: int = -1, dx: float = 1.0) -> Any:
        return ours(y, x, dx, dim)

    return call


def without_signs(values: Any, vectors: Any) -> Any:
    """Return what of eigenvectors does not depend on their signs, as PyTorch's samples do."""
    return values, e.absolute(vectors)


def singular(x: Any, some: bool = True, full_matrices: bool = False) -> Any:
    """Return the thin decomposition, without signs; of full matrices, only these columns are compared."""
    del some, full_matrices
    u, s, vt = e.svd(x)
    return e.absolute(u), s, e.absolute(vt)


def cosine(x: Any, y: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    if x.ndim == 0 and y.ndim == 0:
        return e.cosine_similarity(vector(x), vector(y), 0, eps)
    return e.cosine_similarity(x, y, dim, eps)


def native_normalized(x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    """Return the normalised values, their means and the inverse deviations."""
    over = tuple(range(-len(shape), 0))
    mean = e.mean(x, axis=over, keepdims=True)
    return normalized(x, shape, weight, bias, eps), mean, e.rsqrt(e.var(x, axis=over, keepdims=True) + eps)
