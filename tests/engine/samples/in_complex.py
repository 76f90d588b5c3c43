"""The samples of the other modules with complex inputs, for every operation that is defined for them.

Primitives are sampled wherever they are for real numbers; of what is composed of them the first few samples are enough
to find a formula that forgets a conjugate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodrill.engine import registry
from tests.engine.samples.base import UNARY, Sample, booleans, one, positive_only, real

if TYPE_CHECKING:
    from collections.abc import Sequence

OF_REAL_NUMBERS = {
    "astype": "the sampled dtype is real; sampled below",
    "complex": "is made of real parts",
    "polar": "is made of real parts",
    "rdft": "is of real numbers",
    "view_as_complex": "is of pairs of real numbers",
}
# fmt: off
COMPOSITIONS = frozenset({
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "bilinear", "block_diag", "cdist", "channel_shuffle", "column_stack", "cond", "conv1d", "conv2d", "conv3d",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "corrcoef", "cov", "cross", "cumprod",
    "cumulative_trapezoid", "diag", "diag_embed", "diagonal", "diff", "dot", "dropout", "dstack", "eigvalsh",
    "einsum", "embedding", "embedding_bag", "expand_dims", "fft", "fft2", "fftn", "fftshift", "flatten", "fliplr",
    "flipud", "fold", "gather", "glu", "gradient", "gru_cell", "hfft", "hstack", "ifft", "ifft2", "ifftn",
    "ifftshift", "index_add", "index_copy", "index_fill", "index_put", "index_select", "inner", "interpolate",
    "irfft", "irfft2", "irfftn", "kron", "l1_loss", "lerp", "linear", "lstm_cell", "lstsq", "masked_fill",
    "masked_select", "matrix_exp", "matrix_power", "matvec", "meshgrid", "multi_dot", "nanmean", "nansum", "norm",
    "normalize", "outer", "pad", "pairwise_distance", "pdist", "pixel_shuffle", "pixel_unshuffle",
    "put_along_axis", "ravel", "repeat", "rnn_cell", "roll", "rot90", "rotary_embedding", "scatter", "scatter_add",
    "sinc", "slogdet", "softsign", "solve_triangular", "split", "stack", "take", "tanhshrink", "tensordot",
    "tensorinv", "tensorsolve", "tile", "trace", "trapezoid", "triplet_margin_loss", "unfold", "unstack", "vander",
    "vdot", "vecdot", "vector_norm", "vstack",
})
# fmt: on
ENOUGH = 3

MIXED = ("add", "subtract", "multiply", "divide", "power", "where", "concatenate", "matmul", "contract", "solve")


def derived(samples: Sequence[Sample]) -> list[Sample]:
    """Return the complex counterparts of real samples."""
    counts: dict[str, int] = {}
    found = []
    for sample in samples:
        name = sample.name
        primitive = registry.get(name)
        capable = name in COMPOSITIONS if primitive is None else primitive.on_complex is not None
        if not capable or name in OF_REAL_NUMBERS:
            continue
        counts[name] = counts.get(name, 0) + 1
        if primitive is not None or counts[name] <= ENOUGH:
            found.append(sample.in_complex())
    return found


def mixed(samples: Sequence[Sample]) -> list[Sample]:
    """Return samples of which one input is complex and the others are real."""
    found = []
    for name in MIXED:
        for sample in [s for s in samples if s.name == name and len(s.shapes) > 1][:4]:
            floating = [k for k, x in enumerate(sample.inputs()) if x.dtype.kind == "f"]
            found += [sample.in_complex(k) for k in floating if len(floating) > 1]
    return found


SAMPLES: tuple[Sample, ...] = (
    *(one("astype", shape, dtype=np.complex128) for shape in UNARY),
    *(one("astype", shape, dtype=np.complex128).in_complex() for shape in UNARY),
    *(one("view_as_real", shape).in_complex() for shape in UNARY),
    one("float_power", (2, 3), (3,), draw=(positive_only, real)).in_complex(),
    one("where", (3,), (3,), (), draw=(booleans, real, real)).in_complex(2),
)
