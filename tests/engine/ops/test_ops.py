"""Operations where the naive formula fails: large inputs, zeros, empty and repeated indices, and wrong arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor


def gradient(f: Any, x: Any) -> np.ndarray[Any, Any]:
    slope: np.ndarray[Any, Any] = engine.grad_of(lambda t: f(t).sum())(np.asarray(x, dtype=float)).numpy()
    return slope


def test_cross_entropy_is_exact_for_large_logits() -> None:
    logits = Tensor([[1000.0, -1000.0, 0.0], [1000.0, -1000.0, 0.0]], requires_grad=True)
    loss = engine.cross_entropy(logits, [0, 1])
    loss.backward()
    assert loss.item() == 1000
    assert logits.grad is not None
    assert np.array_equal(logits.grad.numpy(), np.array([[0, 0, 0], [0.5, -0.5, 0]]))


def test_cross_entropy_gradient_keeps_small_probabilities() -> None:
    logits = Tensor([-416.1, -383.8], requires_grad=True)
    engine.cross_entropy(logits, 1).backward()
    doubt = np.exp(-416.1 + 383.8)  # of 1e-14; the softmax of two is a sigmoid, 1 + doubt is 1 but for 1e-28
    assert logits.grad is not None
    wrong, right = logits.grad.numpy()
    assert np.isclose(wrong, doubt, rtol=1e-12)
    assert abs(right + doubt) <= np.finfo(float).eps / 2  # p - 1 is a multiple of the last place below 1


@pytest.mark.parametrize("f", [engine.softmax, engine.log_softmax, engine.logsumexp, engine.sigmoid, engine.softplus])
def test_activations_do_not_overflow(f: Any) -> None:
    x = np.array([1000.0, -1000.0, 0.0])
    assert np.all(np.isfinite(f(x)))
    assert np.all(np.isfinite(gradient(f, x)))


def test_sigmoid_and_softplus_are_accurate_in_the_tail() -> None:
    assert engine.sigmoid(np.array([-100.0]))[0] == pytest.approx(np.exp(-100), rel=1e-14)
    assert engine.softplus(np.array([-100.0]))[0] == pytest.approx(np.exp(-100), rel=1e-14)


def test_logsumexp_of_minus_infinities() -> None:
    assert engine.logsumexp(np.full(3, -np.inf)) == -np.inf


def test_prod_gradient_with_zeros() -> None:
    assert np.array_equal(gradient(engine.prod, [2.0, 0.0, 5.0]), [0, 10, 0])
    assert np.array_equal(gradient(engine.prod, [2.0, 0.0, 0.0]), [0, 0, 0])
    hessian = engine.hessian(engine.prod, np.array([2.0, 0.0, 0.0])).numpy()
    assert np.array_equal(hessian, [[0, 0, 0], [0, 0, 2], [0, 2, 0]])


def test_prod_gradient_with_underflow() -> None:
    """PyTorch divides the product, which is 0, by each factor."""
    assert np.array_equal(gradient(engine.prod, [1e-300, 1e-100]), [1e-100, 1e-300])
    assert np.array_equal(gradient(engine.prod, [np.nan, 2.0]), [2.0, np.nan], equal_nan=True)


def test_where_gives_the_unselected_branch_zero() -> None:
    x = np.array([0.0, 4.0])
    safe = np.where(x > 0, x, 1.0)
    slope = gradient(lambda t: engine.where(x > 0, engine.sqrt(engine.where(x > 0, t, safe)), 0.0), x)
    assert np.array_equal(slope, [0, 0.25])


def test_getitem_gradient_adds_repeated_indices() -> None:
    assert np.array_equal(gradient(lambda t: t[np.array([0, 0, 2])], np.ones(3)), [2, 0, 1])
    assert np.array_equal(engine.index_add(np.zeros(3), np.array([1, 1]), np.array([2.0, 3.0])), [0, 5, 0])


def test_index_add_differentiates_and_broadcasts() -> None:
    (gx, gv) = engine.grad_of(lambda x, v: (engine.index_add(x, np.array([0, 0]), v) ** 2).sum(), argnums=(0, 1))(
        np.array([1.0, 2.0]), np.array(3.0)
    )
    assert np.array_equal(gx.numpy(), [14, 4])
    assert gv.item() == 28


def test_gelu_and_erf_match_tabulated_values() -> None:
    """Abramowitz and Stegun, table 7.1: erf(1) = 0.8427007929."""
    assert engine.erf(np.array([1.0]))[0] == pytest.approx(0.8427007929, abs=1e-10)
    assert engine.gelu(np.array([np.sqrt(2.0)]))[0] == pytest.approx(np.sqrt(0.5) * 1.8427007929, abs=1e-10)
    with pytest.raises(ValueError, match="`sigmoid`"):
        engine.gelu(np.ones(1), "sigmoid")  # type: ignore[arg-type]  # the mistake is the test


def test_stack_splits_its_cotangent() -> None:
    x, y = Tensor([1.0, 2.0], requires_grad=True), Tensor([3.0, 4.0])
    out = engine.stack([x, y], axis=1)
    assert np.array_equal(out.numpy(), [[1, 3], [2, 4]])
    out.backward([[10.0, 1.0], [20.0, 1.0]])
    assert x.grad is not None
    assert np.array_equal(x.grad.numpy(), [10, 20])


def test_concatenate_flattens_for_axis_none() -> None:
    assert np.array_equal(engine.concatenate([np.ones((1, 2)), np.zeros(1)], axis=None), [1, 1, 0])


def test_astype_to_integers_leaves_the_graph() -> None:
    x = Tensor([1.5], requires_grad=True)
    assert not x.astype(int).requires_grad
    y = x.astype(np.float32)
    assert y.requires_grad
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.dtype == np.float64


def test_clip_passes_no_gradient_to_nan() -> None:
    assert np.array_equal(gradient(lambda t: engine.clip(t, 0.0, 1.0), [0.5]), [1])
    with np.errstate(invalid="ignore"):
        assert np.array_equal(gradient(lambda t: engine.clip(t, 0.0, 1.0), [np.nan]), [0])


@pytest.mark.parametrize(
    ("target", "error", "message"),
    [
        ([0.0, 1.0], TypeError, "integer class labels, not `float64`"),
        ([0, 1, 2], ValueError, r"target has shape \(3,\), but scores of shape \(2, 3\) need \(2,\)"),
        ([0, 3], ValueError, r"outside 0\.\.2"),
        ([0, -1], ValueError, r"outside 0\.\.2"),
    ],
)
@pytest.mark.parametrize("loss", [engine.cross_entropy, engine.nll_loss])
def test_losses_name_invalid_targets(loss: Any, target: Any, error: Any, message: Any) -> None:
    with pytest.raises(error, match=message):
        loss(np.zeros((2, 3)), np.array(target))


@pytest.mark.parametrize("loss", [engine.cross_entropy, engine.nll_loss])
def test_losses_name_an_unknown_reduction(loss: Any) -> None:
    with pytest.raises(ValueError, match="`average`"):
        loss(np.zeros((2, 3)), np.array([0, 1]), "average")


def test_matmul_with_shared_matrix_agrees_with_einsum() -> None:
    rng = np.random.default_rng(0)
    x, w, g = rng.normal(size=(4, 5, 2, 3)), rng.normal(size=(3, 6)), rng.normal(size=(4, 5, 2, 6))
    _, pullback = engine.vjp(engine.matmul, x, w)
    gx, gw = pullback(g)
    assert gx is not None
    assert gw is not None
    assert np.allclose(gx.numpy(), np.einsum("abij,kj->abik", g, w), rtol=1e-13)
    assert np.allclose(gw.numpy(), np.einsum("abik,abij->kj", x, g), rtol=1e-12)


def test_operations_return_arrays_for_numbers() -> None:
    assert type(engine.exp(1.0)) is np.ndarray
    assert type(engine.add(1, 2.0)) is np.ndarray


def test_argsort_and_one_hot_return_integers() -> None:
    x = Tensor([[0.3, 0.1, 0.3]], requires_grad=True)
    assert np.array_equal(engine.argsort(x), [[1, 0, 2]])
    assert np.array_equal(engine.argmax(x, 1), [0])
    assert engine.argmin(x) == 1
    assert np.array_equal(engine.one_hot(np.array([2, 0]), 3), [[0, 0, 1], [1, 0, 0]])
    values, places = engine.topk(x, 2)
    assert np.array_equal(values.numpy(), [[0.3, 0.3]])
    assert np.array_equal(places, [[0, 2]])


def test_heaviside_refuses_differentiation() -> None:
    x = np.array([-1.0, 0.0, 2.0])
    assert np.array_equal(engine.heaviside(x, 0.5), [0, 0.5, 1])
    with pytest.raises(RuntimeError, match="no derivative"):
        engine.heaviside(Tensor(x, requires_grad=True), 0.5)


def test_det_gradient_of_singular_matrix_is_its_cofactors() -> None:
    assert np.array_equal(gradient(engine.det, [[1.0, 2.0], [2.0, 4.0]]), [[4, -2], [-2, 1]])


def test_cumprod_gradient_with_zeros() -> None:
    """Of x, xy, xyz at (2, 0, 5): 1 + y + yz, x + xz, xy."""
    assert np.array_equal(gradient(engine.cumprod, [2.0, 0.0, 5.0]), [1, 12, 0])


def test_attention_gives_masked_keys_no_gradient() -> None:
    rng = np.random.default_rng(0)
    q, k, v = (Tensor(rng.normal(size=(3, 2)), requires_grad=True) for _ in range(3))
    engine.scaled_dot_product_attention(q, k, v, is_causal=True)[0].sum().backward()
    assert k.grad is not None
    assert v.grad is not None
    assert np.array_equal(v.grad.numpy(), [[1, 1], [0, 0], [0, 0]])
    assert np.array_equal(k.grad.numpy()[1:], np.zeros((2, 2)))


def test_dropout_keeps_the_mean_and_is_reproducible() -> None:
    x = np.ones(10_000)
    first, second = (engine.dropout(x, 0.2, rng=np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(first, second)
    assert set(np.unique(first)) == {0.0, 1.25}
    assert first.mean() == pytest.approx(1, abs=0.02)  # four standard errors of 0.005
    assert np.array_equal(engine.dropout(x, 1.0, rng=np.random.default_rng(7)), np.zeros(10_000))


def test_embedding_padding_row_gets_no_gradient() -> None:
    weight = Tensor(np.ones((3, 2)), requires_grad=True)
    engine.embedding([0, 2, 0], weight, padding_idx=0).sum().backward()
    assert weight.grad is not None
    assert np.array_equal(weight.grad.numpy(), [[0, 0], [0, 0], [1, 1]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: engine.einsum("ij,jk", np.ones((2, 3))), "needs 2 operands, got 1"),
        (lambda: engine.einsum("ij->ijk", np.ones((2, 3))), "no operand has"),
        (lambda: engine.einsum("i", np.ones((2, 3))), "does not fit an operand of 2 axes"),
        (lambda: engine.glu(np.ones(3)), "even length along axis 0, not 3"),
        (lambda: engine.group_norm(np.ones((1, 3)), 2), "3 channels"),
        (lambda: engine.batch_norm(np.ones((2, 3))), "`running_mean`"),
        (lambda: engine.conv2d(np.ones((1, 3, 4, 4)), np.ones((2, 2, 3, 3))), "needs 2 channels, got 3"),
        (lambda: engine.conv1d(np.ones((1, 1, 4)), np.ones((1, 1, 3)), stride=2, padding="same"), "stride 1"),
        (lambda: engine.conv_transpose1d(np.ones((1, 3, 4)), np.ones((2, 2, 3))), "needs"),
        (lambda: engine.interpolate(np.ones((1, 1, 4)), 2, "bilinear"), "`bilinear`"),
        (lambda: engine.interpolate(np.ones((1, 1, 4))), "either `size` or `scale_factor`"),
        (
            lambda: engine.max_pool2d(np.ones((1, 4, 4)), 2),
            r"over 2 axes needs an input of 4 axes, got shape \(1, 4, 4\)",
        ),
        (lambda: engine.conv2d(np.ones((3, 4, 4)), np.ones((2, 3, 3, 3))), "input and a weight of 4 axes"),
        (lambda: engine.gradient(np.ones(2), edge_order=2), "not 2 for 2"),
        (lambda: engine.quantile(np.ones(2), 0.5, method="median"), "not `median`"),  # type: ignore[arg-type]  # refused
        (lambda: engine.split(np.ones(5), 2), "length 5"),
        (lambda: engine.cross(np.ones(2), np.ones(2)), "three elements"),
        (lambda: engine.quantile(np.ones(2), 1.5), r"between 0 and 1, not 1\.5"),
        (lambda: engine.norm(np.ones((2, 2)), 3), "matrix norm `3`"),
        (lambda: engine.rotary_embedding(np.ones((2, 3))), "features, not 3"),
        (lambda: engine.dropout(np.ones(2), -1, rng=np.random.default_rng(0)), "between 0 and 1, not -1"),
        (lambda: engine.one_hot(np.array([3]), 2), r"outside 0\.\.1"),
    ],
)
def test_operations_name_invalid_arguments(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_spectral_norm_shares_its_gradient_at_ties() -> None:
    """As ties of a maximum do; no singular vectors are divided by a difference that is 0."""
    assert np.allclose(gradient(lambda x: engine.norm(x, 2), np.eye(3)), np.eye(3) / 3, rtol=1e-15)
    assert np.array_equal(np.abs(gradient(lambda x: engine.norm(x, "nuc"), np.zeros((2, 2)))), np.eye(2))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: engine.softmax(x[:, :0], axis=1),
        lambda x: engine.log_softmax(x[:, :0], axis=1),
        lambda x: engine.group_norm(x[:0], 1),
        lambda x: engine.matmul(x[None, :, :0], x[:0, :]),
    ],
)
def test_empty_arrays_have_empty_gradients(f: Any) -> None:
    assert np.array_equal(gradient(lambda x: f(x).sum(), np.ones((2, 3))), np.zeros((2, 3)))


def test_norm_second_derivative_at_the_origin_is_zero() -> None:
    for f in (engine.vector_norm, lambda x: engine.hypot(x[0], x[1])):
        assert np.array_equal(engine.hvp(f, [np.zeros(2)], [np.ones(2)]).numpy(), [0, 0])


def test_gelu_derivatives_at_zero() -> None:
    """Φ(0) = 1/2, and the second derivative there is 2 φ(0)."""
    assert np.array_equal(gradient(engine.gelu, [0.0]), [0.5])
    curvature = engine.grad_of(engine.grad_of(engine.gelu))(np.array(0.0)).item()
    assert curvature == pytest.approx(2 / np.sqrt(2 * np.pi), rel=1e-15)


@pytest.mark.parametrize("widths", [((-1, 2),), ((0, -1),)])
def test_pad_refuses_negative_widths(widths: tuple[tuple[int, int], ...]) -> None:
    with pytest.raises(ValueError, match="widths must not be negative; slice x"):
        engine.pad(Tensor(np.array([1.0])), widths)
