"""What eigenvectors and singular vectors leave open, and what that leaves without a derivative."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor
from tests.engine.build import gradient_of

if TYPE_CHECKING:
    from collections.abc import Callable

ROTATION = np.array([[0.0, 2.0], [-1.0, 0.3]])
EQUAL = np.diag([2.0, 2.0, 5.0])
DEFECTIVE = np.array([[1.0, 1.0], [0.0, 1.0]])
WEIGHTS = np.arange(1.0, 10.0).reshape(3, 3)


def leaf(x: Any) -> Tensor:
    return Tensor(x, requires_grad=True)


def test_eigvals_is_complex_for_real_eigenvalues() -> None:
    values, vectors = engine.eig(np.diag([1.0, 3.0]).astype(np.float32))
    assert values.dtype == vectors.dtype == np.complex64
    assert sorted(values.real) == [1, 3]


@pytest.mark.parametrize("x", [ROTATION, ROTATION + 1j * DEFECTIVE, np.stack([ROTATION, 2 * ROTATION - 1])])
def test_eig_reconstructs_the_matrix(x: Any) -> None:
    values, vectors = engine.eig(x)
    assert np.allclose(x @ vectors, vectors * values[..., None, :], rtol=1e-14)
    assert np.allclose(np.linalg.norm(vectors, axis=-2), 1, rtol=1e-15)


def test_eigenvalue_derivative_has_its_closed_form() -> None:
    """Of a 2 x 2 matrix it is (t + sqrt(t² - 4 d)) / 2, t the trace and d the determinant."""
    x = leaf([[1.0, 2.0], [0.5, 4.0]])
    values = engine.eigvals(x)
    engine.max(values.real).backward()
    (a, b), (c, d) = x.numpy()
    root = np.sqrt((a - d) ** 2 + 4 * b * c)
    expected = [[0.5 + (a - d) / (2 * root), c / root], [b / root, 0.5 - (a - d) / (2 * root)]]
    assert np.allclose(gradient_of(x), expected, rtol=1e-13)


REPEATED: dict[str, Callable[[Any], Any]] = {
    "eigh": lambda x: engine.eigh(x)[1],
    "eig": lambda x: engine.eig(x)[1].real,
    "svd": lambda x: engine.svd(x)[0],
}


@pytest.mark.parametrize("name", REPEATED)
def test_eigenvectors_of_equal_values_are_refused(name: str) -> None:
    """A number here would be wrong: the derivative of f(x), made of the vectors, has parts between them."""
    with pytest.raises(np.linalg.LinAlgError, match=rf"`{name}` has two equal \w+.*`matrix_exp`"):
        (REPEATED[name](leaf(EQUAL)) * WEIGHTS).sum().backward()
    with pytest.raises(np.linalg.LinAlgError, match="two equal"):
        engine.vmap(engine.grad_of(lambda x: (REPEATED[name](x) * WEIGHTS).sum()))(np.stack([EQUAL + WEIGHTS, EQUAL]))
    tangent = engine.jvp(REPEATED[name], (EQUAL,), (WEIGHTS,))[1]
    assert np.isnan(tangent.numpy()).any()


@pytest.mark.parametrize("name", REPEATED)
def test_eigenvectors_of_close_values_are_differentiable(name: str) -> None:
    x = EQUAL + np.diag([0.0, 1e-3, 0.0]) + 0.01 * (WEIGHTS + WEIGHTS.T)
    assert engine.gradcheck(lambda x: engine.absolute(REPEATED[name]((x + x.T) / 2)), [x])


@pytest.mark.parametrize(("values", "slope"), [(engine.eigvalsh, 1.0), (engine.eigvals, 1.0), (engine.svdvals, 1.0)])
def test_sum_of_equal_eigenvalues_is_differentiable(values: Any, slope: float) -> None:
    x = leaf(EQUAL)
    values(x).real.sum().backward()
    assert np.allclose(gradient_of(x), slope * np.eye(3), atol=1e-15)
    _, pushed = engine.jvp(lambda x: values(x).real.sum(), (EQUAL,), (WEIGHTS,))
    assert pushed.numpy() == pytest.approx(slope * np.trace(WEIGHTS))


def test_eig_refuses_a_defective_matrix() -> None:
    with pytest.raises(np.linalg.LinAlgError, match=r"defective.*derivative is infinite"):
        engine.eigvals(leaf(DEFECTIVE)).real.sum().backward()
    with pytest.raises(np.linalg.LinAlgError, match="defective"):
        engine.jvp(engine.eigvals, (DEFECTIVE,), (DEFECTIVE,))


PHASES: dict[str, Callable[[Any], Any]] = {
    "eigh": lambda x: engine.eigh(x)[1],
    "eig": lambda x: engine.eig(x)[1],
    "svd": lambda x: engine.svd(x)[0],
}


@pytest.mark.parametrize("name", PHASES)
def test_eig_refuses_a_loss_of_the_phase_only(name: str) -> None:
    z = WEIGHTS + 2 * EQUAL + 1j * np.triu(WEIGHTS) - 1j * np.triu(WEIGHTS).T
    with pytest.raises(RuntimeError, match=rf"phases of the complex vectors of `{name}`.*`absolute"):
        (PHASES[name](leaf(z)) * (1 + 1j * WEIGHTS)).imag.sum().backward()
    assert engine.gradcheck(lambda z: engine.absolute(PHASES[name](z + z.conj().T if name == "eigh" else z)), [z])


@pytest.mark.torch
@pytest.mark.parametrize("name", ["eigh", "eig"])
def test_eig_phase_gradient_agrees_with_pytorch(torch: Any, name: str) -> None:
    """Of the vectors' squares times numbers: what does not cancel in an absolute value."""
    z = WEIGHTS + 2 * EQUAL + 1j * np.triu(WEIGHTS) - 1j * np.triu(WEIGHTS).T
    x, t = leaf(z), torch.tensor(z, requires_grad=True)
    found: list[Any] = []
    for e, vectors, values in (
        (engine, *getattr(engine, name)(x)[::-1]),
        (torch, *getattr(torch.linalg, name)(t)[::-1]),
    ):
        weights = WEIGHTS if e is engine else torch.tensor(WEIGHTS)
        ((vectors * vectors.conj()).real * weights).sum().backward(retain_graph=True)
        (abs(values) * weights[0]).sum().backward()
        found.append(x.grad.numpy() if e is engine and x.grad is not None else t.grad.numpy())
    assert np.allclose(found[0], found[1], rtol=1e-12)
