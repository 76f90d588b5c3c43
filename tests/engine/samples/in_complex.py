"""The samples of the other modules with complex inputs, for every operation that is defined for them.

Primitives are sampled wherever they are for real numbers; of what is composed of them the first few samples are enough
to find a formula that forgets a conjugate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodrill.engine import registry
from tests.engine.samples.base import UNARY, Sample, booleans, one, real

if TYPE_CHECKING:
    from collections.abc import Sequence


def _family(reason: str, names: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), reason)


OF_REAL_NUMBERS: dict[str, str] = {
    **_family(
        "chooses by an order, which complex numbers have not",
        "adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d max_pool1d max_pool2d max_pool3d max min "
        "maximum minimum fmax fmin cummax cummin sort partition topk kthvalue median quantile clip clamp nanmax nanmin "
        "nanmedian nanquantile max_unpool1d max_unpool2d max_unpool3d",
    ),
    **_family(
        "is put together of pieces of the real line",
        "relu relu6 elu celu selu hardshrink softshrink hardsigmoid hardswish hardtanh leaky_relu prelu threshold "
        "rnn_relu_cell",
    ),
    **_family("is a smooth rectifier of the real line, as PyTorch has it", "gelu mish softplus logsigmoid"),
    **_family("is evaluated at real places, between those of its values", "interp grid_sample"),
    **_family("rounds to integers of the real line", "ceil floor round trunc floor_divide fmod remainder frac"),
    **_family("is or copies the sign of a real number; of a complex one it is `sgn`", "sign copysign"),
    **_family(
        "is evaluated on the real line alone, as in PyTorch",
        "bessel_i bessel_ie bessel_j bessel_ke bessel_y betaln digamma entr erf erfc erfcx erfinv gammaln i0 i0e i1 "
        "i1e j0 j1 k0 k0e k1 k1e log_ndtr logit multigammaln ndtr ndtri polygamma xlog1py xlogy y0 y1",
    ),
    **_family("is of the two real coordinates of a point of the plane", "arctan2 hypot"),
    "cbrt": "is the real one of three roots",
    **_family("converts real angles", "deg2rad rad2deg"),
    **_family(
        "adds numbers given by their logarithms, the larger taken out; PyTorch compares real parts",
        "logaddexp logaddexp2 logcumsumexp",
    ),
    **_family(
        "makes probabilities, of real scores",
        "gumbel_softmax softmax softmin log_softmax scaled_dot_product_attention softmax_cross_entropy",
    ),
    **_family(
        "is a loss of real predictions",
        "binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss cross_entropy ctc_loss "
        "gaussian_nll_loss hinge_embedding_loss huber huber_loss kl_div margin_ranking_loss mse_loss "
        "multi_margin_loss multilabel_margin_loss "
        "multilabel_soft_margin_loss nll_loss poisson_nll_loss smooth_l1_loss soft_margin_loss",
    ),
    "cosine_similarity": "is a product of directions scaled by real norms, as PyTorch has it",
    **_family(
        "divides by the deviation or size of real features",
        "batch_norm group_norm instance_norm layer_norm rms_norm standardize local_response_norm",
    ),
    **_family("sums powers of real numbers and takes the root", "lp_pool1d lp_pool2d"),
    "nan_to_num": "puts the largest real number in place of an infinity",
    **_family("makes complex numbers of real ones", "complex polar view_as_complex"),
    **_family(
        "transforms a real signal, whose spectrum is stored by half", "rdft rfft rfft2 rfftn ihfft ihfft2 ihfftn"
    ),
}
"""The operations that are defined for real numbers only, and refuse others by name; every other one is sampled."""

ENOUGH = 3

MIXED = ("add", "subtract", "multiply", "divide", "power", "where", "concatenate", "matmul", "contract", "solve")


def derived(samples: Sequence[Sample]) -> list[Sample]:
    """Return the complex counterparts of real samples."""
    counts: dict[str, int] = {}
    found = []
    for sample in samples:
        name = sample.name
        if name in OF_REAL_NUMBERS or name == "astype":  # to a real dtype; to a complex one below
            continue
        counts[name] = counts.get(name, 0) + 1
        if name in registry or counts[name] <= ENOUGH:
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
    one("where", (3,), (3,), (), draw=(booleans, real, real)).in_complex(2),
)
