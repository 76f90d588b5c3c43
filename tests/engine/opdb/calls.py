"""What each of PyTorch's sampled operations comes to in the engine's functions.

A name of `op_db` maps to one function of the engine, or to a line of them; a variant (`div.floor_rounding`) has an
entry of its own where its call differs. Not here: operations of complex inputs and of sparse tensors, random ones,
in-place and `_copy` twins of others, reflected operators, private ones, and casts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodrill import engine as e
from autodrill.engine.ops.shape import unbroadcast
from tests.engine.opdb import arranging, common, further, matrices, networks, reductions

if TYPE_CHECKING:
    from tests.engine.opdb.common import Call

SAME = (
    *("ceil", "cos", "cosh", "digamma", "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "floor", "log", "log1p"),
    *("log2", "log10", "rad2deg", "deg2rad", "reciprocal", "rsqrt", "sigmoid", "sign", "sin", "sinc", "sinh", "sqrt"),
    *("square", "tan", "tanh", "trunc", "positive", "i0", "nan_to_num", "copysign", "fmax", "fmin", "fmod", "hypot"),
    *("logaddexp", "logaddexp2", "remainder", "maximum", "minimum", "xlogy", "float_power", "lerp", "dot", "vdot"),
    *("matmul", "inner", "outer", "kron", "fliplr", "flipud", "ravel", "hstack", "vstack", "dstack", "masked_select"),
    *("matrix_exp", "trace", "tril", "triu", "diag", "take", "complex", "polar", "angle", "view_as_complex"),
    *(
        "abs",
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "neg",
        "lgamma",
        "clone",
        "mul",
        "true_divide",
    ),
    *("pow", "mm", "bmm", "mv", "clamp", "clamp_min", "clamp_max", "frac", "addcmul", "addcdiv", "addmm", "addmv"),
    *("addr", "baddbmm", "addbmm", "mvlgamma", "unsqueeze", "unflatten", "chunk", "unbind", "select"),
    *("masked_scatter", "as_strided", "as_strided_scatter", "cholesky_inverse", "cholesky_solve", "logdet", "ormqr"),
    *("real", "conj", "conj_physical", "imag", "view_as_real"),
)

RENAMED: dict[str, Call] = {
    "sgn": e.sign,
    "div.no_rounding_mode": e.divide,
    "max.binary": e.maximum,
    "min.binary": e.minimum,
    "T": e.transpose,
    "t": e.transpose,
    "broadcast_to": lambda x, shape: e.broadcast_to(x, tuple(shape)),
    "reshape": lambda x, *shape: e.reshape(x, tuple(shape[0]) if isinstance(shape[0], (list, tuple)) else shape),
}

NETWORK = (
    *("relu", "relu6", "elu", "celu", "selu", "silu", "mish", "softsign", "tanhshrink", "logsigmoid", "hardsigmoid"),
    *("hardswish", "hardtanh", "hardshrink", "softshrink", "leaky_relu", "threshold", "gelu", "linear", "bilinear"),
    *("local_response_norm", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "mse_loss", "l1_loss"),
    *("huber_loss", "smooth_l1_loss", "soft_margin_loss", "poisson_nll_loss", "gaussian_nll_loss", "kl_div"),
    *("hinge_embedding_loss", "margin_ranking_loss", "cosine_embedding_loss", "binary_cross_entropy"),
    *("binary_cross_entropy_with_logits", "group_norm"),
)

COPIES = {
    "alias_copy": "clone",
    "diagonal_copy": "diagonal",
    "expand_copy": "expand",
    "narrow_copy": "narrow",
    "permute_copy": "permute",
    "split_with_sizes_copy": "split_with_sizes",
    "squeeze_copy": "squeeze",
    "t_copy": "t",
    "transpose_copy": "transpose",
    "unbind_copy": "unbind",
    "unfold_copy": "unfold",
    "view_copy": "reshape",
    "unsqueeze_copy": "unsqueeze",
    "as_strided_copy": "as_strided",
    "unsafe_chunk": "chunk",
    "view": "reshape",
    "unsafe_split": "split",
    "view_as": "reshape_as",
    "resolve_conj": "clone",
    "resolve_neg": "clone",
    "grid_sampler_2d": "nn.functional.grid_sample",
    "grid_sampler_3d": "nn.functional.grid_sample",
    "linalg.lu_factor_ex": "linalg.lu_factor",
    "lu": "linalg.lu_factor",
}
"""Operations that differ from another one by copying, by what they check, or by how they are called."""

SPECIAL = ("i0e", "i1", "i1e", "ndtr", "ndtri", "xlog1py", "entr", "log_ndtr", "erfcx")

SPECTRA = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")

MODES = ("nearest", "nearest-exact", "linear", "bilinear", "trilinear", "area", "bicubic")

_CALLS: dict[str, Call] = {
    **{name: getattr(e, name) for name in SAME},
    **RENAMED,
    **{f"nn.functional.{name}": getattr(e, name) for name in NETWORK},
    **{f"special.{name}": getattr(e, name) for name in SPECIAL},
    # Arithmetic
    "add": lambda x, y, *, alpha=1: x + alpha * y,
    "sub": lambda x, y, *, alpha=1: x - alpha * y,
    "rsub": lambda x, y, *, alpha=1: y - alpha * x,
    "div.trunc_rounding": lambda x, y, **_: e.trunc(x / y),
    "div.floor_rounding": lambda x, y, **_: e.floor_divide(x, y),
    "ldexp": lambda x, y: x * e.exp2(y),
    "round": lambda x, *, decimals=0: e.round(x, decimals=decimals),
    "logit": lambda x, eps=None: e.logit(x if eps is None else e.clip(x, eps, 1 - eps)),
    "polygamma": lambda x, n: e.polygamma(x, n=n),
    "special.polygamma": lambda x, n: e.polygamma(x, n=n),
    "where": lambda x, condition, y: e.where(condition, x, y),
    # Products
    "tensordot": matrices.contracted,
    "einsum": lambda operands, equation: e.einsum(equation, *operands),
    "cross": matrices.crossed,
    "linalg.cross": lambda x, y, *, dim=-1: e.cross(x, y, dim),
    "linalg.vecdot": lambda x, y, *, dim=-1: e.vecdot(x, y, dim),
    "linalg.multi_dot": e.multi_dot,
    "block_diag": e.block_diag,
    "cartesian_prod": lambda *arrays: arranging.grid(arrays) if len(arrays) > 1 else e.reshape(arrays[0], -1),
    "combinations": arranging.chosen,
    # Shapes
    "broadcast_tensors": lambda *arrays: [
        e.broadcast_to(x, np.broadcast_shapes(*(y.shape for y in arrays))) for x in arrays
    ],
    "expand": arranging.expanded,
    "expand_as": lambda x, like: e.broadcast_to(x, like.shape),
    "sum_to_size": lambda x, *size: unbroadcast(x, tuple(size[0]) if isinstance(size[0], list | tuple) else size),
    "reshape_as": lambda x, like: e.reshape(x, like.shape),
    "flatten": lambda x, start_dim=0, end_dim=-1: e.flatten(x, start_dim, end_dim),
    "permute": lambda x, dims: e.transpose(x, tuple(dims)),
    "transpose": arranging.rows_and_columns,
    "mT": lambda x: e.swapaxes(x, -1, -2),
    "movedim": lambda x, source, destination: e.moveaxis(x, tuple(source), tuple(destination)),
    "squeeze": arranging.squeezed,
    "flip": lambda x, dims: e.flip(x, tuple(dims)),
    "roll": lambda x, shifts, dims=None: e.roll(x, shifts, dims),
    "rot90": lambda x, k=1, dims=(0, 1): e.rot90(x, k, tuple(dims)),
    "tile": arranging.tiled,
    "repeat": arranging.tiled,
    "repeat_interleave": arranging.repeated,
    "unfold": arranging.slid,
    **{f"atleast_{n}d": arranging.each(getattr(e, f"atleast_{n}d")) for n in (1, 2, 3)},
    # Joining and splitting
    "cat": arranging.joined,
    "stack": e.stack,
    "column_stack": e.column_stack,
    "meshgrid.variadic_tensors": lambda *arrays, indexing="ij": e.meshgrid(
        *map(common.vector, arrays), indexing=indexing
    ),
    "meshgrid.list_of_tensors": lambda arrays, *, indexing="ij": e.meshgrid(
        *map(common.vector, arrays), indexing=indexing
    ),
    "split": arranging.cut,
    "split_with_sizes": arranging.cut,
    "tensor_split": arranging.split_at,
    "hsplit": lambda x, where: e.tensor_split(x, where, 0 if x.ndim == 1 else 1),
    "vsplit": lambda x, where: e.tensor_split(x, where, 0),
    "dsplit": lambda x, where: e.tensor_split(x, where, 2),
    # Diagonals
    "diag_embed": lambda x, offset=0, dim1=-2, dim2=-1: e.moveaxis(e.diag_embed(x, offset), (-2, -1), (dim1, dim2)),
    "diagonal": lambda x, offset=0, dim1=0, dim2=1: e.diagonal(x, offset, dim1, dim2),
    "linalg.diagonal": lambda x, *, offset=0, dim1=-2, dim2=-1: e.diagonal(x, offset, dim1, dim2),
    "diagflat": lambda x, offset=0: e.diag(e.reshape(x, -1), offset),
    "diagonal_scatter": lambda x, part, offset=0, dim1=0, dim2=1: e.index_put(
        x, arranging.diagonal_places(x, offset, dim1, dim2), part
    ),
    # Reading and writing by index
    "__getitem__": e.getitem,
    "narrow": lambda x, dim, start, length: e.narrow(x, dim, int(start), length),
    "slice": lambda x, dim=0, start=None, end=None, step=1: e.getitem(x, arranging.at(x, dim, slice(start, end, step))),
    "select_scatter": lambda x, part, dim, index: e.index_put(x, arranging.at(x, dim, index), part),
    "slice_scatter": lambda x, part, dim=0, start=None, end=None, step=1: e.index_put(
        x, arranging.at(x, dim, slice(start, end, step)), part
    ),
    "take_along_dim": lambda x, index, dim=None: e.take_along_axis(x, index.reshape(-1) if dim is None else index, dim),
    "gather": arranging.index_dim(e.gather),
    "index_select": arranging.index_dim(e.index_select),
    "index_add": arranging.index_dim(arranging.added_at),
    "index_copy": arranging.index_dim(e.index_copy),
    "index_fill": arranging.index_dim(e.index_fill),
    "index_put": arranging.by_places,
    "put": arranging.put,
    "scatter": arranging.index_dim(arranging.scattered),
    "scatter_reduce": arranging.index_dim(e.scatter_reduce),
    "index_reduce": arranging.index_dim(e.index_reduce),
    "scatter_add": arranging.index_dim(arranging.scatter_added),
    "masked_fill": lambda x, mask, value: e.where(mask, value, x),
    # Reductions
    **{
        name: reductions.reduction(getattr(e, name))
        for name in ("sum", "mean", "prod", "logsumexp", "nansum", "nanmean")
    },
    "amax": reductions.reduction(e.max),
    "amin": reductions.reduction(e.min),
    "aminmax": lambda x, *, dim=None, keepdim=False: (
        reductions.reduction(e.min)(x, dim, keepdim),
        reductions.reduction(e.max)(x, dim, keepdim),
    ),
    "max.reduction_no_dim": e.max,
    "min.reduction_no_dim": e.min,
    "max.reduction_with_dim": reductions.extreme_with_index(largest=True),
    "min.reduction_with_dim": reductions.extreme_with_index(largest=False),
    "var": reductions.spread(e.var),
    "std": reductions.spread(e.std),
    "var_mean": lambda x, *args, **more: (
        reductions.spread(e.var)(x, *args, **more),
        reductions.mean_beside(x, *args, **more),
    ),
    "std_mean": lambda x, *args, **more: (
        reductions.spread(e.std)(x, *args, **more),
        reductions.mean_beside(x, *args, **more),
    ),
    "cov": lambda x, *, correction=1, **more: e.cov(x, ddof=correction, **more),
    "corrcoef": e.corrcoef,
    "norm": reductions.normed,
    "dist": lambda x, y, p=2: e.vector_norm(x - y, p),
    "renorm": reductions.renormed,
    "linalg.norm": reductions.linalg_norm,
    "linalg.vector_norm": reductions.vector_normed,
    "linalg.matrix_norm": lambda x, ord="fro", dim=(-2, -1), keepdim=False, dtype=None: e.norm(
        x, ord, tuple(dim), keepdim
    ),
    # Running operations and differences
    **{name: reductions.along(getattr(e, name)) for name in ("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp")},
    "diff": reductions.differences,
    "gradient": reductions.slopes,
    "trapezoid": reductions.integral(e.trapezoid),
    "trapz": reductions.integral(e.trapezoid),
    "cumulative_trapezoid": reductions.integral(e.cumulative_trapezoid),
    # Order
    "sort": reductions.ordered,
    "msort": lambda x: e.sort(x, 0),
    "topk": reductions.top,
    "kthvalue": reductions.kth,
    "median": reductions.middle,
    "nanquantile": reductions.quantile(further.without_method),
    "nanmedian": further.nan_middle,
    "quantile": reductions.quantile(e.quantile),
    # Matrices
    "cholesky": lambda x, upper=False: matrices.triangle(e.cholesky(x), upper),
    "linalg.cholesky": lambda x, *, upper=False: matrices.triangle(e.cholesky(x), upper),
    "linalg.cholesky_ex": lambda x, *, upper=False: matrices.triangle(e.cholesky(x), upper),
    "linalg.lu": further.decomposed,
    "linalg.lu_factor": further.packed,
    "linalg.lu_solve": further.solved_by_lu,
    "lu_solve": lambda b, packed, pivots: further.solved_by_lu(packed, pivots, b),
    "lu_unpack": further.unpacked,
    "linalg.householder_product": e.householder_product,
    "triangular_solve": further.solved_by_triangle,
    "linalg.det": e.det,
    "linalg.slogdet": e.slogdet,
    "linalg.inv": e.inv,
    "linalg.inv_ex": e.inv,
    "linalg.solve": matrices.solved,
    "linalg.solve_ex": matrices.solved,
    "linalg.solve_triangular": matrices.solved_by_triangle,
    "linalg.pinv": matrices.pseudo_inverse,
    "linalg.pinv.hermitian": matrices.pseudo_inverse,
    "linalg.pinv.singular": lambda x, y: e.pinv(e.matmul(x, e.swapaxes(y, -1, -2))),
    "pinverse": matrices.pseudo_inverse,
    "linalg.lstsq.grad_oriented": lambda x, b, **_: e.lstsq(x, b),
    "linalg.matrix_power": e.matrix_power,
    "linalg.eigh": lambda x, UPLO="L": matrices.without_signs(*e.eigh(x, UPLO)),
    "linalg.eigvalsh": e.eigvalsh,
    "linalg.eig": lambda x: matrices.without_signs(*e.eig(x)),
    "linalg.eigvals": e.eigvals,
    "linalg.svdvals": e.svdvals,
    "linalg.svd": matrices.singular,
    "svd": matrices.singular,
    "qr": lambda x, some=True: e.qr(x),
    "linalg.qr": lambda x, mode="reduced": e.qr(x),
    "linalg.cond": e.cond,
    "linalg.vander": lambda x, *, N=None: e.vander(common.vector(x), N, increasing=True),
    "linalg.tensorinv": lambda x, ind=2: e.tensorinv(x, ind),
    "linalg.tensorsolve": lambda x, b, dims=None: e.tensorsolve(x, b, None if dims is None else tuple(dims)),
    # Fourier transforms
    **{
        f"fft.{name}": matrices.transform(getattr(e, name))
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
    },
    **{f"fft.{name}n": matrices.transform_nd(getattr(e, f"{name}n")) for name in SPECTRA},
    **{f"fft.{name}2": matrices.transform_nd(getattr(e, f"{name}2"), (-2, -1)) for name in SPECTRA},
    **{f"fft.{name}": matrices.shifted(getattr(e, name)) for name in ("fftshift", "ifftshift")},
    # Networks
    "softmax": lambda x, dim, dtype=None: reductions.along(e.softmax)(x, dim),
    "log_softmax": lambda x, dim, dtype=None: reductions.along(e.log_softmax)(x, dim),
    "nn.functional.softmin": lambda x, dim, dtype=None: reductions.along(e.softmin)(x, dim),
    "nn.functional.softplus": networks.softplus,
    "nn.functional.prelu": networks.prelu,
    "nn.functional.glu": lambda x, dim=-1: e.glu(x, dim),
    "nn.functional.normalize": lambda x, p=2.0, dim=1, eps=1e-12: reductions.along(e.normalize)(x, dim, p=p, eps=eps),
    "nn.functional.cosine_similarity": networks.cosine,
    "nn.functional.pairwise_distance": lambda x, y, p=2.0, eps=1e-6, keepdim=False: e.pairwise_distance(
        x, y, p, eps, keepdim
    ),
    "cdist": lambda x, y, p=2.0, compute_mode=None: e.cdist(x, y, p),
    "nn.functional.pdist": lambda x, p=2.0: e.pdist(x, p),
    "nn.functional.layer_norm": networks.normalized,
    "nn.functional.rms_norm": lambda x, shape, weight=None, eps=None: e.rms_norm(
        x, tuple(range(-len(shape), 0)), weight, np.finfo(float).eps if eps is None else eps
    ),
    "native_layer_norm": networks.native_normalized,
    "nn.functional.batch_norm": networks.batch_normed,
    "nn.functional.instance_norm": networks.instance_normed,
    "nn.functional.dropout": networks.dropped,
    "nn.functional.dropout2d": networks.dropped,
    "nn.functional.dropout3d": networks.dropped,
    "nn.functional.embedding": networks.embedded,
    "nn.functional.scaled_dot_product_attention": networks.attention,
    "nn.functional.cross_entropy": networks.classes(e.cross_entropy),
    "nn.functional.nll_loss": networks.classes(e.nll_loss),
    "nn.functional.ctc_loss": networks.ctc,
    "nn.functional.triplet_margin_loss": e.triplet_margin_loss,
    "nn.functional.multilabel_soft_margin_loss": e.multilabel_soft_margin_loss,
    **{f"nn.functional.conv{d}d": networks.convolution(getattr(e, f"conv{d}d"), d) for d in (1, 2, 3)},
    **{
        f"nn.functional.conv_transpose{d}d": networks.convolution(getattr(e, f"conv_transpose{d}d"), d)
        for d in (1, 2, 3)
    },
    **{f"nn.functional.max_pool{d}d": networks.max_pool(getattr(e, f"max_pool{d}d"), d) for d in (1, 2, 3)},
    **{f"nn.functional.avg_pool{d}d": networks.avg_pool(getattr(e, f"avg_pool{d}d"), d) for d in (1, 2, 3)},
    **{
        f"nn.functional.adaptive_{kind}_pool{d}d": networks.adaptive(getattr(e, f"adaptive_{kind}_pool{d}d"), d)
        for d in (1, 2, 3)
        for kind in ("avg", "max")
    },
    "nn.functional.unfold": lambda x, kernel_size, dilation=1, padding=0, stride=1: networks.one_by_one(e.unfold, 2)(
        x, *map(common.lengths, (kernel_size, dilation, padding, stride))
    ),
    **{f"nn.functional.interpolate.{mode}": networks.resized for mode in MODES},
    "nn.functional.upsample_nearest": lambda x, size=None, scale_factor=None: networks.resized(x, size, scale_factor),
    "nn.functional.upsample_bilinear": lambda x, size=None, scale_factor=None: networks.resized(
        x, size, scale_factor, "bilinear", align_corners=True
    ),
    **{f"nn.functional.pad.{mode}": arranging.padded for mode in ("constant", "reflect", "replicate", "circular")},
    "nn.functional.pad.replicate_negative": arranging.padded,
    "constant_pad_nd": lambda x, pad, value=0: arranging.padded(x, pad, value=value),
    "nn.functional.grid_sample": further.sampled,
    **{f"nn.functional.max_unpool{d}d": further.unpooled(d) for d in (1, 2, 3)},
    "nn.functional.multi_margin_loss": further.of_classes(e.multi_margin_loss),
    "nn.functional.multilabel_margin_loss": further.of_classes(e.multilabel_margin_loss),
    "nn.functional.triplet_margin_with_distance_loss": further.triplet,
    "nn.functional.embedding_bag": further.bags,
    "nn.functional.linear_cross_entropy": further.classified,
    "nn.functional.one_hot": e.one_hot,
    "torch.ops.aten._safe_softmax.default": further.safe_softmax,
    "_softmax_backward_data": further.softmax_backward,
    "native_dropout_backward": lambda g, kept, scale: g * (kept * scale),
    "native_batch_norm": further.batch_normed,
    "_native_batch_norm_legit": further.batch_normed_legit,
    "native_group_norm": further.group_normed,
    "stft": further.framed,
    # Reflected operators
    "__radd__": lambda x, y: y + x,
    "__rdiv__": lambda x, y: y / x,
    "__rmatmul__": lambda x, y: y @ x,
    "__rmod__": lambda x, y: y % x,
    "__rmul__": lambda x, y: y * x,
    "__rpow__": lambda x, y: y**x,
    "__rsub__": lambda x, y: y - x,
    # Casts, constants and parts
    "contiguous": lambda x, **_: e.clone(x),
    "to": further.converted,
    "double": further.cast(np.float64),
    "float": further.cast(np.float32),
    "half": further.cast(np.float16),
    "cdouble": further.cast(np.complex128),
    "cfloat": further.cast(np.complex64),
    "zero_": e.zeros_like,
    "fill": further.filled,
    "H": lambda x: e.conj(e.transpose(x)),
    "mH": lambda x: e.conj(e.swapaxes(x, -1, -2)),
    "frexp": further.mantissa,
    "_unsafe_masked_index": further.by_masked_index,
    "_unsafe_masked_index_put_accumulate": further.accumulated,
    # Over the elements at which a mask holds
    "masked.median": further.masked_middle,
    "masked.norm": further.masked_norm,
    "masked.normalize": further.masked_normalized,
    "masked.var": further.masked_spread("var"),
    "masked.std": further.masked_spread("std"),
    "masked.logaddexp": further.masked_logaddexp,
    "masked.sum": reductions.masked(e.sum, 0),
    "masked.prod": reductions.masked(e.prod, 1),
    "masked.amax": reductions.masked(e.max, -np.inf),
    "masked.amin": reductions.masked(e.min, np.inf),
    "masked.logsumexp": reductions.masked(e.logsumexp, -np.inf),
    "masked.mean": reductions.masked_mean,
    "masked.cumsum": reductions.masked_along(e.cumsum, 0),
    "masked.cumprod": reductions.masked_along(e.cumprod, 1),
    "masked.softmax": reductions.masked_along(e.softmax, -np.inf),
    "masked.log_softmax": reductions.masked_along(e.log_softmax, -np.inf),
    "masked.softmin": reductions.masked_along(e.softmin, np.inf),
}

CALLS: dict[str, Call] = {**_CALLS, **{name: _CALLS[twin] for name, twin in COPIES.items()}}
"""By the name in `op_db`; the entry of a name serves all of its variants that have none of their own."""

MISSES: dict[tuple[str, str], str] = {
    ("nn.functional.hardsigmoid", "gradient"): "PyTorch rounds the slope 1/6 to float32",
    ("nn.functional.hardsigmoid", "tangent"): "PyTorch rounds the slope 1/6 to float32",
    (
        "logcumsumexp",
        "tangent",
    ): "PyTorch divides sums scaled by the largest element of all, and loses up to ten digits",
    ("logcumsumexp", "second"): "PyTorch divides sums scaled by the largest element of all, and loses up to ten digits",
    ("cholesky_inverse", "tangent"): (
        "PyTorch's tangent is not the adjoint of its gradient, which agrees; the same in rational numbers is ours"
    ),
    **dict.fromkeys(
        [("as_strided_scatter", "gradient"), ("as_strided_scatter", "second")],
        "PyTorch 2.13 gives the first argument the gradient of the elements that were replaced, and 0 to all others",
    ),
    ("masked.logaddexp", "second"): "where one of the two is minus infinity, PyTorch's is NaN, and ours 0",
    (
        "linalg.norm.subgradients_at_zero",
        "second",
    ): "there is none at 0: NaN in PyTorch; 0 here, or a refusal for matrices",
}
"""Why the two differ, by the variant's name and the mode; whatever else differs is a mistake."""

