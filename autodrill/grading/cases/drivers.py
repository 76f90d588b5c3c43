"""What puts the candidate's code to work in its own process, for kinds whose exercises need not say so themselves.

Each is the source of a function `drive(candidate, *arguments)`. It runs beside the candidate's code and decides
nothing: what it returns are values, and they are judged outside.
"""

from __future__ import annotations

from autodrill.drills.exercise import Kind

__all__ = ["drive_for"]

_NODES = """
class Node:
    def __init__(self, data, grad):
        self.data = data
        self.grad = grad

    def __repr__(self):
        return f"Node(data={self.data!r}, grad={self.grad!r})"


def drive(candidate, data, grads, alias, out_data, out_grad, extra):
    nodes = [Node(d, g) for d, g in zip(data, grads)][: 1 if alias else None]
    operands = nodes * len(data) if alias else nodes
    out = Node(out_data, out_grad)
    candidate(*operands, out, **extra)
    return {"grads": [n.grad for n in nodes], "data": [n.data for n in nodes], "out": [out.data, out.grad]}
"""
# Nodes with what an interview gives them and nothing more.

_PASSES = """
def drive(candidate, *arguments):
    cotangents, inputs = arguments[:COTANGENTS], arguments[COTANGENTS:]
    forward, backward = passes(candidate)
    out = forward(*inputs)
    try:
        # Another pass in between, as in every network: what the first one keeps must be its own.
        passes(candidate)[0](*[np.flip(a).copy() if is_floating(a) else a for a in inputs])
    except Exception:
        pass
    grads = backward(*cotangents)
    outs = out if COTANGENTS > 1 and isinstance(out, tuple) else (out,)
    return (*outs, *(grads if isinstance(grads, (tuple, list)) else (grads,)))


def is_floating(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"
"""

_CACHED = """
def passes(candidate):
    if not isinstance(candidate, tuple):
        layer = candidate()
        return layer.forward, layer.backward
    cache = None

    def forward(*inputs):
        nonlocal cache
        returned = candidate[0](*inputs)
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise TypeError(f"{candidate[0].__name__} must return a pair, its output and its cache")
        out, cache = returned
        return out

    return forward, lambda *cotangents: candidate[1](*cotangents, cache)
"""

_FUNCTION = """
class Context:
    saved_tensors = ()

    def save_for_backward(self, *values):
        self.saved_tensors = values


def passes(candidate):
    ctx = Context()
    return (lambda *inputs: candidate.forward(ctx, *inputs)), (lambda *cotangents: candidate.backward(ctx, *cotangents))
"""


def drive_for(kind: Kind, cotangents: int) -> str | None:
    """Return the source for a kind; None where the candidate's code is called directly, or the exercise drives it.

    Args:
        kind: The kind.
        cotangents: How many cotangents a backward is handed.
    """
    if kind is Kind.VALUE:
        return _NODES
    if not kind.has_forward:
        return None
    return f"COTANGENTS = {cotangents}\n{_CACHED if kind is Kind.FORWARD_BACKWARD else _FUNCTION}\n{_PASSES}"
