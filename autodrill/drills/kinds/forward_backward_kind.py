"""Kind `forward_backward`: both passes, with a cache that the candidate chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.kinds.backward_kind import Backward

if TYPE_CHECKING:
    from autodrill.drills.exercise import Drill
    from autodrill.drills.template import Template

__all__ = ["KIND", "PASSES", "ForwardBackward"]

PASSES = """
class OutputChangedError(Exception):
    pass


def drive(candidate, *arguments):
    cotangents, inputs = arguments[:COTANGENTS], arguments[COTANGENTS:]
    forward, backward = passes(candidate)
    out = forward(*inputs)
    outs = out if COTANGENTS > 1 and isinstance(out, tuple) else (out,)
    returned = [a.tobytes() if isinstance(a, np.ndarray) else None for a in outs]
    try:
        # Another forward before the backward, as when a network uses a layer twice: each call needs its own cache.
        passes(candidate)[0](*[np.flip(a).copy() if is_floating(a) else a for a in inputs])
    except Exception:
        pass
    grads = backward(*cotangents)
    if any(was is not None and a.tobytes() != was for a, was in zip(outs, returned)):
        raise OutputChangedError("an output changes after the forward has returned it")
    return (*outs, *(grads if isinstance(grads, (tuple, list)) else (grads,)))


def is_floating(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"
"""
"""Source of a `drive` for `COTANGENTS` cotangents: it runs the two functions that `passes(candidate)` returns."""

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
            raise TypeError(f"{candidate[0].__name__} must return a pair of the output and the cache")
        out, cache = returned
        return out

    return forward, lambda *cotangents: candidate[1](*cotangents, cache)
"""


class ForwardBackward(Backward):
    """A forward and a backward: two functions with a cache between them, or a class that keeps it."""

    has_forward = True

    def refused_name(self, name: str) -> tuple[str, str] | None:
        """Refuse a name that does not end in `_backward`: it also gives the forward its name."""
        if name.endswith("_backward"):
            return None
        both = f"type `{name}_backward` for the two functions `{name}_forward` and `{name}_backward`"
        return f"`{name}` does not end in `_backward`", both

    def entry(self, name: str) -> str:
        """Return `X_forward X_backward` for `X_backward`; any other name is the name of a class."""
        return f"{name.removesuffix('_backward')}_forward {name}" if name.endswith("_backward") else name

    def template(self, name: str) -> Template:
        """Return the template of two functions with a cache."""
        from autodrill.drills.template import Template, function_template

        first = function_template(f"{name.removesuffix('_backward')}_forward", "x", "x.copy(), None")
        second = function_template(name, "g, cache", "g.copy()")
        stub, solution = (f"{a}\n\n{b}" for a, b in ((first.stub, second.stub), (first.solution, second.solution)))
        return Template(stub, solution, second.mistake)

    def driver(self, drill: Drill) -> str | None:
        """Return the source of a `drive` that runs both passes with the candidate's cache."""
        return f"COTANGENTS = {len(drill.solution.cotangents)}\n{_CACHED}\n{PASSES}"


KIND = ForwardBackward()
