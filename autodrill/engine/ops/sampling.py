"""Reading images at places between their pixels, as a spatial transformer does (Jaderberg et al., 2015)."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Literal, get_args

from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.complex_convention import check_real
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.elementwise import where
from autodrill.engine.ops.index import getitem
from autodrill.engine.ops.parts import absolute
from autodrill.engine.ops.shape import expand_dims, moveaxis

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array

__all__ = ["grid_sample"]

Mode = Literal["bilinear", "nearest", "bicubic"]
Padding = Literal["zeros", "border", "reflection"]

_CUBIC = -0.75  # the slope of Keys's kernel (1981) at 1, as in `interpolate`


def _reflected(place: Array, length: int, align_corners: bool) -> Any:
    """Return places mirrored at the ends until they are inside: a triangle wave."""
    low, span = (0.0, length - 1.0) if align_corners else (-0.5, float(length))
    if span == 0:
        return place * 0
    distance = absolute(place - low)
    turns = backend_of(raw(distance)).xp.floor(raw(distance) / span)
    rest = distance - turns * span
    return where(turns % 2 == 0, rest + low, span - rest + low)


def _clipped(place: Array, length: int) -> Any:
    at = raw(place)
    # As in PyTorch, no gradient passes at the ends themselves.
    return where(at <= 0, 0, where(at >= length - 1, length - 1, place))


def _inside(place: Array, length: int, padding: str, align_corners: bool) -> Any:
    if padding == "zeros":
        return place
    return _clipped(_reflected(place, length, align_corners) if padding == "reflection" else place, length)


def _cubic(distance: Array) -> Any:
    """Return Keys's kernel at a distance in [0, 2]."""
    d, a = distance, _CUBIC
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return where(raw(d) <= 1, near, far)


def grid_sample(
    x: Array,
    grid: Array,
    mode: Mode = "bilinear",
    padding_mode: Padding = "zeros",
    align_corners: bool = False,
) -> Any:
    """Return x at the places of a grid, differentiable with respect to both.

    Args:
        x: Real or complex numbers, shape (N, C, H, W) or (N, C, D, H, W).
        grid: Shape (N, ..., 2) or (N, ..., 3): coordinates in [-1, 1], that of the last axis of x first.
        mode: `"bilinear"` (trilinear for three axes), `"nearest"`, or, for two axes, `"bicubic"`.
        padding_mode: What lies beyond x: `"zeros"`; `"border"`, the nearest element of x; `"reflection"`, x mirrored.
        align_corners: Whether -1 and 1 are the centres of the outermost elements, instead of their outer edges.

    Returns:
        Shape (N, C, ...), with the axes of the grid between the first and the last.

    Raises:
        TypeError: The grid is complex.
        ValueError: A mode is unknown, or the shapes do not fit.

    Source: Jaderberg et al., 2015; the bicubic kernel of Keys, 1981; `torch.nn.functional.grid_sample`.
    """
    check_real("grid_sample", grid)
    dims = x.ndim - 2
    if mode not in get_args(Mode) or padding_mode not in get_args(Padding):
        raise ValueError(f"`grid_sample` has no mode `{mode}` with padding `{padding_mode}`")
    if dims not in {2, 3} or grid.ndim != x.ndim or grid.shape[-1] != dims or grid.shape[0] != x.shape[0]:
        raise ValueError(f"a grid of shape {grid.shape} does not fit an input of shape {x.shape}")
    if mode == "bicubic" and dims != 2:
        raise ValueError("mode `bicubic` needs an input of two spatial axes")
    xp = backend_of(raw(grid)).xp
    places = []
    for k, length in enumerate(x.shape[2:]):
        at = grid[..., dims - 1 - k]
        place = (at + 1) * ((length - 1) / 2) if align_corners else ((at + 1) * length - 1) / 2
        places.append(place if mode == "bicubic" else _inside(place, length, padding_mode, align_corners))
    if mode == "nearest":
        corners: list[list[tuple[Any, Any]]] = [[(xp.round(raw(place)), 1.0)] for place in places]
    else:
        corners = []
        weight_at = _cubic if mode == "bicubic" else lambda distance: 1 - distance
        for place in places:
            first = xp.floor(raw(place))
            steps = (-1, 0, 1, 2) if mode == "bicubic" else (0, 1)
            corners.append([(first + step, weight_at(_distance(place, first, step))) for step in steps])
    examples = xp.arange(x.shape[0]).reshape((-1,) + (1,) * (grid.ndim - 2))
    # The channels go last: an index of arrays alone puts the axes of the grid where it stands.
    pixels = moveaxis(x, 1, -1)
    total: Any = 0
    for corner in product(*corners):
        index: list[Any] = []
        known: Any = True
        share: Any = 1.0
        for (near, weight), length in zip(corner, x.shape[2:], strict=True):
            at = _inside(near, length, padding_mode, align_corners) if mode == "bicubic" else near
            known = known & (at >= 0) & (at <= length - 1)
            index.append(xp.minimum(xp.maximum(at, 0), length - 1).astype(int))
            share = share * weight
        share = where(known, share, 0)
        total = total + getitem(pixels, (examples, *index)) * expand_dims(share, -1)
    return moveaxis(total, -1, 1)


def _distance(place: Array, first: Array, step: int) -> Any:
    """Return |place - (first + step)|, whose sign is known: first is the place rounded down."""
    rest = place - first
    return rest - step if step <= 0 else step - rest
