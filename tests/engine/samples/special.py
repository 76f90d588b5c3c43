"""Samples of special functions."""

from __future__ import annotations

from tests.engine.samples.base import Counterpart, Sample, between, binary, exactly, one, real, unary

wide = between(-5, 5)
argument = between(0.3, 6)

SAMPLES: tuple[Sample, ...] = (
    *unary(real, "erfc", "erfcx", "ndtr", "bessel_ie", "i0", "i1", "i0e", "i1e", "j0", "j1"),
    *unary(between(-0.9, 0.9), "erfinv"),
    *unary(between(0.02, 0.98), "ndtri"),
    *unary(wide, "log_ndtr"),
    one("log_ndtr", (3,), draw=exactly(-30.0, -0.99, 8.0)),
    one("erfcx", (3,), draw=exactly(11.9, 13.0, -1.5)),
    *unary(argument, "gammaln", "digamma", "entr"),
    one("entr", (2,), draw=exactly(0.2, 0.7)),
    *(one(name, (3,), draw=exactly(-0.4, -3.3, 0.45)) for name in ("gammaln", "digamma")),
    one("polygamma", (3,), draw=exactly(-0.4, -3.3, 0.45), n=2),
    *(one("polygamma", shape, draw=argument, n=n) for shape in ((), (0,), (2, 3)) for n in (0, 1, 3)),
    *binary(argument, argument, "betaln"),
    one("multigammaln", (2, 3), draw=between(1.3, 5), p=3),
    *(one("bessel_i", shape, draw=wide, order=n) for shape in ((), (0,), (2, 3)) for n in (0, 2)),
    one("bessel_ie", (3,), draw=exactly(-40.0, 75.0, 3.1), order=1),
    *unary(argument, "k0", "k1", "k0e", "k1e", "y0", "y1"),
    *(one(name, shape, draw=argument) for name in ("bessel_y", "bessel_ke") for shape in ((), (0,), (2, 3))),
    *(one("bessel_j", shape, draw=wide, order=n) for shape in ((), (0,), (2, 3)) for n in (0, 2)),
    one("bessel_j", (4,), draw=exactly(-40.0, 31.0, 3.1, 0.0), order=1),
    *(one(name, (3,), draw=exactly(0.7, 31.0, 3.1), order=2) for name in ("bessel_y", "bessel_ke")),
)


def alike(name: str) -> Counterpart:
    return lambda torch: getattr(torch.special, name)


COUNTERPARTS: dict[str, Counterpart] = {
    **{
        name: alike(name)
        for name in (
            "erfc",
            "erfcx",
            "erfinv",
            "ndtr",
            "ndtri",
            "log_ndtr",
            "gammaln",
            "digamma",
            "entr",
            "i0",
            "i1",
            "i0e",
            "i1e",
        )
    },
    "polygamma": lambda t: lambda x, n: t.special.polygamma(n, x),
    "multigammaln": lambda t: t.special.multigammaln,
    "betaln": lambda t: lambda x, y: t.lgamma(x) + t.lgamma(y) - t.lgamma(x + y),
    "bessel_i": lambda t: lambda x, order: t.special.i0(x) - (2 / x * t.special.i1(x) if order == 2 else 0),
    "bessel_ie": lambda t: lambda x, order=0: t.special.i1e(x) if order == 1 else t.special.i0e(x),
}
