"""Samples of products, solutions and decompositions of matrices.

Decompositions are sampled through functions of their results that do not depend on what they leave open.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodrill import engine
from tests.engine.samples.base import Counterpart, Draw, Sample, exactly, one, placed, real


def regular(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Draw matrices far from singular, with distinct singular values."""
    noise = rng.uniform(-0.4, 0.4, shape)
    return np.asarray(noise + np.eye(shape[-2], shape[-1]) * (1.5 + np.arange(shape[-1])))


def square(rows: int) -> Draw:
    """Draw arrays that are far from singular as matrices, of which the first axes are the rows."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
        return regular(rng, (int(np.prod(shape[:rows])),) * 2).reshape(shape)

    return draw


def moved(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Draw such an array of which the first and third axes are the columns."""
    first, *rest = (shape[k] for k in (1, 3, 0, 2))
    return square(2)(rng, (first, *rest)).transpose(2, 0, 3, 1)


def einsum(*operands: Any, subscripts: str) -> Any:
    return engine.einsum(subscripts, *operands)


def products(subscripts: str, *shapes: tuple[int, ...]) -> Sample:
    return one("einsum", *shapes, call=einsum, subscripts=subscripts)


def adjoint(x: Any) -> Any:
    return engine.swapaxes(x, -1, -2).conj()


def hermitian(x: Any) -> Any:
    return x + adjoint(x)


def gram(x: Any) -> Any:
    """Return x xᴴ + 1/2, which is Hermitian positive definite."""
    return x @ adjoint(x) + placed(np.eye(x.shape[-2], dtype=x.dtype), x) / 2


def from_eigh(x: Any) -> Any:
    """Return the matrix sine of a Hermitian matrix: of eigenvectors, but not of their phases."""
    values, vectors = engine.eigh(hermitian(x))
    return (vectors * engine.expand_dims(engine.sin(values), -2)) @ adjoint(vectors)


def from_eig(x: Any, sizes: bool = False) -> Any:
    """Return the real part of the matrix sine of any matrix, through its eigenvectors, whatever their phases."""
    values, vectors = engine.eig(x)
    if sizes:
        return engine.absolute(vectors)  # that their norm stays 1
    return engine.real(engine.matmul(vectors * engine.expand_dims(engine.sin(values), -2), engine.inv(vectors)))


