"""Layers without state, under PyTorch's names: linear maps, embeddings, dropout, attention and recurrent cells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.backend import WRAPPERS, backend_of
from autodrill.engine.core.complex_convention import check_real
from autodrill.engine.core.mode import mode
from autodrill.engine.core.node import CustomNode, Leaf
from autodrill.engine.core.sparse import IndexedSlices
from autodrill.engine.core.tensor import Tensor, raw, wrap
from autodrill.engine.ops.activation import relu, sigmoid
from autodrill.engine.ops.elementwise import where
from autodrill.engine.ops.index import getitem, index_scatter
from autodrill.engine.ops.linalg import matmul
from autodrill.engine.ops.probabilities import softmax
from autodrill.engine.ops.reduce import max, mean, sum  # noqa: A004 - NumPy's names
from autodrill.engine.ops.shape import along, concatenate, expand_dims, swapaxes
from autodrill.engine.ops.trigonometric import cos, sin, tanh

if TYPE_CHECKING:
    from typing import Literal

    from autodrill.engine.core.backend import Array
    from autodrill.engine.core.generator import AnyGenerator

# fmt: off
__all__ = [
    "bilinear", "dropout", "embedding", "embedding_bag", "gru_cell", "gumbel_softmax", "linear", "lstm_cell",
    "rnn_cell", "rnn_relu_cell", "rotary_embedding", "scaled_dot_product_attention",
]
# fmt: on


def linear(x: Array, weight: Array, bias: Array | None = None) -> Any:
    """Return x weightᵀ + bias.

    Args:
        x: Shape (..., in).
        weight: Shape (out, in), or (in,) for a single output without an axis.
        bias: Shape (out,); by default nothing is added.

    Returns:
        Shape (..., out).

    Raises:
        ValueError: The shapes do not fit.

    Source: agrees with `torch.nn.functional.linear`.
    """
    out = matmul(x, swapaxes(weight, -1, -2) if weight.ndim > 1 else weight)
    return out if bias is None else out + bias


def bilinear(x: Array, y: Array, weight: Array, bias: Array | None = None) -> Any:
    """Return xᵀ weight[k] y + bias[k] for each output k.

    Args:
        x: Shape (..., m).
        y: Shape (..., n).
        weight: Shape (out, m, n).
        bias: Shape (out,); by default nothing is added.

    Returns:
        Shape (..., out).

    Raises:
        ValueError: The shapes do not fit.

    Source: agrees with `torch.nn.functional.bilinear`.
    """
    mapped = matmul(weight, expand_dims(expand_dims(y, -1), -3))[..., 0]  # (..., out, m)
    out = sum(expand_dims(x, -2) * mapped, axis=-1)
    return out if bias is None else out + bias


def embedding(indices: Any, weight: Array, padding_idx: int | None = None, *, sparse: bool = False) -> Any:
    """Return the rows of a table at integer indices.

    Args:
        indices: Integers of any shape, in [0, len(weight)).
        weight: The table, shape (rows, ...).
        padding_idx: The index of a row that gets no gradient.
        sparse: Whether the gradient of a table that is a leaf stays a list of rows, in `.sparse_grad`. Reading `.grad`,
            a hook on the leaf, another use of the table, `create_graph` and forward mode make it dense.

    Returns:
        The rows, shape `indices.shape + weight.shape[1:]`.

    Raises:
        IndexError: An index or `padding_idx` is outside the table, or the indices are not integers.

    Source: agrees with `torch.nn.functional.embedding`.
    """
    indices = backend_of(raw(weight)).asarray(raw(indices))
    rows = _lookup_rows(weight, indices) if sparse and type(weight) is Tensor else getitem(weight, indices)
    if padding_idx is None:
        return rows
    if not -weight.shape[0] <= padding_idx < weight.shape[0]:
        raise IndexError(f"`padding_idx` is {padding_idx}, but the table has {weight.shape[0]} rows")
    padding = (indices == padding_idx % weight.shape[0]).reshape(indices.shape + (1,) * (weight.ndim - 1))
    return where(padding, raw(rows), rows)


def _lookup_rows(weight: Tensor, indices: Array) -> Tensor:
    """Return rows of a table with a sparse gradient, if the table is a leaf; otherwise with a dense one.

    Args:
        weight: The table.
        indices: Integers of any shape, in [0, len(weight)).

    Returns:
        The rows, shape `indices.shape + weight.shape[1:]`.
    """
    table = weight.node
    batched = type(weight.data) in WRAPPERS or type(indices) in WRAPPERS
    if type(table) is not Leaf or not mode.grad_enabled or weight.tangents or batched:
        rows: Tensor = getitem(weight, indices)
        return rows
    places, shape = weight.backend.xp.array(indices), weight.data.shape

    def pull(node: CustomNode, g: Any, create_graph: bool) -> list[Any]:
        if create_graph or hasattr(g, "node") or node.watch is not None:
            return [index_scatter(g, index=places, shape=shape)]
        return [IndexedSlices(places.reshape(-1), g.reshape(-1, *shape[1:]).copy(), shape)]

    data = weight.data[places]
    return wrap(data, CustomNode("embedding", (table,), (), data.shape, data.dtype, pull))


def embedding_bag(indices: Any, weight: Array, mode: Literal["sum", "mean", "max"] = "mean") -> Any:
    """Return the sum, mean or maximum of the rows of a table at each row of indices.

    Args:
        indices: Integers, shape (N, L).
        weight: The table, shape (rows, D).
        mode: `"sum"`, `"mean"` or `"max"`; equal maxima share the gradient.

    Returns:
        Shape (N, D).

    Raises:
        ValueError: The mode is unknown.
        IndexError: An index is outside the table, or not an integer.

    Source: agrees with `torch.nn.functional.embedding_bag`, except for the gradient of equal maxima.
    """
    if mode not in {"sum", "mean", "max"}:
        raise ValueError(f"`mode` must be `sum`, `mean` or `max`, not `{mode}`")
    rows = embedding(indices, weight)
    return {"sum": sum, "mean": mean, "max": max}[mode](rows, axis=-2)


def dropout(x: Array, p: float = 0.5, training: bool = True, *, rng: AnyGenerator) -> Any:
    """Return x with each element set to 0 with probability p, otherwise scaled by 1 / (1 - p) to keep the mean.

    Args:
        x: Values of any shape.
        p: The probability of dropping an element.
        training: Whether to drop at all.
        rng: The random generator; `engine.Generator` draws the same numbers on every device. Under `vmap`, its
            `randomness` must say whether the examples share the numbers drawn.

    Returns:
        The shape and dtype of x.

    Raises:
        ValueError: p is not a probability.

    Source: Srivastava et al. (2014); as `torch.nn.functional.dropout`, with other random numbers.
    """
    from autodrill.engine.transforms.vmap_boundary import uniform

    if not 0 <= p <= 1:
        raise ValueError(f"p must be a probability between 0 and 1, not {p}")
    if not training or p == 0:
        return x * 1
    kept = uniform(rng, x) >= p
    return x * (kept.astype(x.dtype) * (0 if p == 1 else 1 / (1 - p)))


def gumbel_softmax(logits: Array, tau: float = 1.0, hard: bool = False, axis: int = -1, *, rng: AnyGenerator) -> Any:
    """Return a differentiable sample of classes, softmax((logits + noise) / tau), with Gumbel noise -log(-log u).

    Args:
        logits: Real scores, of any shape.
        tau: The temperature: the smaller, the nearer to one class.
        hard: Whether to return the largest class as 1 and the others as 0, with the gradient of the soft sample
            (straight-through).
        axis: The axis of the classes.
        rng: The random generator, as for `dropout`.

    Returns:
        The shape of the scores; the sum along `axis` is 1.

    Raises:
        TypeError: The scores are complex.
        numpy.exceptions.AxisError: The scores lack the axis.

    Source: Jang, Gu and Poole (2017), and Maddison, Mnih and Teh (2017).
    """
    from autodrill.engine.transforms.vmap_boundary import uniform

    check_real("gumbel_softmax", logits)
    xp = backend_of(raw(logits)).xp
    drawn = xp.maximum(uniform(rng, logits), np.finfo(float).tiny)
    noise = (-xp.log(-xp.log(drawn))).astype(logits.dtype)
    soft = softmax((logits + noise) / tau, axis=axis)
    if not hard:
        return soft
    largest = xp.argmax(raw(soft), axis=axis)
    places = along(xp.arange(logits.shape[axis]), axis, logits.ndim)
    chosen = (expand_dims(largest, axis) == places).astype(logits.dtype)
    return soft + (chosen - raw(soft))


# Attention


def scaled_dot_product_attention(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
) -> Any:
    """Return softmax(query keyᵀ · scale) value, with the softmax over the keys.

    Args:
        query: Real, shape (..., L, E).
        key: Real, shape (..., S, E).
        value: Shape (..., S, D).
        attn_mask: Broadcast against (..., L, S). Booleans mark the keys that take part; numbers are added to scores.
        is_causal: Whether a query must not attend to later keys.
        scale: By default 1 / √E.

    Returns:
        Shape (..., L, D). A query that may attend to no key gets NaN, as in the formula.

    Raises:
        ValueError: The shapes do not fit.
        TypeError: The scores are complex.

    Source: Vaswani et al. (2017); agrees with `torch.nn.functional.scaled_dot_product_attention`.
    """
    scores = matmul(query, swapaxes(key, -1, -2)) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    xp = backend_of(raw(scores)).xp
    if is_causal:
        scores = where(xp.tril(xp.ones(scores.shape[-2:], bool)), scores, -math.inf)
    if attn_mask is not None:
        boolean = raw(attn_mask).dtype.kind == "b"
        scores = where(raw(attn_mask), scores, -math.inf) if boolean else scores + attn_mask
    return matmul(softmax(scores, axis=-1), value)


def rotary_embedding(x: Array, positions: Any = None, base: float = 10000.0) -> Any:
    """Return x with pairs of features rotated by angles proportional to their position.

    Args:
        x: Shape (..., T, D), D even; feature k is paired with feature k + D/2.
        positions: T positions, by default 0, 1, ...
        base: Pair k is rotated by position / base^(2k/D).

    Returns:
        The shape of x.

    Raises:
        ValueError: D is odd, x has fewer than two axes, or there are not T positions.

    Source: Su et al. (2021), with the pairs of GPT-NeoX.
    """
    if x.ndim < 2:
        raise ValueError(f"`rotary_embedding` needs shape (..., T, D), not {x.shape}")
    length, features = x.shape[-2:]
    if features % 2:
        raise ValueError(f"`rotary_embedding` needs an even number of features, not {features}")
    half = features // 2
    xp = backend_of(raw(x)).xp
    steps = xp.arange(length) if positions is None else backend_of(raw(x)).asarray(raw(positions))
    angles = (steps[:, None] * base ** (-xp.arange(half) / half)).astype(x.dtype)
    first, second = x[..., :half], x[..., half:]
    return concatenate(
        [first * cos(angles) - second * sin(angles), first * sin(angles) + second * cos(angles)], axis=-1
    )


# Recurrent cells. The layout of weights is PyTorch's: the rows of all gates in one matrix.


def rnn_cell(x: Array, h: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None, b_hh: Array | None = None) -> Any:
    """Return tanh(x w_ihᵀ + b_ih + h w_hhᵀ + b_hh), the next hidden state.

    Args:
        x: Input, shape (N, in).
        h: Hidden state, shape (N, hidden).
        w_ih: Shape (hidden, in).
        w_hh: Shape (hidden, hidden).
        b_ih: Shape (hidden,); by default nothing is added.
        b_hh: Likewise.

    Returns:
        Shape (N, hidden).

    Raises:
        ValueError: The shapes do not fit.

    Source: Elman (1990); agrees with `torch.nn.RNNCell`.
    """
    return tanh(linear(x, w_ih, b_ih) + linear(h, w_hh, b_hh))


def rnn_relu_cell(
    x: Array, h: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None, b_hh: Array | None = None
) -> Any:
    """Return max(x w_ihᵀ + b_ih + h w_hhᵀ + b_hh, 0), the next hidden state.

    Args:
        x, h, w_ih, w_hh, b_ih, b_hh: As for `rnn_cell`.

    Returns:
        Shape (N, hidden).

    Raises:
        ValueError: The shapes do not fit.

    Source: agrees with `torch.nn.RNNCell` of nonlinearity `"relu"`.
    """
    return relu(linear(x, w_ih, b_ih) + linear(h, w_hh, b_hh))


def lstm_cell(
    x: Array,
    state: tuple[Array, Array],
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None = None,
    b_hh: Array | None = None,
) -> tuple[Any, Any]:
    """Return the next states of an LSTM: c' = σ(f) c + σ(i) tanh(g) and h' = σ(o) tanh(c').

    The gates i, f, g and o are the quarters of x w_ihᵀ + b_ih + h w_hhᵀ + b_hh.

    Args:
        x: Input, shape (N, in).
        state: Hidden state h and cell state c, each (N, hidden).
        w_ih: Rows for the input, forget, cell and output gate, shape (4 hidden, in).
        w_hh: Likewise, shape (4 hidden, hidden).
        b_ih: Shape (4 hidden,); by default nothing is added.
        b_hh: Likewise.

    Returns:
        The pair (h', c'), each (N, hidden).

    Raises:
        ValueError: The shapes do not fit, or `state` is no pair.

    Source: Hochreiter and Schmidhuber (1997), with the forget gate of Gers et al. (2000); agrees with
    `torch.nn.LSTMCell`.
    """
    h, c = state
    n = h.shape[-1]
    gates = linear(x, w_ih, b_ih) + linear(h, w_hh, b_hh)
    i, f, g, o = (gates[..., k * n : (k + 1) * n] for k in range(4))
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


def gru_cell(x: Array, h: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None, b_hh: Array | None = None) -> Any:
    """Return the next GRU state h' = (1 - z) n + z h with n = tanh(xₙ + r hₙ), r = σ(xᵣ + hᵣ) and z = σ(x_z + h_z).

    The parts of x w_ihᵀ + b_ih are xᵣ, x_z and xₙ, and those of h w_hhᵀ + b_hh are hᵣ, h_z and hₙ. The reset gate r
    follows the product, as in cuDNN.

    Args:
        x: Input, shape (N, in).
        h: Hidden state, shape (N, hidden).
        w_ih: Rows for the reset, update and new gate, shape (3 hidden, in).
        w_hh: Likewise, shape (3 hidden, hidden).
        b_ih: Shape (3 hidden,); by default nothing is added.
        b_hh: Likewise.

    Returns:
        Shape (N, hidden).

    Raises:
        ValueError: The shapes do not fit.

    Source: Cho et al. (2014); agrees with `torch.nn.GRUCell`.
    """
    n = h.shape[-1]
    from_x, from_h = linear(x, w_ih, b_ih), linear(h, w_hh, b_hh)
    r = sigmoid(from_x[..., :n] + from_h[..., :n])
    z = sigmoid(from_x[..., n : 2 * n] + from_h[..., n : 2 * n])
    new = tanh(from_x[..., 2 * n :] + r * from_h[..., 2 * n :])
    return new + z * (h - new)
