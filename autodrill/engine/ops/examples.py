"""An example of each operation: a call, and its result to five digits.

`help` shows the example at the end of an operation's docstring, after what its declaration says; see `behaviour`.
`tests/engine/test_examples.py` runs all of them.
"""

from __future__ import annotations

from typing import Any

from autodrill.engine.ops.behaviour import INDENT, paragraph

__all__ = ["EXAMPLES", "show"]

_TABLE = """
engine.absolute(np.array([-2.0, 3.0]))  # [2, 3]
engine.adaptive_avg_pool1d(np.array([[[1.0, 2.0, 3.0, 4.0]]]), 2)  # [[[1.5, 3.5]]]
engine.adaptive_avg_pool2d(np.ones((1, 1, 4, 4)), (1, 2))  # [[[[1, 1]]]]
engine.adaptive_avg_pool3d(np.ones((1, 1, 2, 2, 2)), 1)  # [[[[[1]]]]]
engine.adaptive_max_pool1d(np.array([[[1.0, 2.0, 3.0, 4.0]]]), 2)  # [[[2, 4]]]
engine.adaptive_max_pool2d(np.arange(4.0).reshape(1, 1, 2, 2), 1)  # [[[[3]]]]
engine.adaptive_max_pool3d(np.arange(8.0).reshape(1, 1, 2, 2, 2), 1)  # [[[[[7]]]]]
engine.add(np.array([1.0, 2.0]), 3.0)  # [4, 5]
engine.addbmm(np.zeros((1, 1)), np.ones((3, 1, 2)), np.ones((3, 2, 1)))  # [[6]]
engine.addcdiv(np.array([1.0]), np.array([3.0]), np.array([2.0]))  # [2.5]
engine.addcmul(np.array([1.0]), np.array([3.0]), np.array([2.0]), value=10.0)  # [61]
engine.addmm(np.zeros((1, 1)), np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), alpha=2.0)  # [[22]]
engine.addmv(np.array([1.0]), np.array([[1.0, 2.0]]), np.array([3.0, 4.0]))  # [12]
engine.addr(np.zeros((2, 2)), np.array([1.0, 2.0]), np.array([3.0, 4.0]))  # [[3, 4], [6, 8]]
engine.all(np.array([True, False]))  # False
engine.angle(np.array([1j, -1.0]))  # [1.5708, 3.1416]
engine.any(np.array([True, False]))  # True
engine.arange(1, 4)  # [1, 2, 3]
engine.arccos(np.array([1.0, 0.0]))  # [0, 1.5708]
engine.arccosh(np.array([1.0, 2.0]))  # [0, 1.317]
engine.arcsin(np.array([0.0, 1.0]))  # [0, 1.5708]
engine.arcsinh(np.array([0.0, 1.0]))  # [0, 0.88137]
engine.arctan(np.array([0.0, 1.0]))  # [0, 0.7854]
engine.arctan2(np.array([1.0]), np.array([-1.0]))  # [2.3562]
engine.arctanh(np.array([0.0, 0.5]))  # [0, 0.54931]
engine.argmax(np.array([3.0, 7.0, 5.0]))  # 1
engine.argmin(np.array([3.0, 7.0, 5.0]))  # 0
engine.argsort(np.array([3.0, 7.0, 5.0]))  # [0, 2, 1]
engine.as_strided(np.arange(4.0), (3, 2), (1, 1))  # [[0, 1], [1, 2], [2, 3]]
engine.as_strided_scatter(np.zeros(4), np.array([1.0, 2.0]), (2,), (2,))  # [1, 0, 2, 0]
engine.astype(np.array([1.5, 2.5]), "float32")  # [1.5, 2.5]
engine.atleast_1d(np.array(3.0))  # [3]
engine.atleast_2d(np.array([1.0, 2.0]))  # [[1, 2]]
engine.atleast_3d(np.array([1.0, 2.0]))  # [[[1], [2]]]
engine.avg_pool1d(np.array([[[1.0, 3.0, 5.0, 7.0]]]), 2)  # [[[2, 6]]]
engine.avg_pool2d(np.arange(4.0).reshape(1, 1, 2, 2), 2)  # [[[[1.5]]]]
engine.avg_pool3d(np.arange(8.0).reshape(1, 1, 2, 2, 2), 2)  # [[[[[3.5]]]]]
engine.baddbmm(np.zeros((1, 1, 1)), np.ones((1, 1, 2)), np.ones((1, 2, 1)))  # [[[2]]]
engine.batch_norm(np.array([[1.0], [3.0]]), training=True)  # [[-1], [1]]
engine.bessel_i(np.array([0.0, 1.0]))  # [1, 1.2661]
engine.bessel_ie(np.array([0.0, 1.0]))  # [1, 0.46576]
engine.bessel_j(np.array([0.0, 1.0]))  # [1, 0.7652]
engine.bessel_ke(np.array([1.0]))  # [1.1445]
engine.bessel_y(np.array([1.0]))  # [0.088257]
engine.betaln(np.array([1.0]), np.array([2.0]))  # [-0.69315]
engine.bilinear(np.array([[1.0, 2.0]]), np.array([[3.0]]), np.ones((1, 2, 1)))  # [[9]]
engine.binary_cross_entropy(np.array([0.5]), np.array([1.0]))  # 0.69315
engine.binary_cross_entropy_with_logits(np.array([0.0]), np.array([1.0]))  # 0.69315
engine.block_diag(np.array([[1.0]]), np.array([[2.0]]))  # [[1, 0], [0, 2]]
engine.broadcast_to(np.array([1.0, 2.0]), (2, 2))  # [[1, 2], [1, 2]]
engine.cbrt(np.array([8.0, -27.0]))  # [2, -3]
engine.cdist(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))  # [[5]]
engine.ceil(np.array([1.2, -1.2]))  # [2, -1]
engine.celu(np.array([-1.0, 1.0]))  # [-0.63212, 1]
engine.channel_shuffle(np.arange(4.0).reshape(1, 4, 1), 2)  # [[[0], [2], [1], [3]]]
engine.cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))  # [[2, 0], [1, 2]]
engine.cholesky_inverse(np.array([[2.0]]))  # [[0.25]]
engine.cholesky_solve(np.array([[8.0]]), np.array([[2.0]]))  # [[2]]
engine.chunk(np.arange(5.0), 2)  # [[0, 1, 2], [3, 4]]
engine.clamp(np.array([1.0, 5.0]), np.array([2.0, 2.0]), 4.0)  # [2, 4]
engine.clip(np.array([1.0, 5.0]), 2.0, 4.0)  # [2, 4]
engine.column_stack([np.array([1.0, 2.0]), np.array([3.0, 4.0])])  # [[1, 3], [2, 4]]
engine.complex(np.array([1.0]), np.array([2.0]))  # [1+2j]
engine.concatenate([np.array([1.0]), np.array([2.0, 3.0])])  # [1, 2, 3]
engine.cond(np.array([[4.0, 0.0], [0.0, 2.0]]))  # 2
engine.conj(np.array([1.0 + 2.0j]))  # [1-2j]
engine.contract(np.array([1.0, 2.0]), np.array([3.0, 4.0]), labels=("i", "i", ""))  # 11
engine.conv1d(np.array([[[1.0, 2.0, 3.0]]]), np.array([[[1.0, 1.0]]]))  # [[[3, 5]]]
engine.conv2d(np.ones((1, 1, 2, 2)), np.ones((1, 1, 2, 2)))  # [[[[4]]]]
engine.conv3d(np.ones((1, 1, 2, 2, 2)), np.ones((1, 1, 2, 2, 2)))  # [[[[[8]]]]]
engine.conv_transpose1d(np.array([[[1.0, 2.0]]]), np.array([[[1.0, 1.0]]]))  # [[[1, 3, 2]]]
engine.conv_transpose2d(np.ones((1, 1, 1, 1)), np.ones((1, 1, 2, 2)))  # [[[[1, 1], [1, 1]]]]
engine.conv_transpose3d(np.ones((1, 1, 1, 1, 1)), np.ones((1, 1, 1, 1, 2)))  # [[[[[1, 1]]]]]
engine.copy_slices(np.zeros(3), 5.0, steps=((engine.getitem, {"index": 1}),))  # [0, 5, 0]
engine.copysign(np.array([1.0, 2.0]), np.array([-1.0, 1.0]))  # [-1, 2]
engine.corrcoef(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))  # [[1, -1], [-1, 1]]
engine.cos(np.array([0.0, np.pi]))  # [1, -1]
engine.cosh(np.array([0.0, 1.0]))  # [1, 1.5431]
engine.cosine_embedding_loss(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]), np.array([1]))  # 1
engine.cosine_similarity(np.array([[1.0, 0.0]]), np.array([[1.0, 1.0]]))  # [0.70711]
engine.cov(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))  # [[1, -1], [-1, 1]]
engine.cross(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))  # [0, 0, 1]
engine.cross_entropy(np.array([[0.0, 0.0]]), np.array([1]))  # 0.69315
engine.ctc_loss(np.log(np.full((2, 1, 2), 0.5)), np.array([[1]]), np.array([2]), np.array([1]))  # 0.28768
engine.cummax(np.array([1.0, 3.0, 2.0]))  # [1, 3, 3]
engine.cummin(np.array([3.0, 1.0, 2.0]))  # [3, 1, 1]
engine.cumprod(np.array([1.0, 2.0, 3.0]))  # [1, 2, 6]
engine.cumsum(np.array([1.0, 2.0, 3.0]))  # [1, 3, 6]
engine.cumulative_trapezoid(np.array([0.0, 2.0, 4.0]))  # [1, 4]
engine.deg2rad(np.array([180.0]))  # [3.1416]
engine.det(np.array([[1.0, 2.0], [3.0, 4.0]]))  # -2
engine.det_phase(np.array([[1.0, 2.0], [3.0, 4.0]]))  # -1
engine.dft(np.array([1.0 + 0.0j, 2.0]), axes=(0,))  # [3+0j, -1+0j]
engine.diag(np.array([1.0, 2.0]))  # [[1, 0], [0, 2]]
engine.diag_embed(np.array([1.0, 2.0]))  # [[1, 0], [0, 2]]
engine.diagonal(np.array([[1.0, 2.0], [3.0, 4.0]]))  # [1, 4]
engine.diff(np.array([1.0, 4.0, 9.0]))  # [3, 5]
engine.digamma(np.array([1.0]))  # [-0.57722]
engine.divide(np.array([1.0, 2.0]), 4.0)  # [0.25, 0.5]
engine.dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))  # 11
engine.dropout(np.ones(4), 0.5, rng=np.random.default_rng(0))  # [2, 0, 0, 0]
engine.dstack([np.array([1.0]), np.array([2.0])])  # [[[1, 2]]]
engine.eig(np.array([[2.0, 0.0], [0.0, 3.0]]))[0]  # [2+0j, 3+0j]
engine.eigh(np.array([[2.0, 1.0], [1.0, 2.0]]))[0]  # [1, 3]
engine.eigvals(np.array([[0.0, 1.0], [-1.0, 0.0]]))  # [0+1j, 0-1j]
engine.eigvalsh(np.array([[2.0, 1.0], [1.0, 2.0]]))  # [1, 3]
engine.einsum("ij,j->i", np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0]))  # [3, 7]
engine.eliminate(np.array([[2.0, 1.0], [4.0, 5.0]]))  # [[2, 1], [2, 3]]
engine.elu(np.array([-1.0, 1.0]))  # [-0.63212, 1]
engine.embedding(np.array([1, 0]), np.array([[1.0, 2.0], [3.0, 4.0]]))  # [[3, 4], [1, 2]]
engine.embedding_bag(np.array([[0, 1]]), np.array([[1.0, 2.0], [3.0, 4.0]]), "sum")  # [[4, 6]]
engine.empty_like(np.array([1.0, 2.0]))  # [0, 0]
engine.entr(np.array([0.5, 1.0]))  # [0.34657, 0]
engine.erf(np.array([0.0, 1.0]))  # [0, 0.8427]
engine.erfc(np.array([0.0, 1.0]))  # [1, 0.1573]
engine.erfcx(np.array([0.0, 10.0]))  # [1, 0.056141]
engine.erfinv(np.array([0.0, 0.5]))  # [0, 0.47694]
engine.exp(np.array([0.0, 1.0]))  # [1, 2.7183]
engine.exp2(np.array([3.0]))  # [8]
engine.expand(np.array([[1.0], [2.0]]), (-1, 2))  # [[1, 1], [2, 2]]
engine.expand_dims(np.array([1.0, 2.0]), 0)  # [[1, 2]]
engine.expm1(np.array([1e-10]))  # [1e-10]
engine.eye(2)  # [[1, 0], [0, 1]]
engine.fft(np.array([1.0, 2.0]))  # [3+0j, -1+0j]
engine.fft2(np.array([[1.0, 2.0], [3.0, 4.0]]))  # [[10+0j, -2+0j], [-4+0j, 0+0j]]
engine.fftn(np.array([[1.0, 2.0], [3.0, 4.0]]))  # [[10+0j, -2+0j], [-4+0j, 0+0j]]
engine.fftshift(np.array([0.0, 1.0, 2.0, 3.0]))  # [2, 3, 0, 1]
engine.flatten(np.zeros((2, 3, 4)), 1).shape  # (2, 12)
engine.flip(np.array([1.0, 2.0, 3.0]))  # [3, 2, 1]
engine.fliplr(np.array([[1.0, 2.0]]))  # [[2, 1]]
engine.flipud(np.array([[1.0], [2.0]]))  # [[2], [1]]
engine.float_power(np.array([2.0], dtype="float32"), np.array([3.0], dtype="float32"))  # [8]
engine.floor(np.array([1.7, -1.2]))  # [1, -2]
engine.floor_divide(np.array([7.0, -7.0]), 2.0)  # [3, -4]
engine.fmax(np.array([1.0, np.nan]), np.array([2.0, 3.0]))  # [2, 3]
engine.fmin(np.array([1.0, np.nan]), np.array([2.0, 3.0]))  # [1, 3]
engine.fmod(np.array([7.0, -7.0]), 3.0)  # [1, -1]
engine.fold(np.ones((1, 4, 1)), (2, 2), 2)  # [[[[1, 1], [1, 1]]]]
engine.frac(np.array([1.25, -1.25]))  # [0.25, -0.25]
engine.full(2, 7.0)  # [7, 7]
engine.full_like(np.array([1.0, 2.0]), 7.0)  # [7, 7]
engine.gammaln(np.array([5.0]))  # [3.1781]
engine.gather(np.array([[1.0, 2.0], [3.0, 4.0]]), 1, np.array([[1], [0]]))  # [[2], [3]]
engine.gaussian_nll_loss(np.array([1.0]), np.array([3.0]), np.array([2.0]))  # 1.3466
engine.gelu(np.array([-1.0, 1.0]))  # [-0.15866, 0.84134]
engine.getitem(np.array([1.0, 2.0, 3.0]), slice(1, None))  # [2, 3]
engine.glu(np.array([2.0, 0.0]))  # [1]
engine.gradient(np.array([0.0, 1.0, 4.0]))  # [1, 2, 3]
engine.grid_sample(np.arange(4.0).reshape(1, 1, 2, 2), np.zeros((1, 1, 1, 2)))  # [[[[1.5]]]]
engine.group_norm(np.array([[[1.0, 3.0]]]), 1)  # [[[-1, 1]]]
engine.gru_cell(np.ones((1, 1)), np.zeros((1, 1)), np.ones((3, 1)), np.ones((3, 1)))  # [[0.20482]]
engine.gumbel_softmax(np.array([0.0, 5.0]), hard=True, rng=np.random.default_rng(0))  # [0, 1]
engine.hardshrink(np.array([0.3, 2.0]))  # [0, 2]
engine.hardsigmoid(np.array([-4.0, 0.0, 4.0]))  # [0, 0.5, 1]
engine.hardswish(np.array([-4.0, 1.0, 4.0]))  # [0, 0.66667, 4]
engine.hardtanh(np.array([-4.0, 0.5]))  # [-1, 0.5]
engine.heaviside(np.array([-1.0, 0.0, 2.0]), 0.5)  # [0, 0.5, 1]
engine.hfft(np.array([1.0, 2.0]))  # [3, -1]
engine.hfft2(np.array([[1.0, 2.0]]))  # [[3, -1]]
engine.hfftn(np.array([[1.0, 2.0]]))  # [[3, -1]]
engine.hinge_embedding_loss(np.array([0.3, 0.3]), np.array([1, -1]), "none")  # [0.3, 0.7]
engine.householder_product(np.array([[0.0], [1.0]]), np.array([1.0]))  # [[0], [-1]]
engine.hstack([np.array([1.0]), np.array([2.0])])  # [1, 2]
engine.huber(np.array([0.5, 3.0]))  # [0.125, 2.5]
engine.huber_loss(np.array([3.0]), np.array([0.0]))  # 2.5
engine.hypot(np.array([3.0]), np.array([4.0]))  # [5]
engine.i0(np.array([0.0, 1.0]))  # [1, 1.2661]
engine.i0e(np.array([0.0, 1.0]))  # [1, 0.46576]
engine.i1(np.array([0.0, 1.0]))  # [0, 0.56516]
engine.i1e(np.array([0.0, 1.0]))  # [0, 0.20791]
engine.ifft(np.array([3.0, -1.0]))  # [1+0j, 2+0j]
engine.ifft2(np.array([[10.0, -2.0], [-4.0, 0.0]]))  # [[1+0j, 2+0j], [3+0j, 4+0j]]
engine.ifftn(np.array([[10.0, -2.0], [-4.0, 0.0]]))  # [[1+0j, 2+0j], [3+0j, 4+0j]]
engine.ifftshift(np.array([2.0, 3.0, 0.0, 1.0]))  # [0, 1, 2, 3]
engine.ihfft(np.array([1.0, 2.0]))  # [1.5+0j, -0.5+0j]
engine.ihfft2(np.array([[1.0, 2.0]]))  # [[1.5+0j, -0.5+0j]]
engine.ihfftn(np.array([[1.0, 2.0]]))  # [[1.5+0j, -0.5+0j]]
engine.imag(np.array([1.0 + 2.0j]))  # [2]
engine.index_add(np.array([1.0, 1.0]), np.array([0, 0]), np.array([2.0, 3.0]))  # [6, 1]
engine.index_copy(np.array([1.0, 2.0, 3.0]), 0, np.array([2, 0]), np.array([8.0, 9.0]))  # [9, 2, 8]
engine.index_fill(np.array([1.0, 2.0, 3.0]), 0, np.array([0, 2]), 7.0)  # [7, 2, 7]
engine.index_put(np.array([1.0, 2.0, 3.0]), np.array([0, 2]), np.array([8.0, 9.0]))  # [8, 2, 9]
engine.index_reduce(np.array([1.0, 2.0]), 0, np.array([1, 1]), np.array([3.0, 4.0]), "prod")  # [1, 24]
engine.index_scatter(np.array([1.0, 2.0]), index=np.array([1, 1]), shape=(3,))  # [0, 3, 0]
engine.index_select(np.array([1.0, 2.0, 3.0]), 0, np.array([2, 0]))  # [3, 1]
engine.inner(np.array([1.0, 2.0]), np.array([3.0, 4.0]))  # 11
engine.instance_norm(np.array([[[1.0, 3.0]]]))  # [[[-1, 1]]]
engine.interp(np.array([0.5]), np.array([0.0, 1.0]), np.array([10.0, 20.0]))  # [15]
engine.interpolate(np.array([[[1.0, 3.0]]]), 4)  # [[[1, 1, 3, 3]]]
engine.inv(np.array([[2.0, 0.0], [0.0, 4.0]]))  # [[0.5, 0], [0, 0.25]]
engine.irdft(np.array([3.0, -1.0]) + 0j, n=2, axis=0)  # [1, 2]
engine.irfft(np.array([3.0, -1.0]))  # [1, 2]
engine.irfft2(np.array([[10.0, -2.0], [-4.0, 0.0]]))  # [[1, 2], [3, 4]]
engine.irfftn(np.array([[10.0, -2.0], [-4.0, 0.0]]))  # [[1, 2], [3, 4]]
engine.isfinite(np.array([1.0, np.inf, np.nan]))  # [True, False, False]
engine.isinf(np.array([1.0, np.inf, np.nan]))  # [False, True, False]
engine.isnan(np.array([1.0, np.inf, np.nan]))  # [False, False, True]
engine.j0(np.array([0.0, 1.0]))  # [1, 0.7652]
engine.j1(np.array([0.0, 1.0]))  # [0, 0.44005]
engine.k0(np.array([1.0]))  # [0.42102]
engine.k0e(np.array([1.0]))  # [1.1445]
engine.k1(np.array([1.0]))  # [0.60191]
engine.k1e(np.array([1.0]))  # [1.6362]
engine.kl_div(np.log(np.array([0.5, 0.5])), np.array([0.25, 0.75]), "sum")  # 0.13081
engine.kron(np.array([1.0, 2.0]), np.array([1.0, 10.0]))  # [1, 10, 2, 20]
engine.kthvalue(np.array([3.0, 1.0, 2.0]), 2)  # 2
engine.l1_loss(np.array([1.0, 2.0]), np.array([0.0, 4.0]))  # 1.5
engine.layer_norm(np.array([1.0, 3.0]))  # [-1, 1]
engine.leaky_relu(np.array([-1.0, 1.0]))  # [-0.01, 1]
engine.lerp(np.array([0.0]), np.array([10.0]), 0.3)  # [3]
engine.linear(np.array([1.0, 2.0]), np.array([[3.0, 4.0]]), np.array([5.0]))  # [16]
engine.linspace(0.0, 1.0, 3)  # [0, 0.5, 1]
engine.local_response_norm(np.ones((1, 2, 1)), 2)  # [[[0.99996], [0.99993]]]
engine.log(np.array([1.0, np.e]))  # [0, 1]
engine.log10(np.array([1000.0]))  # [3]
engine.log1p(np.array([1e-10]))  # [1e-10]
engine.log2(np.array([8.0]))  # [3]
engine.log_ndtr(np.array([0.0, -10.0]))  # [-0.69315, -53.231]
engine.log_softmax(np.array([0.0, 0.0]))  # [-0.69315, -0.69315]
engine.logabsdet(np.array([[1.0, 2.0], [3.0, 4.0]]))  # 0.69315
engine.logaddexp(np.array([0.0]), np.array([0.0]))  # [0.69315]
engine.logaddexp2(np.array([0.0]), np.array([0.0]))  # [1]
engine.logcumsumexp(np.array([0.0, 0.0, 0.0]))  # [0, 0.69315, 1.0986]
engine.logdet(np.array([[2.0, 0.0], [0.0, 3.0]]))  # 1.7918
engine.logit(np.array([0.5, 0.75]))  # [0, 1.0986]
engine.logsigmoid(np.array([0.0]))  # [-0.69315]
engine.logsumexp(np.array([0.0, 0.0]))  # 0.69315
engine.lp_pool1d(np.array([[[3.0, 4.0]]]), 2.0, 2)  # [[[5]]]
engine.lp_pool2d(np.ones((1, 1, 2, 2)), 2.0, 2)  # [[[[2]]]]
engine.lstm_cell(np.ones((1, 1)), np.zeros((2, 1, 1)), np.ones((4, 1)), np.ones((4, 1)))  # ([[0.36961]], [[0.55677]])
engine.lstsq(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]))  # [2]
engine.lu(np.array([[1.0, 2.0], [4.0, 2.0]]))[2]  # [[4, 2], [0, 1.5]]
engine.lu_factor(np.array([[1.0, 2.0], [4.0, 2.0]]))  # ([[4, 2], [0.25, 1.5]], [1, 0])
engine.lu_solve(np.array([[4.0, 2.0], [0.25, 1.5]]), np.array([1, 0]), np.array([[3.0], [6.0]]))  # [[1], [1]]
engine.lu_unpack(np.array([[4.0, 2.0], [0.25, 1.5]]), np.array([1, 0]))[1]  # [[1, 0], [0.25, 1]]
engine.margin_ranking_loss(np.array([1.0]), np.array([2.0]), np.array([1]))  # 1
engine.masked_fill(np.array([1.0, 2.0]), np.array([True, False]), 7.0)  # [7, 2]
engine.masked_scatter(np.array([1.0, 2.0, 3.0]), np.array([True, False, True]), np.array([8.0, 9.0]))  # [8, 2, 9]
engine.masked_select(np.array([1.0, 2.0, 3.0]), np.array([True, False, True]))  # [1, 3]
engine.matmul(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))  # [[11]]
engine.matrix_exp(np.array([[0.0, 1.0], [0.0, 0.0]]))  # [[1, 1], [0, 1]]
engine.matrix_power(np.array([[2.0, 0.0], [0.0, 3.0]]), 3)  # [[8, 0], [0, 27]]
engine.matvec(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0]))  # [3, 7]
engine.max(np.array([1.0, 3.0, 2.0]))  # 3
engine.max_pool1d(np.array([[[1.0, 3.0, 2.0, 4.0]]]), 2)  # [[[3, 4]]]
engine.max_pool2d(np.arange(4.0).reshape(1, 1, 2, 2), 2, return_indices=True)  # ([[[[3]]]], [[[[3]]]])
engine.max_pool3d(np.arange(8.0).reshape(1, 1, 2, 2, 2), 2)  # [[[[[7]]]]]
engine.max_unpool1d(np.array([[[3.0, 4.0]]]), np.array([[[1, 3]]]), 2)  # [[[0, 3, 0, 4]]]
engine.max_unpool2d(np.array([[[[3.0]]]]), np.array([[[[2]]]]), 2)  # [[[[0, 0], [3, 0]]]]
engine.max_unpool3d(np.array([[[[[3.0]]]]]), np.array([[[[[2]]]]]), (1, 2, 2))  # [[[[[0, 0], [3, 0]]]]]
engine.maximum(np.array([1.0, 5.0]), 3.0)  # [3, 5]
engine.mean(np.array([1.0, 2.0, 6.0]))  # 3
engine.median(np.array([1.0, 2.0, 6.0]))  # 2
engine.meshgrid(np.array([1.0, 2.0]), np.array([3.0]))  # [[[1, 2]], [[3, 3]]]
engine.min(np.array([3.0, 1.0, 2.0]))  # 1
engine.minimum(np.array([1.0, 5.0]), 3.0)  # [1, 3]
engine.mish(np.array([0.0, 1.0]))  # [0, 0.8651]
engine.moveaxis(np.zeros((2, 3, 4)), 0, -1).shape  # (3, 4, 2)
engine.mse_loss(np.array([1.0, 2.0]), np.array([0.0, 4.0]))  # 2.5
engine.multi_dot([np.array([1.0, 2.0]), np.array([[1.0], [1.0]]), np.array([[3.0]])])  # [9]
engine.multi_margin_loss(np.array([[1.0, 0.5]]), np.array([0]))  # 0.25
engine.multigammaln(np.array([3.0]), 2)  # [1.5502]
engine.multilabel_margin_loss(np.array([[0.2, 0.8]]), np.array([[0, -1]]))  # 0.8
engine.multilabel_soft_margin_loss(np.array([[0.0, 0.0]]), np.array([[1.0, 0.0]]))  # 0.69315
engine.multiply(np.array([1.0, 2.0]), 3.0)  # [3, 6]
engine.nan_to_num(np.array([1.0, np.nan]))  # [1, 0]
engine.nancumsum(np.array([1.0, np.nan, 2.0]))  # [1, 1, 3]
engine.nanmax(np.array([1.0, np.nan, 2.0]))  # 2
engine.nanmean(np.array([1.0, np.nan, 2.0]))  # 1.5
engine.nanmedian(np.array([1.0, np.nan, 2.0]))  # 1.5
engine.nanmin(np.array([1.0, np.nan, 2.0]))  # 1
engine.nanprod(np.array([3.0, np.nan, 2.0]))  # 6
engine.nanquantile(np.array([1.0, np.nan, 2.0]), 0.25)  # 1.25
engine.nanstd(np.array([1.0, np.nan, 3.0]))  # 1
engine.nansum(np.array([1.0, np.nan, 2.0]))  # 3
engine.nanvar(np.array([1.0, np.nan, 3.0]), ddof=1)  # 2
engine.narrow(np.arange(5.0), 0, 1, 2)  # [1, 2]
engine.ndtr(np.array([0.0, 1.96]))  # [0.5, 0.975]
engine.ndtri(np.array([0.5, 0.975]))  # [0, 1.96]
engine.negative(np.array([1.0, -2.0]))  # [-1, 2]
engine.nll_loss(np.log(np.array([[0.25, 0.75]])), np.array([1]))  # 0.28768
engine.norm(np.array([[3.0, 0.0], [0.0, 4.0]]))  # 5
engine.normalize(np.array([[3.0, 4.0]]))  # [[0.6, 0.8]]
engine.one_hot(np.array([0, 2]), 3)  # [[1, 0, 0], [0, 0, 1]]
engine.ones(2)  # [1, 1]
engine.ones_like(np.array([5.0, 6.0]))  # [1, 1]
engine.ormqr(np.array([[1.0], [0.0]]), np.array([2.0]), np.array([[1.0], [1.0]]))  # [[-1], [1]]
engine.outer(np.array([1.0, 2.0]), np.array([3.0, 4.0]))  # [[3, 4], [6, 8]]
engine.overlap_add(np.ones((2, 2)), axes=(0,), shape=(3,), size=(2,), stride=(1,), dilation=(1,))  # [1, 2, 1]
engine.p_norm(np.array([3.0, 4.0]))  # 5
engine.pad(np.array([1.0, 2.0]), 1)  # [0, 1, 2, 0]
engine.pad_constant(np.array([1.0, 2.0]), widths=((0, 1),))  # [1, 2, 0]
engine.pairwise_distance(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))  # [5]
engine.partition(np.array([3.0, 1.0, 2.0]), 1)  # [1, 2, 3]
engine.pdist(np.array([[0.0, 0.0], [3.0, 4.0]]))  # [5]
engine.pinv(np.array([[2.0], [0.0]]))  # [[0.5, 0]]
engine.pixel_shuffle(np.arange(4.0).reshape(1, 4, 1, 1), 2)  # [[[[0, 1], [2, 3]]]]
engine.pixel_unshuffle(np.arange(4.0).reshape(1, 1, 2, 2), 2)  # [[[[0]], [[1]], [[2]], [[3]]]]
engine.poisson_nll_loss(np.array([0.0]), np.array([2.0]))  # 1
engine.polar(np.array([2.0]), np.array([np.pi / 2]))  # [0+2j]
engine.polygamma(np.array([1.0]), 1)  # [1.6449]
engine.positive(np.array([1.0, -2.0]))  # [1, -2]
engine.power(np.array([2.0, 3.0]), 2.0)  # [4, 9]
engine.prelu(np.array([[-1.0, 1.0]]), np.array([0.1]))  # [[-0.1, 1]]
engine.prod(np.array([2.0, 3.0, 4.0]))  # 24
engine.put_along_axis(np.array([[1.0, 2.0]]), np.array([[0]]), np.array([[9.0]]))  # [[9, 2]]
engine.qr(np.array([[3.0, 1.0], [4.0, 1.0]]))[1]  # [[-5, -1.4], [0, -0.2]]
engine.quantile(np.array([1.0, 2.0, 3.0]), 0.25)  # 1.5
engine.rad2deg(np.array([np.pi]))  # [180]
engine.ravel(np.array([[1.0, 2.0], [3.0, 4.0]]))  # [1, 2, 3, 4]
engine.rdft(np.array([1.0, 2.0]), axis=0)  # [3+0j, -1+0j]
engine.real(np.array([1.0 + 2.0j]))  # [1]
engine.reciprocal(np.array([2.0, 4.0]))  # [0.5, 0.25]
engine.relu(np.array([-1.0, 2.0]))  # [0, 2]
engine.relu6(np.array([-1.0, 8.0]))  # [0, 6]
engine.remainder(np.array([7.0, -7.0]), 3.0)  # [1, 2]
engine.repeat(np.array([1.0, 2.0]), 2)  # [1, 1, 2, 2]
engine.reshape(np.array([1.0, 2.0, 3.0, 4.0]), (2, -1))  # [[1, 2], [3, 4]]
engine.rfft(np.array([1.0, 2.0, 3.0]))  # [6+0j, -1.5+0.86603j]
engine.rfft2(np.array([[1.0, 2.0], [3.0, 4.0]]))  # [[10+0j, -2+0j], [-4+0j, 0+0j]]
engine.rfftn(np.array([[1.0, 2.0], [3.0, 4.0]]))  # [[10+0j, -2+0j], [-4+0j, 0+0j]]
engine.rms_norm(np.array([3.0, 4.0]))  # [0.84853, 1.1314]
engine.rnn_cell(np.ones((1, 1)), np.zeros((1, 1)), np.ones((1, 1)), np.ones((1, 1)))  # [[0.76159]]
engine.rnn_relu_cell(np.ones((1, 1)), np.zeros((1, 1)), np.ones((1, 1)), np.ones((1, 1)))  # [[1]]
engine.roll(np.array([1.0, 2.0, 3.0]), 1)  # [3, 1, 2]
engine.rot90(np.array([[1.0, 2.0], [3.0, 4.0]]))  # [[2, 4], [1, 3]]
engine.rotary_embedding(np.array([[1.0, 0.0], [1.0, 0.0]]))  # [[1, 0], [0.5403, 0.84147]]
engine.round(np.array([0.5, 1.5, 2.4]))  # [0, 2, 2]
engine.rsqrt(np.array([4.0]))  # [0.5]
engine.scaled_dot_product_attention(np.ones((1, 2)), np.ones((2, 2)), np.array([[1.0], [3.0]]))  # [[2]]
engine.scatter(np.zeros(3), 0, np.array([2, 0]), np.array([8.0, 9.0]))  # [9, 0, 8]
engine.scatter_add(np.ones(3), 0, np.array([2, 2]), np.array([8.0, 9.0]))  # [1, 1, 18]
engine.scatter_along_axis(np.array([8.0, 9.0]), np.array([2, 2]), shape=(3,))  # [0, 0, 17]
engine.scatter_reduce(np.ones(3), 0, np.array([2, 2]), np.array([8.0, 9.0]), "amax")  # [1, 1, 9]
engine.select(np.array([[1.0, 2.0], [3.0, 4.0]]), 1, 0)  # [1, 3]
engine.selu(np.array([-1.0, 1.0]))  # [-1.1113, 1.0507]
engine.sgn(np.array([3.0 + 4.0j, 0.0]))  # [0.6+0.8j, 0+0j]
engine.sigmoid(np.array([0.0, 2.0]))  # [0.5, 0.8808]
engine.sign(np.array([-2.0, 0.0, 3.0]))  # [-1, 0, 1]
engine.silu(np.array([0.0, 1.0]))  # [0, 0.73106]
engine.sin(np.array([0.0, np.pi / 2]))  # [0, 1]
engine.sinc(np.array([0.0, 0.5]))  # [1, 0.63662]
engine.sinh(np.array([0.0, 1.0]))  # [0, 1.1752]
engine.slogdet(np.array([[1.0, 2.0], [3.0, 4.0]]))  # (-1, 0.69315)
engine.smooth_l1_loss(np.array([3.0]), np.array([0.0]))  # 2.5
engine.soft_margin_loss(np.array([0.0]), np.array([1]))  # 0.69315
engine.softmax(np.array([0.0, np.log(3.0)]))  # [0.25, 0.75]
engine.softmax_cross_entropy(np.array([0.0, 0.0]), np.array(1), axis=0)  # 0.69315
engine.softmin(np.array([0.0, np.log(3.0)]))  # [0.75, 0.25]
engine.softplus(np.array([0.0]))  # [0.69315]
engine.softshrink(np.array([0.3, 2.0]))  # [0, 1.5]
engine.softsign(np.array([1.0, -3.0]))  # [0.5, -0.75]
engine.solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 2.0]))  # [1, 0.5]
engine.solve_triangular(np.array([[2.0, 0.0], [1.0, 4.0]]), np.array([2.0, 9.0]), lower=True)  # [1, 2]
engine.sort(np.array([3.0, 1.0, 2.0]))  # [1, 2, 3]
engine.spherical_bessel(np.array([0.0, 1.0]))  # [1, 0.84147]
engine.split(np.arange(4.0), 2)  # [[0, 1], [2, 3]]
engine.sqrt(np.array([4.0, 9.0]))  # [2, 3]
engine.square(np.array([2.0, -3.0]))  # [4, 9]
engine.squeeze(np.array([[1.0, 2.0]]))  # [1, 2]
engine.stack([np.array([1.0, 2.0]), np.array([3.0, 4.0])])  # [[1, 2], [3, 4]]
engine.standardize(np.array([1.0, 3.0]), axes=(0,), eps=0.0)  # [-1, 1]
engine.std(np.array([1.0, 3.0]))  # 1
engine.subtract(np.array([1.0, 2.0]), 3.0)  # [-2, -1]
engine.sum(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0)  # [4, 6]
engine.svd(np.array([[3.0, 0.0], [0.0, 4.0]]))[1]  # [4, 3]
engine.svdvals(np.array([[3.0, 0.0], [0.0, 4.0]]))  # [4, 3]
engine.swapaxes(np.zeros((2, 3)), 0, 1).shape  # (3, 2)
engine.take(np.array([1.0, 2.0, 3.0]), np.array([2, 0]))  # [3, 1]
engine.take_along_axis(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1], [0]]))  # [[2], [3]]
engine.tan(np.array([0.0, np.pi / 4]))  # [0, 1]
engine.tanh(np.array([0.0, 1.0]))  # [0, 0.76159]
engine.tanhshrink(np.array([0.0, 1.0]))  # [0, 0.23841]
engine.tensor([1, 2], dtype=float)  # [1, 2]
engine.tensor_split(np.arange(3.0), 2)  # [[0, 1], [2]]
engine.tensordot(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), 1)  # [[11]]
engine.tensorinv(np.array([[2.0, 0.0], [0.0, 4.0]]), 1)  # [[0.5, 0], [0, 0.25]]
engine.tensorsolve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 4.0]))  # [1, 1]
engine.threshold(np.array([0.5, 2.0]), 1.0, 0.0)  # [0, 2]
engine.tile(np.array([1.0, 2.0]), 2)  # [1, 2, 1, 2]
engine.topk(np.array([3.0, 1.0, 2.0]), 2)  # ([3, 2], [0, 2])
engine.trace(np.array([[1.0, 2.0], [3.0, 4.0]]))  # 5
engine.transpose(np.array([[1.0, 2.0]]))  # [[1], [2]]
engine.trapezoid(np.array([0.0, 2.0, 4.0]))  # 4
engine.tril(np.array([[1.0, 2.0], [3.0, 4.0]]))  # [[1, 0], [3, 4]]
engine.triplet_margin_loss(np.array([[0.0]]), np.array([[1.0]]), np.array([[3.0]]), margin=3.0)  # 1
engine.triplet_margin_with_distance_loss(np.array([[0.0]]), np.array([[1.0]]), np.array([[3.0]]), margin=3.0)  # 1
engine.triu(np.array([[1.0, 2.0], [3.0, 4.0]]))  # [[1, 2], [0, 4]]
engine.trunc(np.array([1.7, -1.7]))  # [1, -1]
engine.unflatten(np.zeros(6), 0, (2, -1)).shape  # (2, 3)
engine.unfold(np.arange(4.0).reshape(1, 1, 2, 2), 2)  # [[[0], [1], [2], [3]]]
engine.unstack(np.array([[1.0, 2.0], [3.0, 4.0]]))  # [[1, 2], [3, 4]]
engine.vander(np.array([2.0, 3.0]), 3)  # [[4, 2, 1], [9, 3, 1]]
engine.var(np.array([1.0, 3.0]))  # 1
engine.vdot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))  # 11
engine.vecdot(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))  # [11]
engine.vector_norm(np.array([3.0, 4.0]))  # 5
engine.view_as_complex(np.array([[1.0, 2.0]]))  # [1+2j]
engine.view_as_real(np.array([1.0 + 2.0j]))  # [[1, 2]]
engine.vstack([np.array([1.0]), np.array([2.0])])  # [[1], [2]]
engine.where(np.array([True, False]), np.array([1.0, 2.0]), 0.0)  # [1, 0]
engine.windows(np.arange(4.0), axes=(0,), size=(2,), stride=(1,), dilation=(1,))  # [[0, 1], [1, 2], [2, 3]]
engine.xlog1py(np.array([0.0, 1.0]), np.array([-1.0, 1.0]))  # [0, 0.69315]
engine.xlogy(np.array([0.0, 1.0]), np.array([0.0, np.e]))  # [0, 1]
engine.y0(np.array([1.0]))  # [0.088257]
engine.y1(np.array([1.0]))  # [-0.78121]
engine.zeros(2)  # [0, 0]
engine.zeros_like(np.array([5.0, 6.0]))  # [0, 0]
"""

EXAMPLES = {line[len("engine.") : line.index("(")]: line for line in _TABLE.split("\n") if line}


def show(operation: Any, name: str) -> None:
    """Put what the declaration of an operation says, and its example, at the end of its docstring."""
    parts = [(operation.__doc__ or "").rstrip()]
    declared = paragraph(operation)
    if declared:
        parts.append(declared)
    if name in EXAMPLES:
        parts.append(f"Example:\n{INDENT}    {EXAMPLES[name]}")
    operation.__doc__ = f"\n\n{INDENT}".join(parts) + f"\n{INDENT}"
