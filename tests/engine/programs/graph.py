"""Leaves, modes, hooks, writes in place and `grad`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.libraries import plain
from tests.engine.programs import program


@program("leaf", "made by no recorded operation; only a leaf that requires grad collects a gradient")
def _(e: Any) -> Any:
    x, c = e.leaf(2.0), e.constant(3.0)
    y = x * c
    y.sum().backward()
    with pytest.warns(UserWarning, match="leaf"):
        kept = y.grad
    return [t.is_leaf for t in (x, c, y, c * 2, y.detach())], [t.requires_grad for t in (x, c, y)], x.grad, c.grad, kept


@program("retain_grad", "keeps the gradient of an interior tensor, and adds to it at the next backward")
def _(e: Any) -> Any:
    x = e.leaf(2.0)
    y = x * 3
    y.retain_grad()
    z = (y * y).sum()
    found = []
    for _ in range(2):
        z.backward(retain_graph=True)
        found.append(plain([x.grad, y.grad]))
    return found


@program("accumulation", "over the paths of one graph and over calls of backward")
def _(e: Any) -> Any:
    x = e.leaf(3.0)
    for _ in range(2):
        y = x * x
        (y + y * x + x).sum().backward()
    return x.grad


@program("zero_grad", "is None, not zeros: what takes no part stays None, and the next gradient starts over")
def _(e: Any) -> Any:
    x, unused = e.leaf(2.0), e.leaf(1.0)
    (x * x).sum().backward()
    x.grad = None
    (x * 3).sum().backward()
    return x.grad, unused.grad


@program("detach", "stops the gradient and shares memory and version")
def _(e: Any) -> Any:
    x = e.leaf(2.0) * 1
    d = x.detach()
    (g,) = e.grad((x * d).sum(), x)
    d.mul_(10)
    return g, d.requires_grad, x, e.version(x)


@program("requires_grad_", "switches a leaf on and off, from the next operation on")
def _(e: Any) -> Any:
    x = e.constant(2.0)
    before = x * 2
    assert x.requires_grad_() is x
    after = x * 2
    return before.requires_grad, after.requires_grad, (x.requires_grad_(False) * 2).requires_grad


@program("no_grad", "as a block and as a decorator; a leaf made inside it is a leaf")
def _(e: Any) -> Any:
    x = e.leaf(2.0)

    @e.no_grad()  # type: ignore[untyped-decorator]  # of whichever library
    def inside() -> Any:
        return x * 2

    with e.no_grad():
        leaf = e.leaf(1.0)
        shifted = x + 1
    (leaf * 5).sum().backward()
    return inside().requires_grad, shifted.requires_grad, shifted.is_leaf, leaf.grad


@program("enable_grad", "records inside `no_grad`, and the end of each block brings back what was before")
def _(e: Any) -> Any:
    x, recorded = e.leaf(2.0), []
    with e.no_grad():
        recorded.append((x * 1).requires_grad)
        with e.enable_grad():
            recorded.append((x * 1).requires_grad)
        with e.set_grad_enabled(True):
            recorded.append((x * 1).requires_grad)
        recorded.append(e.is_grad_enabled())
    return recorded, e.is_grad_enabled()


@program("inference_mode", "marks what it makes, counts no version outside, and leaves other tensors as they are")
def _(e: Any) -> Any:
    x = e.leaf(2.0)
    with e.inference_mode():
        z = x * 3
        z.add_(1)
    copied = (x * z.clone()).sum()
    copied.backward()
    return e.is_inference(z), e.is_inference(x), z.requires_grad, z.is_leaf, (x + z).requires_grad, x.grad


@program("tensor hooks", "see the sum over all uses once, replace it for what follows, and can be removed")
def _(e: Any) -> Any:
    x, seen = e.leaf(2.0), []
    removed = x.register_hook(lambda g: g * 1000)
    removed.remove()
    x.register_hook(lambda g: seen.append(plain(g)))
    y = x * 1
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    (y * y + x).sum().backward()
    return seen, y.grad, x.grad, e.grad((x * x).sum(), x)


@program("tensor hooks", "under create_graph are differentiated too")
def _(e: Any) -> Any:
    x = e.leaf(3.0)
    x.register_hook(lambda g: g * g)
    (g,) = e.grad((x * x).sum(), x, create_graph=True)
    return g, e.grad(g.sum(), x)


@program("node hooks", "come after the tensor's own, pre-hooks before the rules, leaves last")
def _(e: Any) -> Any:
    calls: list[Any] = []

    def note(name: str, value: Any, answer: Any = None) -> Any:
        calls.append((name, plain(value)))
        return answer

    x = e.leaf(1.0, 2.0)
    y = x * 2
    y.grad_fn.register_hook(lambda gi, go: note("post", [gi[0], go[0]], (gi[0] * 7, *gi[1:])))
    y.grad_fn.register_prehook(lambda go: note("pre", go[0], (go[0] * 3,)))
    y.register_hook(lambda g: note("tensor", g))
    x.register_post_accumulate_grad_hook(lambda t: note("accumulated", t.grad))
    x.register_hook(lambda g: note("leaf", g, g + 1))
    y.sum().backward()
    return calls, x.grad


@program("post-accumulate hooks", "may step and drop the gradient: an optimiser without memory for gradients")
def _(e: Any) -> Any:
    x = e.leaf(2.0)

    def step(t: Any) -> None:
        with e.no_grad():
            t.sub_(t.grad * 0.25)
        t.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * x).sum().backward()
    handle.remove()
    (x * x).sum().backward()
    return x, x.grad


@program("saved_tensors_hooks", "keep what is saved: inputs of a product, the result of exp, nothing of a sum")
def _(e: Any) -> Any:
    x, packed = e.leaf(0.5), []

    def pack(t: Any) -> int:
        packed.append(plain(t))
        return len(packed) - 1

    with e.saved_tensors_hooks(pack, lambda k: e.constant(*packed[k]) * 2):
        y = e.exp(x)
        z = y + x
        with e.saved_tensors_hooks(lambda t: t, lambda t: t):
            w = z * z
    w.sum().backward()
    return packed, x.grad


@program("retain_graph", "lets backward run again; a graph that saved nothing may always")
def _(e: Any) -> Any:
    x, y = e.leaf(2.0), e.leaf(2.0)
    square, double = (x * x).sum(), (y + y).sum()
    for last in (False, True):
        square.backward(retain_graph=not last)
        double.backward()
    return x.grad, y.grad


@program("in-place", "moves the tensor on in the graph; every write counts, also through views and aliases")
def _(e: Any) -> Any:
    x, w = e.leaf(2.0, 3.0), e.leaf(5.0, 7.0)
    y = x * 1
    versions = [e.version(y)]
    y.mul_(w)
    versions.append(e.version(y))
    y[0].add_(1)
    versions.append(e.version(y))
    y.detach().mul_(1)
    versions += [e.version(y), e.version(x)]
    z = y + 0
    z.exp_()
    z.sum().backward()
    return versions, y, x.grad, w.grad


@program("in-place", "of what no rule saved is no error, nor before a value was saved")
def _(e: Any) -> Any:
    x = e.leaf(1.0, 2.0)
    h = x * 1
    total = h + h
    h.mul_(100)
    (total.sum() + (h * h).sum()).backward()
    return x.grad


@program("views", "share memory both ways; a copy does not")
def _(e: Any) -> Any:
    x = e.constant(1.0, 2.0, 3.0, 4.0)
    row, flat, copy = x.reshape(2, 2)[1], x.reshape(-1), x.clone()
    x[3] = 40.0
    flat[2] = 30.0
    return row, x, copy, e.version(row), e.version(copy)


@program("in-place on views", "changes the base and its other views in the graph")
def _(e: Any) -> Any:
    x, w = e.leaf(1.0, 2.0, 3.0), e.leaf(10.0)
    y = x * 1
    tail, first = y[1:], y[0]
    tail.mul_(w)
    y.add_(1)
    first.mul_(4)
    (tail.sum() * 2 + first + (y * y).sum()).backward()
    return y, tail, first, x.grad, w.grad


@program("in-place on views", "of a constant let it join the graph")
def _(e: Any) -> Any:
    x, w = e.constant(0.0, 0.0, 0.0), e.leaf(4.0)
    x[1] = w[0] * 2
    x.sum().backward()
    return x.requires_grad, x.is_leaf, w.grad


@program("create_graph", "differentiates the gradient any number of times")
def _(e: Any) -> Any:
    x = e.leaf(2.0)
    g, found = (x**4).sum(), []
    for _ in range(4):
        (g,) = e.grad(g.sum(), x, create_graph=True)
        found.append(plain(g))
    return found


@program("create_graph", "lets a gradient penalty reach the weights through `.grad`")
def _(e: Any) -> Any:
    x, w = e.leaf(1.0, 2.0), e.leaf(3.0, 4.0)
    (w * x * x).sum().backward(create_graph=True)
    (g,) = e.grad((x.grad * x.grad).sum(), w)
    return g


@program("allow_unused", "gives None for an input without a path")
def _(e: Any) -> Any:
    x, y = e.leaf(2.0), e.leaf(3.0)
    return e.grad((x * x).sum(), [x, y], allow_unused=True), x.grad


@program("grad_outputs", "weight several outputs; inputs may be interior tensors")
def _(e: Any) -> Any:
    x = e.leaf(1.0, 2.0)
    y = x * x
    z = y * 3
    return e.grad([y, z], [x, y], [e.constant(1.0, 10.0), e.constant(100.0, 1000.0)])
