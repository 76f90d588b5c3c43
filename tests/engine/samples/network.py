"""Samples of activations, losses, normalisations and layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodrill import engine
from tests.engine.samples.base import (
    Counterpart,
    Sample,
    between,
    fixed,
    integers,
    one,
    placed,
    positive_only,
    real,
    signs,
    spread,
    unary,
)

probability = between(0.1, 0.9)
wide = between(-5, 5)
away = between(0.6, 2)
PAIR = ((2, 3), (2, 3))
LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "poisson_nll_loss", "soft_margin_loss")


def with_options(name: str, *shapes: tuple[int, ...], options: Any, **more: Any) -> tuple[Sample, ...]:
    return tuple(one(name, *shapes, **more, **option) for option in options)


REDUCTIONS: Any = ({}, {"reduction": "sum"}, {"reduction": "none"})


def labelled(name: str) -> tuple[Sample, ...]:
    labels, scores = integers(3), real
    return (
        one(name, (3,), (), draw=(scores, labels)),
        one(name, (4, 3), (4,), draw=(scores, labels)),
        one(name, (2, 3, 2), (2, 2), draw=(scores, labels), reduction="sum"),
        one(name, (4, 3), (4,), draw=(scores, labels), reduction="none", ignore_index=1),
        one(name, (4, 3), (4,), draw=(scores, fixed([0, 2, 1, 2])), ignore_index=2),
        weighted(name, (4, 3), (4,), draw=(scores, labels)),
        weighted(name, (4, 3), (4,), draw=(scores, fixed([0, 2, 1, 2])), reduction="sum", ignore_index=0),
        weighted(name, (4, 3), (4,), draw=(scores, fixed([0, 2, 1, 2])), ignore_index=0),
    )


CLASS_WEIGHT = [0.5, 1.5, 1.0]


def weighted(name: str, *shapes: tuple[int, ...], **static: Any) -> Sample:
    """Call a loss with class weights in the dtype of the scores; PyTorch does not differentiate them either."""

    def call(x: Any, t: Any, weight: Any, **more: Any) -> Any:
        return getattr(engine, name)(x, t, weight=placed(np.asarray(weight, dtype=x.dtype), x), **more)

    return one(name, *shapes, call=call, weight=CLASS_WEIGHT, **static)


def smoothed(**static: Any) -> tuple[Sample, ...]:
    draw = (real, integers(3))
    return (
        one("cross_entropy", (4, 3), (4,), draw=draw, label_smoothing=0.1, **static),
        one("cross_entropy", (2, 3, 2), (2, 2), draw=draw, label_smoothing=0.3, reduction="sum", **static),
        one("cross_entropy", (4, 3), (4,), draw=(real, fixed([0, 2, 1, 2])), label_smoothing=0.3, ignore_index=2),
        weighted("cross_entropy", (4, 3), (4,), draw=draw, label_smoothing=0.2),
    )


def cell(name: str, gates: int) -> tuple[Sample, ...]:
    shapes = ((2, 3), (2, 2), (gates * 2, 3), (gates * 2, 2))
    return one(name, *shapes), one(name, *shapes, (gates * 2,), (gates * 2,))


def joined_lstm(*args: Any) -> Any:
    x, h, c, *weights = args
    return engine.concatenate(engine.lstm_cell(x, (h, c), *weights), axis=1)


def labels_from(sample: Any, name: str) -> Any:
    """Wrap a PyTorch loss: class weights become a tensor of the scores' dtype."""
    function = getattr(sample.nn.functional, name)

    def call(x: Any, t: Any, weight: Any = None, **more: Any) -> Any:
        return function(x, t, weight=None if weight is None else sample.tensor(weight, dtype=x.dtype), **more)

    return call