def turning(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Draw matrices with a rotation in them: pairs of complex eigenvalues, far from each other and from the others."""
    x = regular(rng, shape) * 0.5
    x[..., 0, 1] += 3
    x[..., 1, 0] -= 3
    return x


def from_svd(x: Any) -> Any:
    """Return U diag(sin s) Vᴴ."""
    u, s, vt = engine.svd(x)
    return (u * engine.expand_dims(engine.sin(s), -2)) @ vt


def from_qr(x: Any) -> Any:
    """Return Q sin(R): Householder's reflections give both libraries the same signs."""
    q, r = engine.qr(x)
    return q @ engine.sin(r)


SAMPLES: tuple[Sample, ...] = (
    products("ij,jk->ik", (2, 3), (3, 4)),
    products("bij,bjk", (2, 2, 3), (2, 3, 2)),
    products("...ij,jk->...ik", (2, 1, 2, 3), (3, 2)),
    products("...i,...i->...", (2, 1, 3), (4, 3)),
    products("ii->i", (3, 3)),
    products("ii", (3, 3)),
    products("ij->j", (2, 3)),
    products("ijk->kij", (2, 3, 2)),
    products("i,j->ij", (2,), (3,)),
    products("ij,kl->", (2, 3), (2, 2)),
    products("ij,jk,kl->il", (2, 3), (3, 2), (2, 4)),
    products("iij,jk,m->mk", (2, 2, 3), (3, 2), (2,)),
    products("ab,cb,ad->dc", (2, 3), (4, 3), (2, 2)),
    one("contract", (2, 3), (3, 4), labels=("ij", "jk", "ik")),
    one("contract", (0, 3), (3,), labels=("ij", "j", "i")),
    one("contract", (1,), (1,), labels=("i", "i", "")),
    one("tensordot", (2, 3), (2, 3)),
    one("tensordot", (2, 3, 4), (4, 2), axes=1),
    one("tensordot", (2, 3, 4), (3, 5, 2), axes=((1, 0), (0, 2))),
    one("dot", (3,), (3,)),
    one("dot", (2, 3), (2, 3, 4)),
    one("dot", (), (2, 3)),
    one("vdot", (2, 3), (2, 3)),
    one("vecdot", (2, 3), (4, 1, 3)),
    one("vecdot", (3, 2), (3, 2), axis=0),
    one("inner", (2, 3), (4, 3)),
    one("inner", (3,), (3,)),
    one("outer", (2,), (3,)),
    one("outer", (2, 2), (3,)),
    one("kron", (2, 3), (3, 2)),
    one("kron", (3,), (2, 2)),
    one("cross", (3,), (3,)),
    one("cross", (2, 3), (2, 3)),
    one("cross", (3, 2), (3, 2), axis=0),
    one("matvec", (2, 3), (3,)),
    one("matvec", (4, 2, 3), (4, 3)),
    one("multi_dot", (2, 3), (3, 4), (4, 2), call=lambda *xs: engine.multi_dot(xs)),
    one("multi_dot", (3,), (3, 4), (4, 1), (1, 2), (2,), call=lambda *xs: engine.multi_dot(xs)),
    *(one("inv", shape, draw=regular) for shape in ((1, 1), (3, 3), (2, 2, 2), (0, 2, 2))),
    *(one("solve", a, b, draw=(regular, real)) for a, b in (((3, 3), (3, 2)), ((2, 2, 2), (2, 1)), ((1, 1), (1, 1)))),
    one("solve", (3, 3), (3,), draw=(regular, real), call=engine.solve),
    one("solve_triangular", (3, 3), (3, 2), draw=(regular, real)),
    one("solve_triangular", (2, 3, 3), (2, 3, 2), draw=(regular, real), lower=True),
    one("solve_triangular", (3, 3), (3,), draw=(regular, real), lower=True, unit_diagonal=True),
    *(one("det", shape, draw=regular) for shape in ((1, 1), (3, 3), (2, 2, 2))),
    one("det", (2, 2), draw=exactly(1.0, 2.0, 2.0, 4.0)),
    one("det", (1, 1), draw=exactly(0.0)),
    one("det", (3, 3), draw=exactly(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
    *(one("logabsdet", shape, draw=regular) for shape in ((1, 1), (3, 3), (2, 2, 2))),
    *(one("det_phase", shape, draw=regular) for shape in ((1, 1), (3, 3), (2, 2, 2))),
    one("slogdet", (3, 3), draw=regular, call=lambda x: engine.slogdet(x)[1] * engine.slogdet(x)[0]),
    *(one("pinv", shape, draw=regular) for shape in ((1, 1), (3, 3), (4, 2), (2, 2, 3))),
    one("lstsq", (4, 2), (4,), draw=(regular, real)),
    one("lstsq", (4, 2), (4, 3), draw=(regular, real)),
    one("lstsq", (2, 4), (2, 1), draw=(regular, real)),
    *(one("matrix_power", (3, 3), draw=regular, n=n) for n in (0, 1, 2, 5, -2)),
    one("matrix_power", (2, 2, 2), draw=regular, n=3),
    one("matrix_exp", (3, 3)),
    one("matrix_exp", (2, 2, 2)),
    one("matrix_exp", (2, 2), draw=exactly(0.1, -0.2, 0.05, 0.0)),
    one("cholesky", (1, 1), draw=regular, call=lambda x: engine.cholesky(gram(x))),
    one("cholesky", (3, 3), call=lambda x: engine.cholesky(gram(x))),
    one("cholesky", (2, 2, 2), call=lambda x: engine.cholesky(gram(x))),
    *(one("qr", shape, draw=regular, call=from_qr) for shape in ((1, 1), (3, 3), (4, 2), (2, 4), (2, 3, 2))),
    *(one("eigh", shape, draw=regular, call=from_eigh) for shape in ((1, 1), (3, 3), (2, 2, 2))),
    one("eigvalsh", (3, 3), draw=regular, call=lambda x: engine.eigvalsh(hermitian(x))),
    *(one("eig", shape, draw=regular, call=from_eig) for shape in ((1, 1), (3, 3))),
    *(one("eig", shape, draw=turning, call=from_eig) for shape in ((3, 3), (2, 2, 2))),
    *(one("eig", (3, 3), draw=draw, call=from_eig, sizes=True) for draw in (regular, turning)),
    one("eigvals", (3, 3), draw=turning),
    *(one("svd", shape, draw=regular, call=from_svd) for shape in ((1, 1), (3, 3), (4, 2), (2, 3), (2, 3, 2))),
    *(one("svdvals", shape, draw=regular) for shape in ((1, 1), (3, 2), (2, 2, 3))),
    one("tensorinv", (2, 3, 3, 2), draw=square(2)),
    one("tensorinv", (6, 2, 3), draw=square(1), ind=1),
    one("tensorsolve", (2, 3, 6), (2, 3), draw=(square(2), real)),
    one("tensorsolve", (6, 2, 3), (6,), draw=(square(1), real)),
    one("tensorsolve", (2, 2, 3, 3), (2, 3), draw=(moved, real), axes=(0, 2)),
    one("vander", (4,)),
    one("vander", (2, 3), N=2, increasing=True),
    one("cond", (3, 3), draw=regular),
    one("norm", (2, 3)),
    one("norm", (2, 3, 2), axis=1),
    one("norm", (2, 3), ord=3, axis=0, keepdims=True),
    *(one("norm", (3, 2), draw=regular, ord=order) for order in ("fro", "nuc", 2, -2, 1, -1, np.inf, -np.inf)),
    one("norm", (3, 2, 2), draw=regular, ord="nuc", axis=(0, 2), keepdims=True),
)


def in_torch(name: str) -> Counterpart:
    return lambda torch: getattr(torch, name)


def in_linalg(name: str) -> Counterpart:
    return lambda torch: getattr(torch.linalg, name)


def torch_gram(torch: Any, x: Any) -> Any:
    return x @ x.mH + torch.eye(x.shape[-1], dtype=x.dtype) / 2


def torch_eigh(torch: Any) -> Any:
    def call(x: Any) -> Any:
        values, vectors = torch.linalg.eigh(x + x.mH)
        return (vectors * torch.sin(values)[..., None, :]) @ vectors.mH

    return call


def torch_eig(torch: Any) -> Any:
    def call(x: Any, sizes: bool = False) -> Any:
        values, vectors = torch.linalg.eig(x)
        if sizes:
            return vectors.abs()
        return (vectors * torch.sin(values)[..., None, :] @ torch.linalg.inv(vectors)).real

    return call


def torch_svd(torch: Any) -> Any:
    def call(x: Any) -> Any:
        u, s, vt = torch.linalg.svd(x, full_matrices=False)
        return (u * torch.sin(s)[..., None, :]) @ vt

    return call


def torch_qr(torch: Any) -> Any:
    def call(x: Any) -> Any:
        q, r = torch.linalg.qr(x)
        return q @ torch.sin(r)

    return call


def torch_solve(torch: Any) -> Any:
    return lambda a, b: torch.linalg.solve(a, b[..., None])[..., 0] if b.ndim == 1 else torch.linalg.solve(a, b)


def torch_triangular(torch: Any) -> Any:
    def call(a: Any, b: Any, lower: bool = False, unit_diagonal: bool = False) -> Any:
        right = b[:, None] if b.ndim == 1 else b
        x = torch.linalg.solve_triangular(a, right, upper=not lower, unitriangular=unit_diagonal)
        return x[:, 0] if b.ndim == 1 else x

    return call


def vandermonde(torch: Any) -> Any:
    def call(x: Any, N: Any = None, increasing: bool = False) -> Any:
        powers = torch.linalg.vander(x, N=N)
        return powers if increasing else powers.flip(-1)

    return call


def torch_norm(torch: Any) -> Any:
    return lambda x, axis=None, keepdims=False, **order: torch.linalg.norm(x, dim=axis, keepdim=keepdims, **order)


COUNTERPARTS: dict[str, Counterpart] = {
    **{name: in_torch(name) for name in ("inner", "kron")},
    **{name: in_linalg(name) for name in ("inv", "det", "pinv", "matrix_power", "matrix_exp", "svdvals", "cond")},
    "tensorinv": lambda t: lambda x, ind=2: t.linalg.tensorinv(x, ind),
    "tensorsolve": lambda t: lambda a, b, axes=None: t.linalg.tensorsolve(a, b, axes),
    "vander": vandermonde,
    "einsum": lambda t: lambda *xs, subscripts: t.einsum(subscripts, *xs),
    "contract": lambda t: lambda x, y, labels: t.einsum(f"{labels[0]},{labels[1]}->{labels[2]}", x, y),
    "tensordot": lambda t: lambda x, y, axes=2: t.tensordot(x, y, axes),
    "dot": lambda t: lambda x, y: x * y if x.ndim == 0 else t.tensordot(x, y, ((-1,), (-1 if y.ndim == 1 else -2,))),
    "vdot": lambda t: lambda x, y: t.vdot(x.reshape(-1), y.reshape(-1)),
    "vecdot": lambda t: lambda x, y, axis=-1: t.linalg.vecdot(x, y, dim=axis),
    "outer": lambda t: lambda x, y: t.outer(x.reshape(-1), y.reshape(-1)),
    "cross": lambda t: lambda x, y, axis=-1: t.linalg.cross(x, y, dim=axis),
    "matvec": lambda t: lambda x, y: (x @ y[..., None])[..., 0],
    "multi_dot": lambda t: lambda *xs: t.linalg.multi_dot(xs),
    "solve": torch_solve,
    "solve_triangular": torch_triangular,
    "det_phase": lambda t: lambda x: t.linalg.slogdet(x)[0],
    "logabsdet": lambda t: lambda x: t.linalg.slogdet(x)[1],
    "slogdet": lambda t: lambda x: t.linalg.slogdet(x)[1] * t.linalg.slogdet(x)[0],
    "lstsq": lambda t: lambda a, b: t.linalg.pinv(a) @ b,  # its own lstsq differentiates by the same formula
    "cholesky": lambda t: lambda x: t.linalg.cholesky(torch_gram(t, x)),
    "qr": torch_qr,
    "eigh": torch_eigh,
    "eigvalsh": lambda t: lambda x: t.linalg.eigvalsh(x + x.mH),
    "eig": torch_eig,
    "eigvals": in_linalg("eigvals"),
    "svd": torch_svd,
    "norm": torch_norm,
}