_RANDOM = "draws random numbers of PyTorch's own"
_SPARSE = "is of sparse matrices, which the engine does not have"

ABSENT: dict[str, str] = {
    **dict.fromkeys(("bfloat16", "chalf"), "casts to a dtype that NumPy does not have"),
    **dict.fromkeys(("to_sparse", "sparse.mm", "sparse.sampled_addmm"), _SPARSE),
    **dict.fromkeys(("bernoulli", "normal", "pca_lowrank", "svd_lowrank"), _RANDOM),
    **{
        f"nn.functional.{name}": _RANDOM
        for name in (
            *("alpha_dropout", "feature_alpha_dropout", "fractional_max_pool2d", "fractional_max_pool3d", "rrelu"),
            "multi_head_attention_forward",
        )
    },
    **dict.fromkeys(
        ("torch.ops.aten._efficient_attention_forward", "torch.ops.aten._flash_attention_forward"),
        "is a kernel of the GPU behind `scaled_dot_product_attention`",
    ),
    **dict.fromkeys(
        ("_batch_norm_with_update", "max_pool2d_with_indices_backward"),
        "is a private step of an operation that is compared",
    ),
    **dict.fromkeys(("istft", "_segment_reduce", "_upsample_bilinear2d_aa"), "has no equivalent yet"),
    "mode": "chooses by how often an element occurs, which the engine does not count",
    "nextafter": "is a step of the floating-point numbers, of which PyTorch has no derivative",
}
"""The differentiable names of `op_db` without an equivalent, and why there is none."""