SAMPLES: tuple[Sample, ...] = (
    *unary(wide, "leaky_relu", "relu6", "hardtanh", "softshrink", "hardshrink", "elu", "celu", "selu", "logsigmoid"),
    *unary(wide, "mish", "hardsigmoid", "hardswish", "softsign", "tanhshrink"),
    one("leaky_relu", (2, 3), negative_slope=0.2),
    one("hardtanh", (2, 3), min_val=-0.3, max_val=0.8),
    one("softshrink", (2, 3), lambd=0.2),
    one("hardshrink", (2, 3), lambd=0.2),
    one("elu", (2, 3), alpha=1.7),
    one("celu", (2, 3), alpha=0.6),
    one("softplus", (2, 3), beta=2.0),
    one("gelu", (2, 3), approximate="tanh", call=engine.gelu),
    *(one("threshold", shape, threshold=0.1, value=-1.0) for shape in ((), (0,), (2, 3))),
    one("prelu", (2, 3), (1,)),
    one("prelu", (2, 3, 2), (3,)),
    one("prelu", (3,), (1,)),
    one("glu", (4,)),
    one("glu", (2, 4, 3), axis=1),
    one("softmin", (2, 3)),
    one("softmin", (2, 3), axis=0),
    one("softmax_cross_entropy", (3,), (), draw=(real, integers(3)), axis=0),
    one("softmax_cross_entropy", (4, 3), (4,), draw=(real, integers(3)), axis=1),
    one("softmax_cross_entropy", (2, 3, 2), (2, 2), draw=(real, integers(3)), axis=1),
    one("softmax_cross_entropy", (2, 3, 2, 1), (2, 2, 1), draw=(real, integers(3)), axis=1),
    one("softmax_cross_entropy", (0, 3), (0,), draw=(real, integers(3)), axis=1),
    *labelled("cross_entropy"),
    *labelled("nll_loss"),
    *smoothed(),
    one("cross_entropy", (4, 3), (4, 3), draw=(real, probability)),
    one("cross_entropy", (4, 3), (4, 3), draw=(real, probability), label_smoothing=0.2, reduction="none"),
    one("cross_entropy", (2, 3, 2), (2, 3, 2), draw=(real, probability), reduction="sum"),
    *(s for name in LOSSES[:-2] for s in with_options(name, *PAIR, options=REDUCTIONS)),
    one("mse_loss", (), ()),
    one("huber_loss", (2, 3), (2, 3), delta=0.4),
    one("smooth_l1_loss", (2, 3), (2, 3), beta=0.4),
    *(one("huber", shape, delta=0.7) for shape in ((), (0,), (2, 3))),
    *with_options("poisson_nll_loss", *PAIR, draw=(real, positive_only), options=REDUCTIONS),
    one("poisson_nll_loss", *PAIR, draw=positive_only, log_input=False),
    one("poisson_nll_loss", *PAIR, draw=(real, between(1.1, 4)), full=True),
    one("gaussian_nll_loss", *PAIR, (2, 3), draw=(real, real, positive_only)),
    one("gaussian_nll_loss", *PAIR, (2, 3), draw=(real, real, positive_only), full=True, reduction="none"),
    *with_options("binary_cross_entropy", *PAIR, draw=probability, options=REDUCTIONS),
    *with_options("binary_cross_entropy_with_logits", *PAIR, draw=(wide, probability), options=REDUCTIONS),
    one(
        "binary_cross_entropy_with_logits",
        *PAIR,
        (3,),
        draw=(wide, probability, positive_only),
        call=lambda x, t, w: engine.binary_cross_entropy_with_logits(x, t, pos_weight=w),
    ),
    *with_options("kl_div", *PAIR, draw=(real, probability), options=(*REDUCTIONS, {"reduction": "batchmean"})),
    one("kl_div", *PAIR, log_target=True),
    *with_options("soft_margin_loss", *PAIR, draw=(real, signs), options=REDUCTIONS),
    one("multilabel_soft_margin_loss", *PAIR, draw=(real, probability)),
    one("multilabel_soft_margin_loss", *PAIR, (3,), call=lambda x, t, w: weighted_multilabel(engine, x, t, w)),
    one("gaussian_nll_loss", *PAIR, (2,), draw=(real, real, positive_only)),
    *with_options("hinge_embedding_loss", *PAIR, draw=(spread, signs), options=REDUCTIONS),
    *with_options("margin_ranking_loss", (5,), (5,), (5,), draw=(real, real, signs), options=REDUCTIONS, margin=0.3),
    *with_options("cosine_embedding_loss", (4, 3), (4, 3), (4,), draw=(real, real, signs), options=REDUCTIONS),
    *with_options("triplet_margin_loss", (4, 3), (4, 3), (4, 3), options=REDUCTIONS),
    one("triplet_margin_loss", (4, 3), (4, 3), (4, 3), swap=True, reduction="none"),
    one("ctc_loss", (5, 2, 4), call=lambda x, **s: ctc(engine, x, **s)),
    one("ctc_loss", (5, 2, 4), call=lambda x, **s: ctc(engine, x, **s), reduction="sum"),
    one("cosine_similarity", (2, 3), (2, 3)),
    one("cosine_similarity", (2, 3, 2), (1, 3, 1), axis=-2),
    one("pairwise_distance", (2, 3), (2, 3)),
    one("pairwise_distance", (2, 3), (1, 3), p=3.0),
    one("normalize", (2, 3)),
    one("normalize", (2, 3), p=3.0, axis=0),
    one("cosine_similarity", (1, 2, 3), (2, 1, 3), axis=-2),
    one("pdist", (4, 3)),
    one("pdist", (3, 2), p=3.0),
    one("cdist", (2, 4, 3), (2, 2, 3)),
    one("cdist", (4, 3), (2, 3), p=1.0),
    one("standardize", (2, 3), axes=(1,), eps=1e-5),
    one("standardize", (1,), axes=(0,), eps=0.1),
    one("standardize", (2, 3, 2), axes=(0, 2), eps=1e-3),
    one("layer_norm", (2, 3), (3,), (3,), call=lambda x, w, b: engine.layer_norm(x, -1, w, b)),
    one("layer_norm", (2, 3, 2), (3, 2), (3, 2), call=lambda x, w, b: engine.layer_norm(x, (1, 2), w, b)),
    one("rms_norm", (2, 3), (3,), call=lambda x, w: engine.rms_norm(x, -1, w)),
    one("batch_norm", (4, 3), (3,), (3,), call=lambda x, w, b: engine.batch_norm(x, None, None, w, b, training=True)),
    one("batch_norm", (2, 3, 2), call=lambda x: engine.batch_norm(x, training=True)),
    one("batch_norm", (2, 3), (3,), (3,), (3,), (3,), draw=(real, real, positive_only, real, real)),
    one("instance_norm", (2, 3, 4)),
    one("instance_norm", (2, 2, 3), (2,), (2,)),
    one("group_norm", (2, 4, 2), (4,), (4,), call=lambda x, w, b: engine.group_norm(x, 2, w, b)),
    one("group_norm", (2, 4, 3), call=lambda x: engine.group_norm(x, 2)),
    one("local_response_norm", (2, 4, 3), size=3, alpha=0.5),
    one("linear", (2, 3), (4, 3), (4,)),
    one("linear", (3,), (4, 3)),
    one("linear", (5, 2, 3), (4, 3)),
    one("bilinear", (2, 3), (2, 4), (5, 3, 4), (5,)),
    one("embedding", (2, 3), (4, 2), draw=(integers(4), real)),
    one("embedding", (), (4, 2), draw=(integers(4), real)),
    one("embedding_bag", (2, 3), (4, 2), draw=(integers(4), real)),
    one("embedding_bag", (2, 3), (4, 2), draw=(integers(4), real), mode="sum"),
    one("dropout", (2, 3), p=0.4, call=lambda x, p: engine.dropout(x, p, rng=np.random.default_rng(0))),
    one("dropout", (2, 3), call=lambda x: engine.dropout(x, training=False, rng=np.random.default_rng(0))),
    one("scaled_dot_product_attention", (2, 3, 4), (2, 5, 4), (2, 5, 2)),
    one("scaled_dot_product_attention", (3, 4), (3, 4), (3, 2), is_causal=True),
    one("scaled_dot_product_attention", (3, 4), (5, 4), (5, 2), (3, 5), scale=0.3),
    one("rotary_embedding", (3, 4)),
    one("rotary_embedding", (2, 3, 6), base=100.0),
    *cell("rnn_cell", 1),
    *cell("rnn_relu_cell", 1),
    *cell("gru_cell", 3),
    one("lstm_cell", (2, 3), (2, 2), (2, 2), (8, 3), (8, 2), call=joined_lstm),
    one("lstm_cell", (2, 3), (2, 2), (2, 2), (8, 3), (8, 2), (8,), (8,), call=joined_lstm),
)


