"""Arguments that do not fit are refused, and arguments at the edge of what fits give the right values."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

X = np.arange(6.0).reshape(2, 3)
V = np.array([3.0, 1.0, 2.0])
C = X + 0j
INTEGERS = X.astype(int)
LABELS = np.array([0, 2])
LOGS = np.log(np.full((3, 2, 3), 1 / 3))
PIXELS, PLACES = np.ones((1, 1, 2, 2)), np.zeros((1, 2, 2, 2))
AXIS = np.exceptions.AxisError

FUNCTIONS_OF_AN_AXIS: dict[str, Callable[..., Any]] = {
    name: getattr(engine, name)
    for name in (
        "cummax", "cummin", "cumprod", "cumsum", "logcumsumexp", "nancumsum", "diff", "trapezoid", "gradient",
        "cumulative_trapezoid", "sort", "argsort", "argmax", "argmin", "median", "nanmedian", "softmax", "softmin",
        "log_softmax", "glu", "normalize", "vector_norm",
    )
} | {
    "chunk": lambda x, axis: engine.chunk(x, 2, axis),
    "cosine_similarity": lambda x, axis: engine.cosine_similarity(x, x, axis),
    "kthvalue": lambda x, axis: engine.kthvalue(x, 1, axis),
    "narrow": lambda x, axis: engine.narrow(x, axis, 0, 1),
    "nanquantile": lambda x, axis: engine.nanquantile(x, 0.5, axis),
    "partition": lambda x, axis: engine.partition(x, 1, axis),
    "quantile": lambda x, axis: engine.quantile(x, 0.5, axis),
    "select": lambda x, axis: engine.select(x, axis, 0),
    "softmax_cross_entropy": lambda x, axis: engine.softmax_cross_entropy(x, LABELS, axis=axis),
    "tensor_split": lambda x, axis: engine.tensor_split(x, 2, axis),
    "topk": lambda x, axis: engine.topk(x, 1, axis),
    "unflatten": lambda x, axis: engine.unflatten(x, axis, (1, -1)),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS_OF_AN_AXIS)
@pytest.mark.parametrize("axis", [2, -3])
def test_axis_that_is_missing_is_refused(name: str, axis: int) -> None:
    with pytest.raises(AXIS, match=f"axis {axis} is out of bounds"):
        FUNCTIONS_OF_AN_AXIS[name](X, axis=axis)


def ctc(log_probs: Any = LOGS, targets: Any = ((1, 2), (1, 1)), steps: Any = (3, 3), lengths: Any = (2, 1)) -> Any:
    return engine.ctc_loss(log_probs, np.array(targets), np.array(steps), np.array(lengths))


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception]]] = {
    "astype to no dtype": (lambda: engine.astype(V, "nonsense"), TypeError),
    "arange of step 0": (lambda: engine.arange(0, 1, 0), ZeroDivisionError),
    "argmax of nothing": (lambda: engine.argmax(np.zeros(0)), ValueError),
    "argmin of nothing": (lambda: engine.argmin(np.zeros(0)), ValueError),
    **{
        f"{name} of order {order}": (partial(getattr(engine, name), V, order), error)
        for name in ("bessel_i", "bessel_ie", "bessel_j", "bessel_ke", "bessel_y", "spherical_bessel", "polygamma")
        for order, error in ((-1, ValueError), (0.5, TypeError))
    },
    "cdist of vectors": (lambda: engine.cdist(V, V), ValueError),
    "cdist of other lengths": (lambda: engine.cdist(X, X.T), ValueError),
    "chunk into none": (lambda: engine.chunk(X, 0), ValueError),
    "clamp without bounds": (lambda: engine.clamp(X), ValueError),
    "clamp to other shapes": (lambda: engine.clamp(X, np.zeros(2)), ValueError),
    "clamp to complex bounds": (lambda: engine.clamp(X, 1j), TypeError),
    "clip to complex bounds": (lambda: engine.clip(V, Tensor(1j), None), TypeError),
    "clip to other shapes": (lambda: engine.clip(X, np.zeros(2), 1.0), ValueError),
    "corrcoef of three axes": (lambda: engine.corrcoef(np.ones((2, 2, 2))), ValueError),
    "cosine_similarity of complex": (lambda: engine.cosine_similarity(C, X), TypeError),
    "cosine_similarity of other shapes": (lambda: engine.cosine_similarity(X, X.T), ValueError),
    "cov of three axes": (lambda: engine.cov(np.ones((2, 2, 2))), ValueError),
    "cov with few weights": (lambda: engine.cov(X, aweights=np.ones(2)), ValueError),
    "cross_entropy of complex": (lambda: engine.cross_entropy(C, LABELS), TypeError),
    "cross_entropy with few weights": (lambda: engine.cross_entropy(X, LABELS, weight=np.ones(1)), ValueError),
    "cross_entropy of float labels": (lambda: engine.cross_entropy(X, LABELS * 1.0), TypeError),
    "cross_entropy of large labels": (lambda: engine.cross_entropy(X, LABELS + 5), ValueError),
    "ctc_loss of complex": (lambda: ctc(LOGS + 0j), TypeError),
    "ctc_loss of few targets": (lambda: ctc(targets=((1, 2),)), ValueError),
    "ctc_loss of long inputs": (lambda: ctc(steps=(4, 3)), ValueError),
    "ctc_loss of long targets": (lambda: ctc(lengths=(3, 1)), ValueError),
    "ctc_loss of large labels": (lambda: ctc(targets=((1, 3), (1, 1))), ValueError),
    "cummax of complex": (lambda: engine.cummax(C), TypeError),
    "cummin of complex": (lambda: engine.cummin(C), TypeError),
    "diff of negative order": (lambda: engine.diff(X, -1), ValueError),
    "expand to fewer axes": (lambda: engine.expand(X, (3,)), ValueError),
    "expand to another length": (lambda: engine.expand(V, (2, 4)), ValueError),
    "eye of negative length": (lambda: engine.eye(-1), ValueError),
    "full of another shape": (lambda: engine.full((2,), V), ValueError),
    "full_like of another shape": (lambda: engine.full_like(X, np.ones(2)), ValueError),
    "gelu of another kind": (lambda: engine.gelu(X, "erf"), ValueError),  # type: ignore[arg-type] # the mistake
    "glu of odd length": (lambda: engine.glu(V), ValueError),
    "gradient of one point": (lambda: engine.gradient(np.ones(1)), ValueError),
    "gradient at few points": (lambda: engine.gradient(X, np.ones(2)), ValueError),
    "gradient of edge order 3": (lambda: engine.gradient(np.ones(5), edge_order=3), ValueError),
    "grid_sample at complex places": (lambda: engine.grid_sample(PIXELS, PLACES + 0j), TypeError),
    "grid_sample in another mode": (lambda: engine.grid_sample(PIXELS, PLACES, "x"), ValueError),  # type: ignore[arg-type] # the mistake
    "grid_sample at other places": (lambda: engine.grid_sample(PIXELS, PLACES[..., :1]), ValueError),
    "kthvalue 0": (lambda: engine.kthvalue(X, 0), ValueError),
    "kthvalue 4": (lambda: engine.kthvalue(X, 4), ValueError),
    "logcumsumexp of complex": (lambda: engine.logcumsumexp(C), TypeError),
    **{
        f"{name} of nothing": (partial(getattr(engine, name), np.zeros(0)), ValueError)
        for name in ("max", "min", "nanmax", "nanmin", "logsumexp")
    },
    "median of complex": (lambda: engine.median(C), TypeError),
    "median of nothing": (lambda: engine.median(np.zeros(0)), IndexError),
    "multigammaln of dimension 0": (lambda: engine.multigammaln(V, 0), ValueError),
    "multigammaln of dimension 0.5": (lambda: engine.multigammaln(V, 0.5), TypeError),  # type: ignore[arg-type] # the mistake
    "multi_margin_loss of complex": (lambda: engine.multi_margin_loss(C, LABELS), TypeError),
    "multi_margin_loss of float labels": (lambda: engine.multi_margin_loss(X, LABELS * 1.0), TypeError),
    "multi_margin_loss of few labels": (lambda: engine.multi_margin_loss(X, LABELS[:1]), ValueError),
    "multi_margin_loss of negative labels": (lambda: engine.multi_margin_loss(X, -LABELS), ValueError),
    "multilabel_margin_loss of few labels": (lambda: engine.multilabel_margin_loss(X, LABELS), ValueError),
    "multilabel_margin_loss of large labels": (lambda: engine.multilabel_margin_loss(X, INTEGERS + 5), IndexError),
    "narrow beyond the end": (lambda: engine.narrow(X, 1, 2, 2), ValueError),
    "narrow of negative length": (lambda: engine.narrow(X, 1, 2, -1), ValueError),
    "nanmedian of nothing": (lambda: engine.nanmedian(np.zeros(0)), IndexError),
    "nanquantile of complex": (lambda: engine.nanquantile(C, 0.5), TypeError),
    "nanquantile of 2": (lambda: engine.nanquantile(X, 2.0), ValueError),
    "nll_loss of complex": (lambda: engine.nll_loss(C, LABELS), TypeError),
    "nll_loss with few weights": (lambda: engine.nll_loss(X, LABELS, weight=np.ones(2)), ValueError),
    "nll_loss of float labels": (lambda: engine.nll_loss(X, LABELS * 1.0), TypeError),
    "nll_loss with another reduction": (lambda: engine.nll_loss(X, LABELS, "max"), ValueError),  # type: ignore[arg-type] # the mistake
    "one_hot of floats": (lambda: engine.one_hot(LABELS * 1.0), TypeError),
    "one_hot of large labels": (lambda: engine.one_hot(LABELS, 2), ValueError),
    "one_hot of nothing": (lambda: engine.one_hot(LABELS[:0]), ValueError),
    "ones that require grad": (lambda: engine.ones(2, int, requires_grad=True), TypeError),
    "p_norm of order 0": (lambda: engine.p_norm(X, ord=0), ZeroDivisionError),
    "pairwise_distance of other shapes": (lambda: engine.pairwise_distance(X, X.T), ValueError),
    "partition at no place": (lambda: engine.partition(X, 9), ValueError),
    "partition of complex": (lambda: engine.partition(C, 1), TypeError),
    "pdist of a vector": (lambda: engine.pdist(V), ValueError),
    "power of integers": (lambda: engine.power(np.array([2]), -1), ValueError),
    "prelu of complex": (lambda: engine.prelu(C, np.ones(1)), TypeError),
    "prelu of few slopes": (lambda: engine.prelu(X, np.ones(2)), ValueError),
    "quantile of 2": (lambda: engine.quantile(X, 2.0), ValueError),
    "quantile by another method": (lambda: engine.quantile(X, 0.5, method="x"), ValueError),  # type: ignore[arg-type] # the mistake
    "quantile of nothing": (lambda: engine.quantile(np.zeros(0), 0.5), IndexError),
    "select of no slice": (lambda: engine.select(X, 1, 3), IndexError),
    "softmax of complex": (lambda: engine.softmax(C), TypeError),
    "softmin of complex": (lambda: engine.softmin(C), TypeError),
    "log_softmax of complex": (lambda: engine.log_softmax(C), TypeError),
    "softmax_cross_entropy of large labels": (
        lambda: engine.softmax_cross_entropy(X, LABELS + 5, axis=1),
        IndexError,
    ),
    "sort of complex": (lambda: engine.sort(C), TypeError),
    "sort of a number": (lambda: engine.sort(np.array(1.0)), AXIS),
    "tensor of text": (lambda: engine.tensor("a"), TypeError),
    "tensor of ragged lists": (lambda: engine.tensor([[1], [1, 2]]), ValueError),
    "tensor_split into none": (lambda: engine.tensor_split(X, 0), ValueError),
    "threshold of complex": (lambda: engine.threshold(C, 1.0, 0.0), TypeError),
    "topk of 4": (lambda: engine.topk(X, 4), ValueError),
    "topk of -1": (lambda: engine.topk(X, -1), ValueError),
    "trapezoid at few points": (lambda: engine.trapezoid(X, np.ones(2)), ValueError),
    "cumulative_trapezoid at few points": (lambda: engine.cumulative_trapezoid(X, X[:, :2]), ValueError),
    "triplet loss of other shapes": (lambda: engine.triplet_margin_with_distance_loss(X, X.T, X), ValueError),
    "unflatten by another product": (lambda: engine.unflatten(np.zeros(6), 0, (4, 2)), ValueError),
    "unflatten with a remainder": (lambda: engine.unflatten(np.zeros(6), 0, (4, -1)), ValueError),
    "unflatten of nothing": (lambda: engine.unflatten(np.zeros((0, 2)), 0, (0, -1)), ValueError),
    "vector_norm of nothing": (lambda: engine.vector_norm(np.zeros(0), np.inf), ValueError),
    "view_as_complex of complex": (lambda: engine.view_as_complex(np.ones(2) + 0j), TypeError),
    "view_as_complex of triples": (lambda: engine.view_as_complex(V), ValueError),
    "view_as_real of real": (lambda: engine.view_as_real(V), TypeError),
    "zeros of negative length": (lambda: engine.zeros(-1), ValueError),
}


@pytest.mark.parametrize("case", REFUSED)
def test_arguments_that_do_not_fit_are_refused(case: str) -> None:
    call, error = REFUSED[case]
    with pytest.raises(error):
        call()


def test_special_functions_of_integers_are_not_rounded() -> None:
    for name in ("erf", "erfc", "erfcx", "gammaln", "digamma", "j0", "i0e", "k0e", "y1"):
        f = getattr(engine, name)
        found = f(np.array([1, 2, 3]))
        assert found.dtype == np.float64
        assert np.array_equal(found, f(np.array([1.0, 2.0, 3.0])))
    assert np.allclose(engine.gammaln(np.array([3, 5])), np.log([2.0, 24.0]), rtol=1e-14)


def test_log_softmax_of_integers_is_floating() -> None:
    assert np.allclose(engine.log_softmax(np.array([0, 0])), np.log([0.5, 0.5]))
    assert np.allclose(engine.softmax_cross_entropy(np.array([[0, 0]]), np.array([1]), axis=1), np.log(2))


def test_nan_statistics_of_integers_and_booleans() -> None:
    wide = np.full(300, 2, dtype=np.int8)
    assert engine.nanmean(wide) == 2.0  # 300 is no int8
    yes = np.array([True, True, False])
    assert np.isclose(engine.nanmean(yes), 2 / 3)
    assert np.isclose(engine.nanvar(yes), 2 / 9)
    assert np.isnan(engine.nanvar(np.zeros(0)))
    assert np.isnan(engine.nanstd(np.zeros(0)))
    assert np.allclose(engine.nanquantile(np.array([1, 2]), 0.25), 1.25)


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles_of_nan_are_nan(method: Any) -> None:
    x = np.array([[1.0, 2.0, 3.0], [1.0, np.nan, 0.0]])
    found = engine.quantile(x, [0.2, 0.5], axis=1, method=method)
    assert np.array_equal(found, np.quantile(x, [0.2, 0.5], axis=1, method=method), equal_nan=True)
    assert np.array_equal(engine.median(x, axis=1), [2.0, np.nan], equal_nan=True)
    assert np.array_equal(engine.vmap(engine.median)(x).numpy(), [2.0, np.nan], equal_nan=True)


def test_topk_of_any_dtype_takes_the_largest() -> None:
    assert engine.topk(np.array([3, 1, 0], np.uint8), 2)[0].tolist() == [3, 1]
    assert engine.topk(np.array([-128, 5], np.int8), 1)[0].tolist() == [5]
    assert engine.topk(np.array([False, True, True]), 2)[1].tolist() == [1, 2]
    values, places = engine.topk(np.array([3.0, np.nan, 1.0, 3.0]), 3)
    assert np.array_equal(values, [np.nan, 3.0, 3.0], equal_nan=True)
    assert places.tolist() == [1, 0, 3]


def test_narrow_counts_a_negative_start_from_the_end() -> None:
    assert engine.narrow(V, 0, -2, 2).tolist() == [1.0, 2.0]


def test_ctc_loss_ignores_the_padding() -> None:
    assert np.isclose(ctc(targets=((1, 2), (1, -1))), ctc())


def test_points_and_spacing_may_be_lists() -> None:
    assert np.array_equal(engine.trapezoid(X, [0.0, 1.0, 3.0]), np.trapezoid(X, [0.0, 1.0, 3.0]))
    assert np.allclose(engine.gradient(V, [0.0, 1.0, 3.0]), np.gradient(V, [0.0, 1.0, 3.0]))
