"""PyTorch's signatures of a network's operations, to most of which it gives one example as well as a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodrill import engine as e
from tests.engine.opdb.agreement import NotOfferedError
from tests.engine.opdb.common import Call, lengths, raw, vector


def one_by_one(ours: Any, dims: int) -> Call:
    """An operation on (N, C, ...) with `dims` spatial axes, to which PyTorch gives (C, ...) too."""

    def call(x: Any, *args: Any, **more: Any) -> Any:
        return ours(x, *args, **more) if x.ndim == dims + 2 else ours(x[None], *args, **more)[0]

    return call


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


def normalized(x: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    return e.layer_norm(x, tuple(range(-len(normalized_shape), 0)), weight, bias, eps)


def native_normalized(x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    """Return the normalised values, their means and the inverse deviations."""
    over = tuple(range(-len(shape), 0))
    mean = e.mean(x, axis=over, keepdims=True)
    return normalized(x, shape, weight, bias, eps), mean, e.rsqrt(e.var(x, axis=over, keepdims=True) + eps)


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


def cosine(x: Any, y: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    if x.ndim == 0 and y.ndim == 0:
        return e.cosine_similarity(vector(x), vector(y), 0, eps)
    return e.cosine_similarity(x, y, dim, eps)


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