def pairs_apart(torch: Any) -> Any:
    """PyTorch's function has no second derivative: the norms of the differences."""

    def call(x: Any, p: float = 2.0) -> Any:
        rows, columns = torch.triu_indices(len(x), len(x), 1)
        return torch.linalg.vector_norm(x[rows] - x[columns], p, -1)

    return call


def weighted_multilabel(library: Any, x: Any, target: Any, weight: Any) -> Any:
    function = engine.multilabel_soft_margin_loss if library is engine else written_out(library)
    return function(x, target, weight=weight)


def written_out(torch: Any) -> Any:
    """PyTorch's function does not differentiate its target or weight: the formula, in its operations."""

    def call(x: Any, target: Any, weight: Any = 1.0) -> Any:
        return (weight * (torch.nn.functional.softplus(x) - target * x)).mean()

    return call


def ctc(library: Any, x: Any, reduction: str = "mean", number: Any = np.asarray) -> Any:
    """Score sequences with a repeated label, which needs a blank between, and one that is shorter."""
    log_probs = library.log_softmax(x, -1)
    function = library.ctc_loss if library is engine else library.nn.functional.ctc_loss
    return function(log_probs, number([[1, 1], [2, 3]]), number([5, 4]), number([2, 1]), blank=0, reduction=reduction)


