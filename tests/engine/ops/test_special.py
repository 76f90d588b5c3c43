"""Values of special functions against references of forty digits, computed once by mpmath 1.3."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import bessel_values, special_values

REFERENCES: list[tuple[str, float, float]] = [
    ("erf", 1e-09, 1.1283791670955127e-09),
    ("erf", 0.4, 0.42839235504666845),
    ("erf", 1.03, 0.8547842114541484),
    ("erf", 2.5, 0.999593047982555),
    ("erf", 5.5, 0.9999999999999927),
    ("erfc", -2.0, 1.9953222650189528),
    ("erfc", 0.7, 0.32219880616258156),
    ("erfc", 3.3, 3.0577097964381654e-06),
    ("erfc", 12.1, 1.2081306636495034e-65),
    ("erfc", 26.0, 5.663192408856143e-296),
    ("erfcx", -2.0, 108.94090438997797),
    ("erfcx", 0.03, 0.9670287119698767),
    ("erfcx", 4.4, 0.1251416555381449),
    ("erfcx", 11.99, 0.046893031655408327),
    ("erfcx", 12.01, 0.04681547434805392),
    ("erfcx", 1000000.0, 5.641895835474742e-07),
    ("erfinv", 1e-08, 8.86226925452758e-09),
    ("erfinv", -0.3, -0.2724627147267543),
    ("erfinv", 0.7, 0.7328690779592167),
    ("erfinv", 0.9999999, 3.7665625816384707),
    ("gammaln", -3.7, -1.3797399049658245),
    ("gammaln", 0.1, 2.252712651734206),
    ("gammaln", 3.5, 1.2009736023470743),
    ("gammaln", 9.9, 12.57717990421988),
    ("gammaln", 10.1, 13.027526738633236),
    ("gammaln", 100000.0, 1051287.7089736569),
    ("digamma", -3.7, -0.8450768588704194),
    ("digamma", 0.1, -10.423754940411076),
    ("digamma", 3.5, 1.103156640645243),
    ("digamma", 9.9, 2.2411803166063815),
    ("digamma", 100000.0, 11.512920464961896),
    ("polygamma:1", 0.1, 101.43329915079275),
    ("polygamma:1", 1.0, 1.6449340668482264),
    ("polygamma:1", 30.0, 0.033895060357739946),
    ("polygamma:2", 0.1, -2001.8614573783436),
    ("polygamma:2", 1.0, -2.4041138063191885),
    ("polygamma:2", 30.0, -0.0011487652037286),
    ("polygamma:4", 0.1, -2400015.607203195),
    ("polygamma:4", 1.0, -24.88626612344088),
    ("polygamma:4", 30.0, -7.914941340181023e-06),
    ("bessel_ie:0", -0.01, 0.9900745851497075),
    ("bessel_ie:0", 2.9, 0.24775573045084867),
    ("bessel_ie:0", 3.1, 0.23851261868936577),
    ("bessel_ie:0", 59.0, 0.05204896698043539),
    ("bessel_ie:0", 61.0, 0.05118497771548104),
    ("bessel_ie:1", -0.01, -0.004950311047118276),
    ("bessel_ie:1", 2.9, 0.19877728162727987),
    ("bessel_ie:1", 3.1, 0.19489213092067997),
    ("bessel_ie:1", 59.0, 0.051605972453544216),
    ("bessel_ie:1", 61.0, 0.05076368031904492),
    ("bessel_ie:3", -0.01, -2.062616711616872e-08),
    ("bessel_ie:3", 2.9, 0.04613183332625663),
    ("bessel_ie:3", 3.1, 0.049375021203437945),
    ("bessel_ie:3", 59.0, 0.048195829268323186),
    ("bessel_ie:3", 61.0, 0.04751642820401535),
    ("bessel_j:0", -0.01, 0.9999750001562495),
    ("bessel_j:0", 2.9, -0.22431154579196808),
    ("bessel_j:0", 3.1, -0.29206434765069755),
    ("bessel_j:0", 5.01901804, -0.17134697556601072),
    ("bessel_j:0", 29.0, -0.14784876468298405),
    ("bessel_j:0", 31.0, 0.05120814530454225),
    ("bessel_j:1", -0.01, -0.004999937500260416),
    ("bessel_j:1", 2.9, 0.37542748181309593),
    ("bessel_j:1", 3.1, 0.3009211331010576),
    ("bessel_j:1", 29.0, 0.0069342045592652515),
    ("bessel_j:1", 31.0, -0.1330243166663142),
    ("bessel_j:3", -0.01, -2.0833203125325523e-08),
    ("bessel_j:3", 2.9, 0.2910925878291868),
    ("bessel_j:3", 3.1, 0.326442756147341),
    ("bessel_j:3", 29.0, 0.013524690018261825),
    ("bessel_j:3", 31.0, 0.12530943159753818),
    ("bessel_y:0", 0.01, -3.005455637083646),
    ("bessel_y:0", 2.9, 0.40791176923625005),
    ("bessel_y:0", 3.1, 0.34310288935449806),
    ("bessel_y:0", 29.0, 0.009481159721833356),
    ("bessel_y:0", 31.0, -0.1338326605036443),
    ("bessel_y:1", 0.01, -63.67859628206065),
    ("bessel_y:1", 2.9, 0.29594005460767475),
    ("bessel_y:1", 3.1, 0.3496294822676962),
    ("bessel_y:1", 29.0, 0.14803411911941652),
    ("bessel_y:1", 31.0, -0.053372826957321595),
    ("bessel_y:3", 0.01, -5093021.841713737),
    ("bessel_y:3", 2.9, -0.5770644406099462),
    ("bessel_y:3", 3.1, -0.5012881679965417),
    ("bessel_y:3", 29.0, -0.14793369293009112),
    ("bessel_y:3", 31.0, 0.07019724661059248),
    ("bessel_ke:0", 0.01, 4.768694028544462),
    ("bessel_ke:0", 0.9, 1.1971633802518509),
    ("bessel_ke:0", 1.1, 1.0983302829475998),
    ("bessel_ke:0", 29.0, 0.23175021980076457),
    ("bessel_ke:0", 31.0, 0.2242101374192749),
    ("bessel_ke:1", 0.01, 100.97864845824004),
    ("bessel_ke:1", 0.9, 1.7623882196059197),
    ("bessel_ke:1", 1.1, 1.5314037539811933),
    ("bessel_ke:1", 29.0, 0.2357125956165557),
    ("bessel_ke:1", 31.0, 0.2277981625945925),
    ("bessel_ke:3", 0.01, 8080300.33291908),
    ("bessel_ke:3", 0.9, 24.489417757573847),
    ("bessel_ke:3", 1.1, 15.650315553005147),
    ("bessel_ke:3", 29.0, 0.2699203557376272),
    ("bessel_ke:3", 31.0, 0.2586248455714362),
]


def evaluated(name: str, x: Any) -> Any:
    function, _, order = name.partition(":")
    module = bessel_values if function.startswith("bessel") else special_values
    return getattr(module, function)(*([int(order)] if order else []), x)


@pytest.mark.parametrize(("name", "x", "expected"), REFERENCES)
def test_special_values_have_fifteen_digits(name: str, x: float, expected: float) -> None:
    # Sixteen roundings, and for log gamma and digamma, which cross zero, of numbers of size 10; Y adds up 64 nodes.
    # Their sines and cosines have size 1, and those of NumPy 2.0 are off by up to 4 units in the last place.
    roundings, size = (64, 4e-15) if name.startswith("bessel_y") else (16, 1e-15)
    assert evaluated(name, np.array([x]))[0] == pytest.approx(expected, rel=roundings * 2.2e-16, abs=size)


@pytest.mark.parametrize("name", ["erf", "erfc", "erfcx", "erfinv", "gammaln", "digamma", "ndtri", "polygamma:1"])
def test_special_values_keep_shape_and_dtype(name: str) -> None:
    for shape in ((), (0,), (2, 3)):
        result = evaluated(name, np.full(shape, 0.4, dtype=np.float32))
        assert result.shape == shape
        assert result.dtype == np.float32


@pytest.mark.torch
def test_bessel_functions_agree_with_pytorch(torch: Any) -> None:
    """It differentiates none; its J and Y are off by up to 1e-6 just above 5, where 40 digits are on our side."""
    theirs = torch.special
    x = np.linspace(0.01, 50, 500)
    named = {
        **{name: getattr(theirs, f"bessel_{name}") for name in ("j0", "j1", "y0", "y1")},
        **{name: getattr(theirs, f"modified_bessel_{name}") for name in ("k0", "k1")},
        **{f"{name}e": getattr(theirs, f"scaled_modified_bessel_{name}") for name in ("k0", "k1")},
    }
    for name, function in named.items():
        expected = function(torch.tensor(x)).numpy()
        atol = 1e-6 if name[0] in "jy" else 1e-14
        assert np.allclose(getattr(engine, name)(x), expected, rtol=1e-13, atol=atol), name


def test_bessel_functions_at_infinity_and_zero() -> None:
    ends = np.array([0.0, np.inf, -1.0, np.nan])
    assert np.array_equal(bessel_values.bessel_j(0, ends[[0, 1, 3]]), [1, 0, np.nan], equal_nan=True)
    assert np.array_equal(bessel_values.bessel_y(1, ends), [-np.inf, 0, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(bessel_values.bessel_ke(2, ends), [np.inf, 0, np.nan, np.nan], equal_nan=True)
    assert bessel_values.bessel_j(1, np.array([-2.0]))[0] == -bessel_values.bessel_j(1, np.array([2.0]))[0]


def test_bessel_wronskians_and_their_derivatives() -> None:
    """J Y' - J' Y = 2 / (π x) and I K' - I' K = -1 / x (DLMF 10.5.2 and 10.28.2), with slopes by the engine."""
    x = np.array([0.1, 1.7, 12.0, 35.0])
    slope = {name: engine.vmap(engine.grad_of(getattr(engine, name)))(x).numpy() for name in ("j1", "y1", "i1", "k1")}
    value = {name: getattr(engine, name)(x) for name in slope}
    assert value["j1"] * slope["y1"] - slope["j1"] * value["y1"] == pytest.approx(2 / (np.pi * x), rel=1e-13)
    assert value["i1"] * slope["k1"] - slope["i1"] * value["k1"] == pytest.approx(-1 / x, rel=1e-13)


def test_special_values_at_infinity_and_poles() -> None:
    ends = np.array([-np.inf, np.inf, np.nan])
    assert np.array_equal(special_values.erf(ends), [-1, 1, np.nan], equal_nan=True)
    assert np.array_equal(special_values.erfc(ends), [2, 0, np.nan], equal_nan=True)
    assert np.array_equal(special_values.erfinv(np.array([-1.0, 1.0, 1.5])), [-np.inf, np.inf, np.nan], equal_nan=True)
    assert np.signbit(special_values.erf(np.array([-0.0])))[0]


def test_polygamma_at_negative_halves_has_closed_forms() -> None:
    """By the recurrence in x from 1/2, where they are pi^2 / 2, -14 zeta(3) and pi^4 (DLMF 5.15.2 and 5.15.5)."""
    zeta_3 = 1.2020569031595942
    expected = {1: np.pi**2 / 2 + 4, 2: -14 * zeta_3 + 16, 3: np.pi**4 + 6 * 16}
    for n, value in expected.items():
        # The second cancels to a twentieth of its terms.
        assert special_values.polygamma(n, np.array([-0.5]))[0] == pytest.approx(value, rel=1e-14)
    far = np.pi**2 / 2 + sum(1 / (k + 0.5) ** 2 for k in range(1000))
    assert special_values.polygamma(1, np.array([-999.5]))[0] == pytest.approx(far, rel=1e-14)


def test_ndtri_agrees_with_the_standard_library() -> None:
    """Which computes them by rational approximations (Wichura, 1988), good to sixteen digits."""
    p = np.array([1e-300, 1e-20, 1e-5, 0.02, 0.3, 0.5, 0.5 + 1e-9, 0.975, 1 - 1e-12])
    expected = [statistics.NormalDist().inv_cdf(v) for v in p]
    assert special_values.ndtri(p) == pytest.approx(expected, rel=1e-14, abs=1e-16)
    ends = special_values.ndtri(np.array([0.0, 1.0, -0.1, 1.1, np.nan]))
    assert np.array_equal(ends, [-np.inf, np.inf, np.nan, np.nan, np.nan], equal_nan=True)


def test_gammaln_has_poles_at_non_positive_integers() -> None:
    poles = np.array([0.0, -1.0, -7.0])
    assert np.array_equal(special_values.gammaln(poles), [np.inf] * 3)
    assert np.array_equal(special_values.polygamma(1, poles), [np.inf] * 3)


def test_erf_does_not_depend_on_the_array_size() -> None:
    x = np.linspace(-7, 7, 20_001)
    assert np.array_equal(special_values.erf(x)[::500], [special_values.erf(v) for v in x[::500]])


def test_sinc_derivatives_at_zero() -> None:
    """The even ones are (-1)ⁿ π²ⁿ / (2n + 1), the odd ones 0."""
    f = engine.sinc
    for expected in (1.0, 0.0, -(np.pi**2) / 3, 0.0, np.pi**4 / 5):
        assert f(engine.Tensor(0.0)).item() == pytest.approx(expected, rel=1e-14, abs=1e-15)
        f = engine.grad_of(f)
