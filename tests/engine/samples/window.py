"""Samples of convolutions, pooling and resizing."""

from __future__ import annotations

from typing import Any

from tests.engine.samples.base import Counterpart, Sample, one, positive_only, spread

SIDES = {1: (5,), 2: (4, 5), 3: (3, 2, 3)}
KERNELS = {1: (3,), 2: (2, 3), 3: (2, 1, 2)}


def convolutions(dims: int) -> tuple[Sample, ...]:
    name, image, kernel = f"conv{dims}d", SIDES[dims], KERNELS[dims]
    plain = one(name, (2, 2, *image), (2, 2, *kernel), (2,))
    strided = one(name, (1, 2, *image), (4, 1, *kernel), stride=2, padding=1, groups=2)
    dilated = one(name, (1, 1, *image), (1, 1, *kernel), dilation=2, padding=2)
    same = one(name, (1, 1, *image), (2, 1, *kernel), padding="same")
    return (plain,) if dims == 3 else (plain, strided, dilated, same)


def transposed(dims: int) -> tuple[Sample, ...]:
    name, image, kernel = f"conv_transpose{dims}d", (3, 2, 2)[:dims], KERNELS[dims]
    plain = one(name, (2, 2, *image), (2, 1, *kernel), (1,))
    more: Any = {"stride": 2, "padding": 1, "output_padding": 1, "groups": 2}
    # As much room at the end as there is between windows: one more window would fit.
    roomy = one(name, (1, 1, *image), (1, 1, *kernel), stride=2, output_padding=2, dilation=3)
    return (plain,) if dims == 3 else (plain, one(name, (1, 2, *image), (2, 2, *kernel), **more), roomy)


def pools(kind: str, dims: int) -> tuple[Sample, ...]:
    name, image = f"{kind}_pool{dims}d", (2, 1, *SIDES[dims])
    plain = one(name, image, draw=spread, kernel_size=2)
    overlapping = one(name, image, draw=spread, kernel_size=3, stride=2, padding=1)
    return (plain,) if dims == 3 else (plain, overlapping)


SAMPLES: tuple[Sample, ...] = (
    one("windows", (5,), axes=(0,), size=(3,), stride=(2,), dilation=(1,)),
    one("windows", (2, 4, 5), axes=(1, 2), size=(2, 2), stride=(1, 2), dilation=(2, 3)),
    one("windows", (1,), axes=(0,), size=(1,), stride=(1,), dilation=(1,)),
    one("overlap_add", (2, 3), shape=(5,), axes=(0,), size=(3,), stride=(2,), dilation=(1,)),
    one("overlap_add", (2, 2, 1, 2, 2), shape=(2, 4, 5), axes=(1, 2), size=(2, 2), stride=(1, 2), dilation=(2, 3)),
    one("overlap_add", (2, 3), shape=(9,), axes=(0,), size=(3,), stride=(2,), dilation=(1,)),
    one("overlap_add", (1, 1), shape=(1,), axes=(0,), size=(1,), stride=(1,), dilation=(1,)),
    *(s for dims in (1, 2, 3) for s in convolutions(dims)),
    *(s for dims in (1, 2, 3) for s in transposed(dims)),
    *(s for dims in (1, 2, 3) for kind in ("max", "avg") for s in pools(kind, dims)),
    one("max_pool2d", (1, 1, 4, 7), draw=spread, kernel_size=3, stride=2, padding=1, ceil_mode=True),
    *(
        one("avg_pool2d", (1, 1, 4, 6), kernel_size=3, stride=2, padding=1, count_include_pad=counts, ceil_mode=True)
        for counts in (True, False)
    ),
    one("avg_pool3d", (1, 1, 3, 2, 3), kernel_size=2, divisor_override=3),
    one("max_pool2d", (1, 1, 4, 5), draw=spread, kernel_size=(2, 2), stride=1, dilation=(2, 1)),
    one("avg_pool2d", (1, 1, 4, 5), kernel_size=2, padding=1, count_include_pad=False),
    one("lp_pool1d", (1, 2, 5), draw=positive_only, norm_type=3.0, kernel_size=2),
    one("lp_pool2d", (1, 1, 4, 5), draw=positive_only, norm_type=2.0, kernel_size=(2, 2), stride=1),
    *(one(f"adaptive_{kind}_pool1d", (2, 1, 5), draw=spread, output_size=3) for kind in ("avg", "max")),
    *(one(f"adaptive_{kind}_pool2d", (1, 1, 4, 5), draw=spread, output_size=(3, 2)) for kind in ("avg", "max")),
    *(one(f"adaptive_{kind}_pool3d", (1, 1, 3, 2, 4), draw=spread, output_size=(2, 1, 3)) for kind in ("avg", "max")),
    one("interpolate", (1, 2, 3), size=5),
    one("interpolate", (1, 2, 5), size=3, mode="nearest-exact"),
    one("interpolate", (1, 1, 3, 4), size=(5, 2), mode="bicubic"),
    one("interpolate", (1, 1, 3, 4), size=(5, 2), mode="bicubic", align_corners=True),
    one("interpolate", (1, 1, 3, 4), mode="bilinear", scale_factor=(1.7, 0.6)),
    one("interpolate", (1, 1, 5), scale_factor=1.7),
    one("interpolate", (1, 1, 3, 2), size=(2, 5), mode="bilinear"),
    one("interpolate", (1, 1, 3, 2), size=(4, 1), mode="bilinear", align_corners=True),
    one("interpolate", (1, 2, 4), size=7, mode="linear"),
    one("interpolate", (1, 1, 2, 2, 2), size=3, mode="trilinear"),
    one("interpolate", (1, 1, 5), size=3, mode="area"),
    one("unfold", (2, 2, 4, 3), kernel_size=2, padding=1, stride=2, dilation=2),
    one("fold", (1, 8, 6), output_size=(3, 4), kernel_size=2),
    one("fold", (1, 4, 6), output_size=(4, 3), kernel_size=(2, 2), padding=1, stride=2, dilation=1),
)


def functional(name: str) -> Counterpart:
    return lambda torch: getattr(torch.nn.functional, name)


def interpolated(torch: Any) -> Any:
    def call(
        x: Any, size: Any = None, mode: str = "nearest", align_corners: bool | None = None, scale_factor: Any = None
    ) -> Any:
        aligns = mode.endswith(("linear", "cubic"))
        return torch.nn.functional.interpolate(
            x, size, scale_factor, mode=mode, align_corners=bool(align_corners) if aligns else None
        )

    return call


def unfolded(torch: Any) -> Any:
    """Slide windows by `Tensor.unfold`, once for each axis."""

    def call(x: Any, axes: Any, size: Any, stride: Any, dilation: Any) -> Any:
        for axis, n, step, gap in zip(axes, size, stride, dilation, strict=True):
            x = x.unfold(axis, (n - 1) * gap + 1, step)[..., ::gap]
        return x

    return call


def folded(torch: Any) -> Any:
    """Take the adjoint of sliding windows from PyTorch's own backward."""

    def call(x: Any, shape: Any, **how: Any) -> Any:
        there = tuple(slice(n) for n in x.shape)  # the shape may leave room for more windows
        return torch.func.vjp(lambda v: unfolded(torch)(v, **how)[there], torch.zeros(shape, dtype=x.dtype))[1](x)[0]

    return call


COUNTERPARTS: dict[str, Counterpart] = {
    "windows": unfolded,
    "overlap_add": folded,
    "interpolate": interpolated,
    **{
        name: functional(name)
        for name in dict.fromkeys(sample.name for sample in SAMPLES)
        if name not in {"windows", "overlap_add", "interpolate"}
    },
}