def rotated(torch: Any) -> Any:
    """Rotate by complex multiplication: another formula for the same rotation."""

    def call(x: Any, base: float = 10000.0) -> Any:
        length, half = x.shape[-2], x.shape[-1] // 2
        turns = torch.arange(length)[:, None] * base ** (-torch.arange(half, dtype=x.dtype) / half)
        turned = torch.complex(x[..., :half], x[..., half:]) * torch.exp(1j * turns)
        return torch.cat([turned.real, turned.imag], -1)

    return call


def dropped(torch: Any) -> Any:
    def call(x: Any, p: float = 0.0) -> Any:
        kept = np.random.default_rng(0).random(x.shape) >= p
        return x * torch.tensor(kept) / (1 - p)

    return call


def normed(torch: Any) -> Any:
    def call(x: Any, weight: Any, bias: Any) -> Any:
        return torch.nn.functional.layer_norm(x, weight.shape, weight, bias)

    return call


def batch_normed(torch: Any) -> Any:
    f = torch.nn.functional.batch_norm

    def call(x: Any, *rest: Any) -> Any:
        if len(rest) == 4:
            # PyTorch does not differentiate the running statistics: the formula, in its operations.
            mean, var, weight, bias = rest
            return (x - mean) / torch.sqrt(var + 1e-5) * weight + bias
        return f(x, None, None, *rest, training=True)

    return call


