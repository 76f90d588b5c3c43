"""Samples of discrete Fourier transforms: odd and even lengths, cut and padded, in every scale."""

from __future__ import annotations

from typing import Any

from tests.engine.samples.base import Counterpart, Sample, one

NORMS = ("backward", "ortho", "forward")

ONE_AXIS: tuple[tuple[tuple[int, ...], dict[str, Any]], ...] = (
    ((4,), {}),
    ((5,), {}),
    ((2, 5), {"norm": "ortho"}),
    ((5, 2), {"axis": 0, "norm": "forward"}),
    ((4,), {"n": 3}),
    ((4,), {"n": 6, "norm": "ortho"}),
    ((2, 3), {"n": 5, "norm": "forward"}),
    ((2, 3, 2), {"n": 2, "axis": 1}),
    ((2,), {"n": 1}),
    ((0, 4), {}),
)
SEVERAL: tuple[tuple[tuple[int, ...], dict[str, Any]], ...] = (
    ((3, 4), {}),
    ((2, 3, 3), {"axes": (0, 2), "norm": "ortho"}),
    ((2, 3), {"s": (3, 2), "norm": "forward"}),
    ((2, 3, 2), {"s": (4, -1), "axes": (1, 2)}),
    ((0, 3, 2), {"axes": (1, 2)}),
)
TWO: tuple[tuple[tuple[int, ...], dict[str, Any]], ...] = (
    ((2, 3, 4), {}),
    ((3, 3), {"s": (2, 4), "norm": "ortho"}),
    ((3, 2, 2), {"axes": (0, 1), "norm": "forward"}),
)

SAMPLES: tuple[Sample, ...] = (
    *(
        one("dft", shape, axes=axes, norm=norm, inverse=inverse)
        for shape, axes in (((1,), (0,)), ((5,), (0,)), ((2, 4), (1,)), ((3, 2), (0, 1)), ((2,), ()))
        for norm in NORMS
        for inverse in (False, True)
    ),
    *(one("rdft", shape, axis=-1, norm=norm) for shape in ((1,), (2,), (4,), (2, 5), (0, 3)) for norm in NORMS),
    one("rdft", (4, 2), axis=0),
    *(one("irdft", (2, n // 2 + 1), n=n, axis=1, norm=norm) for n in (1, 2, 4, 5) for norm in NORMS),
    one("irdft", (2, 3), n=2, axis=0),
    one("irdft", (0, 3), n=5, axis=1),
    *(one(name, shape, **static) for name in ("fft", "ifft", "rfft", "ihfft") for shape, static in ONE_AXIS),
    *(
        one(name, shape, **static)
        for name in ("irfft", "hfft")
        for shape, static in (*ONE_AXIS, ((3,), {"n": 5}), ((4,), {"n": 9, "norm": "ortho"}), ((2, 3), {"n": 4}))
    ),
    *(one(name, shape, **static) for name in ("fftn", "ifftn", "rfftn", "irfftn") for shape, static in SEVERAL),
    *(one(name, shape, **static) for name in ("fft2", "ifft2", "rfft2", "irfft2") for shape, static in TWO),
    *(
        one(name, shape, **static)
        for name in ("fftshift", "ifftshift")
        for shape, static in (((5,), {}), ((2, 3), {}), ((4, 3), {"axes": 1}), ((2, 3, 4), {"axes": (0, 2)}))
    ),
)


def axes_renamed(name: str) -> Counterpart:
    """PyTorch's function of the same name, which calls axes `dim`."""

    def of(torch: Any) -> Any:
        def call(x: Any, axis: Any = None, axes: Any = None, **static: Any) -> Any:
            chosen = axis if axes is None else axes
            return getattr(torch.fft, name)(x, **static, **({} if chosen is None else {"dim": chosen}))

        return call

    return of


def torch_dft(torch: Any) -> Any:
    def call(x: Any, axes: Any, norm: Any, inverse: bool) -> Any:
        return (torch.fft.ifftn if inverse else torch.fft.fftn)(x, dim=axes, norm=norm)

    return call


COUNTERPARTS: dict[str, Counterpart] = {
    **{sample.name: axes_renamed(sample.name) for sample in SAMPLES},
    "dft": torch_dft,
    "rdft": axes_renamed("rfft"),
    "irdft": axes_renamed("irfft"),
}
