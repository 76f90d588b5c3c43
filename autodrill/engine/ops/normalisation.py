"""Normalisations: subtract the mean, divide by the standard deviation, scale and shift, over different axes."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.complex_convention import check_real
from autodrill.engine.core.primitive import primitive
from autodrill.engine.ops.elementary import rsqrt
from autodrill.engine.ops.elementwise import sqrt, square
from autodrill.engine.ops.reduce import mean
from autodrill.engine.ops.shape import along, reshape

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "local_response_norm", "rms_norm", "standardize"]

Axes = tuple[int, ...]


@primitive
def standardize(xp: Namespace, x: Array, *, axes: Axes, eps: float) -> Array:
    """Return (x - mean) / √(variance + eps), with the mean and the biased variance over `axes`.

    Args:
        x: Real values of any shape.
        axes: The axes of the statistics.
        eps: Added to the variance.

    Returns:
        The shape of x.

    Raises:
        TypeError: x is complex.
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: agrees with `torch.nn.functional.layer_norm` without weights, for trailing axes.
    """
    centred = x - xp.mean(x, axis=axes, keepdims=True)
    centred *= 1 / xp.sqrt(xp.mean(centred * centred, axis=axes, keepdims=True) + eps)
    return centred


def _inverse_deviation(x: Array, axes: Axes, eps: float) -> Array:
    return rsqrt(mean(square(x - mean(x, axis=axes, keepdims=True)), axis=axes, keepdims=True) + eps)


def _standardize_differential(d: Array, x: Array, out: Array, axes: Axes, eps: float) -> Array:
    """Apply the Jacobian, which is symmetric: subtract from d its mean and its component along out, then rescale."""
    inner = mean(d * out, axis=axes, keepdims=True)
    return _inverse_deviation(x, axes, eps) * (d - mean(d, axis=axes, keepdims=True) - out * inner)


standardize.vjp(x=_standardize_differential)
standardize.jvp(lambda dx, x, out, axes, eps: _standardize_differential(d=dx, x=x, out=out, axes=axes, eps=eps))
standardize.vmap("axis")


def _scaled(x: Array, weight: Array | None, bias: Array | None, *, channels: bool = False) -> Any:
    if weight is not None:
        x = x * (along(weight, 1, x.ndim) if channels else weight)
    if bias is not None:
        x = x + (along(bias, 1, x.ndim) if channels else bias)
    return x


def layer_norm(
    x: Array, axis: int | Axes = -1, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Any:
    """Return (x - mean) / √(variance + eps) · weight + bias, with the mean and the variance over `axis`.

    Args:
        x: Real values of any shape.
        axis: The normalised axes; PyTorch's `normalized_shape` gives the lengths of trailing axes instead.
        weight: The scale, broadcast against x; by default 1.
        bias: The shift, broadcast against x; by default 0.
        eps: Added to the variance.

    Returns:
        The shape of x.

    Raises:
        TypeError: x is complex.
        ValueError: The weight or the bias does not broadcast.
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: Ba, Kiros and Hinton (2016); agrees with `torch.nn.functional.layer_norm`.
    """
    axes = axis if isinstance(axis, tuple) else (axis,)
    return _scaled(standardize(x, axes=axes, eps=eps), weight, bias)


def rms_norm(x: Array, axis: int | Axes = -1, weight: Array | None = None, eps: float = 1e-5) -> Any:
    """Return x / √(mean(x²) + eps) · weight, with the mean over `axis`.

    Args:
        x: Real values of any shape.
        axis: The axis of the mean, or several.
        weight: The scale, broadcast against x; by default 1.
        eps: Added to the mean square.

    Returns:
        The shape of x.

    Raises:
        TypeError: x is complex.
        ValueError: The weight does not broadcast.
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: Zhang and Sennrich (2019); agrees with `torch.nn.functional.rms_norm`, whose default `eps` differs.
    """
    check_real("rms_norm", x)
    return _scaled(x * rsqrt(mean(square(x), axis=axis, keepdims=True) + eps), weight, None)


def batch_norm(
    x: Array,
    running_mean: Array | None = None,
    running_var: Array | None = None,
    weight: Array | None = None,
    bias: Array | None = None,
    *,
    training: bool = False,
    eps: float = 1e-5,
) -> Any:
    """Return (x - mean) / √(variance + eps) · weight + bias, with a mean and a variance for each channel.

    Unlike PyTorch's, this function does not update the running statistics; the layer does.

    Args:
        x: Real, shape (N, C, ...).
        running_mean: Shape (C,); used unless `training`.
        running_var: Shape (C,); used unless `training`.
        weight: The scale, shape (C,); by default 1.
        bias: The shift, shape (C,); by default 0.
        training: Whether to use the batch's own statistics, and to differentiate through them.
        eps: Added to the variance.

    Returns:
        The shape of x.

    Raises:
        ValueError: Outside training a running statistic is missing, or an argument does not have C elements.
        TypeError: x is complex and `training` is set.

    Source: Ioffe and Szegedy (2015); agrees with `torch.nn.functional.batch_norm`.
    """
    if training:
        axes = tuple(k for k in range(x.ndim) if k != 1)
        return _scaled(standardize(x, axes=axes, eps=eps), weight, bias, channels=True)
    if running_mean is None or running_var is None:
        raise ValueError("outside training, batch_norm needs `running_mean` and `running_var`")
    centred = x - along(running_mean, 1, x.ndim)
    return _scaled(centred / sqrt(along(running_var, 1, x.ndim) + eps), weight, bias, channels=True)


def instance_norm(x: Array, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5) -> Any:
    """Return (x - mean) / √(variance + eps) · weight + bias, with the statistics of each channel of each example.

    Args:
        x: Real, shape (N, C, ...).
        weight: The scale, shape (C,); by default 1.
        bias: The shift, shape (C,); by default 0.
        eps: Added to the variance.

    Returns:
        The shape of x.

    Raises:
        TypeError: x is complex.
        ValueError: The weight or the bias does not have C elements.

    Source: Ulyanov, Vedaldi and Lempitsky (2016); agrees with `torch.nn.functional.instance_norm`.
    """
    return _scaled(standardize(x, axes=tuple(range(2, x.ndim)), eps=eps), weight, bias, channels=True)


def group_norm(
    x: Array, num_groups: int, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Any:
    """Return (x - mean) / √(variance + eps) · weight + bias, with the statistics of groups of channels of each example.

    Args:
        x: Real, shape (N, C, ...).
        num_groups: The number of groups of consecutive channels.
        weight: The scale, shape (C,); by default 1.
        bias: The shift, shape (C,); by default 0.
        eps: Added to the variance.

    Returns:
        The shape of x.

    Raises:
        ValueError: The number of channels is not a multiple of `num_groups`, or an argument does not have C elements.
        TypeError: x is complex.

    Source: Wu and He (2018); agrees with `torch.nn.functional.group_norm`.
    """
    if x.ndim < 2:
        raise ValueError(f"`group_norm` needs shape (N, C, ...), not {x.shape}")
    if num_groups < 1 or x.shape[1] % num_groups:
        raise ValueError(f"{x.shape[1]} channels cannot be split into {num_groups} groups of equal size")
    groups = reshape(x, (x.shape[0], num_groups, prod(x.shape[1:]) // num_groups))
    return _scaled(reshape(standardize(groups, axes=(2,), eps=eps), x.shape), weight, bias, channels=True)


def local_response_norm(x: Array, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Any:
    """Return x / (k + alpha mean(x²))^beta, with the mean over `size` nearby channels.

    Args:
        x: Real, shape (N, C, ...).
        size: The number of channels, at least 1; those outside x count as 0.
        alpha: The weight of the mean.
        beta: The exponent.
        k: The constant.

    Returns:
        The shape of x.

    Raises:
        TypeError: x is complex.
        ValueError: `size` is less than 1, or x has fewer than two axes.

    Source: Krizhevsky, Sutskever and Hinton (2012); agrees with `torch.nn.functional.local_response_norm`.
    """
    from autodrill.engine.ops.arrange import pad
    from autodrill.engine.ops.window import windows

    check_real("local_response_norm", x)
    around = pad(square(x), ((0, 0), (size // 2, (size - 1) // 2)) + ((0, 0),) * (x.ndim - 2))
    neighbours = windows(around, axes=(1,), size=(size,), stride=(1,), dilation=(1,))
    return x / (k + alpha * mean(neighbours, axis=-1)) ** beta