def weighted_logits(torch: Any) -> Any:
    f = torch.nn.functional.binary_cross_entropy_with_logits
    softplus = torch.nn.functional.softplus

    def call(x: Any, t: Any, pos_weight: Any = None, **more: Any) -> Any:
        if pos_weight is None:
            return f(x, t, **more)
        # PyTorch does not differentiate the weight: the formula, in its operations.
        return ((1 - t) * softplus(x) + pos_weight * t * softplus(-x)).mean()

    return call


def cells(name: str) -> Counterpart:
    def make(torch: Any) -> Any:
        return lambda x, h, a, b, c=None, d=None: getattr(torch, name)(x, h, a, b, c, d)

    return make


def lstm(torch: Any) -> Any:
    def call(x: Any, h: Any, c: Any, *weights: Any) -> Any:
        return torch.cat(torch.lstm_cell(x, (h, c), *weights, *([None] * (4 - len(weights)))), 1)

    return call


SAME = (
    *("leaky_relu", "relu6", "hardtanh", "softshrink", "hardshrink", "elu", "celu", "selu", "logsigmoid", "mish"),
    *("hardsigmoid", "hardswish", "softsign", "tanhshrink", "threshold", "prelu", "softplus", "gelu", *LOSSES),
    *("gaussian_nll_loss", "binary_cross_entropy", "kl_div", "hinge_embedding_loss"),
    *("margin_ranking_loss", "cosine_embedding_loss", "triplet_margin_loss", "pairwise_distance", "linear"),
    *("bilinear", "embedding", "embedding_bag", "local_response_norm", "scaled_dot_product_attention"),
)


def same(name: str) -> Counterpart:
    return lambda torch: getattr(torch.nn.functional, name)


def along(name: str, default: int) -> Counterpart:
    def make(torch: Any) -> Any:
        return lambda *xs, axis=default, **more: getattr(torch.nn.functional, name)(*xs, dim=axis, **more)

    return make


COUNTERPARTS: dict[str, Counterpart] = {
    **{name: same(name) for name in SAME},
    "glu": along("glu", -1),
    "softmin": along("softmin", -1),
    "normalize": along("normalize", 1),
    "cosine_similarity": along("cosine_similarity", 1),
    "softmax_cross_entropy": lambda t: lambda x, y, axis: t.nn.functional.cross_entropy(x, y, reduction="none"),
    "cross_entropy": lambda t: labels_from(t, "cross_entropy"),
    "nll_loss": lambda t: labels_from(t, "nll_loss"),
    "huber": lambda t: lambda x, delta: t.nn.functional.huber_loss(x, 0 * x, delta=delta, reduction="none"),
    "binary_cross_entropy_with_logits": weighted_logits,
    "ctc_loss": lambda t: lambda x, **more: ctc(t, x, number=t.tensor, **more),
    "pdist": pairs_apart,
    "multilabel_soft_margin_loss": written_out,
    "cdist": lambda t: lambda x, y, p=2.0: t.linalg.vector_norm(x[..., :, None, :] - y[..., None, :, :], p, -1),
    "standardize": lambda t: (
        lambda x, axes, eps: (x - x.mean(axes, keepdim=True)) / t.sqrt(x.var(axes, correction=0, keepdim=True) + eps)
    ),
    "layer_norm": normed,
    "rms_norm": lambda t: lambda x, w: t.nn.functional.rms_norm(x, w.shape, w, 1e-5),
    "batch_norm": batch_normed,
    "instance_norm": lambda t: lambda x, w=None, b=None: t.nn.functional.instance_norm(x, weight=w, bias=b),
    "group_norm": lambda t: lambda x, w=None, b=None: t.nn.functional.group_norm(x, 2, w, b),
    "dropout": dropped,
    "rotary_embedding": rotated,
    "rnn_cell": cells("rnn_tanh_cell"),
    "rnn_relu_cell": cells("rnn_relu_cell"),
    "gru_cell": cells("gru_cell"),
    "lstm_cell": lstm,
}
