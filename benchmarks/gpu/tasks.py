"""What the benchmark on a GPU times: the same computation in the engine and in PyTorch, each with its backward."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill import engine
from autodrill.engine.core.tensor import wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Task", "gradients", "tasks", "torch_gradients"]


@dataclass(frozen=True)
class Task:
    """One computation in both libraries.

    Attributes:
        name: What is computed.
        shapes: The shapes of the inputs. The first ones are drawn from the normal distribution in float32.
        ours: The scalar function, of the engine's tensors.
        theirs: The same function, of PyTorch and its tensors.
        operations: The number of operations, for the time of one; 0 if that says nothing.
        passes: How often an array of the first shape is read or written at least, for the time that a copy of as much
            memory takes; 0 if memory is not what limits it.
        classes: If not 0, the last input has integers below it.
    """

    name: str
    shapes: tuple[tuple[int, ...], ...]
    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    operations: int = 0
    passes: int = 0
    classes: int = 0

    def inputs(self) -> list[Any]:
        """Draw the inputs."""
        rng = np.random.default_rng(0)
        drawn: list[Any] = [rng.standard_normal(shape, dtype=np.float32) for shape in self.shapes]
        if self.classes:
            drawn[-1] = rng.integers(0, self.classes, self.shapes[-1])
        return drawn


def gradients(f: Callable[..., Any], *arrays: Any) -> list[Any]:
    """Return the engine's gradients of f with respect to the floating arrays, of which it makes no copies."""
    leaves = [wrap(a).requires_grad_() if a.dtype.kind == "f" else a for a in arrays]
    f(*leaves).backward()
    return [leaf.grad.data for leaf in leaves if isinstance(leaf, engine.Tensor) and leaf.grad is not None]


def torch_gradients(torch: Any, f: Callable[..., Any], *tensors: Any) -> list[Any]:
    """Return PyTorch's gradients of f with respect to the floating tensors."""
    leaves = [t.detach().requires_grad_() if t.is_floating_point() else t for t in tensors]
    return list(torch.autograd.grad(f(*leaves), [t for t in leaves if t.requires_grad]))


def _chain(tanh: Callable[[Any], Any], x: Any, c: Any, rounds: int) -> Any:
    for _ in range(rounds):
        x = tanh(x * c) + 0.1 - 0.2
    return x.sum()


def _attention(x: Any, qkv: Any, heads: int, split: Any, attend: Any) -> Any:
    batch, length, width = x.shape
    parts = split(x @ qkv)
    q, k, v = (part.reshape(batch, length, heads, width // heads).swapaxes(1, 2) for part in parts)
    return attend(q, k, v).swapaxes(1, 2).reshape(batch, length, width)


def _block(x: Any, qkv: Any, out: Any, up: Any, down: Any, *, heads: int) -> Any:
    h = engine.layer_norm(x)
    a = _attention(
        h,
        qkv,
        heads,
        lambda y: engine.split(y, 3, axis=-1),
        lambda *p: engine.scaled_dot_product_attention(*p, is_causal=True),
    )
    x = x + a @ out
    return (x + engine.gelu(engine.layer_norm(x) @ up) @ down).sum()


def _torch_block(torch: Any, x: Any, qkv: Any, out: Any, up: Any, down: Any, *, heads: int) -> Any:
    f = torch.nn.functional
    norm = lambda y: f.layer_norm(y, y.shape[-1:])
    a = _attention(
        norm(x),
        qkv,
        heads,
        lambda y: y.chunk(3, -1),
        lambda *p: f.scaled_dot_product_attention(*p, is_causal=True),
    )
    x = x + a @ out
    return (x + f.gelu(norm(x) @ up) @ down).sum()


def _mlp(x: Any, w1: Any, w2: Any, w3: Any, labels: Any) -> Any:
    return engine.cross_entropy(engine.relu(engine.relu(x @ w1) @ w2) @ w3, labels)


def _torch_mlp(torch: Any, x: Any, w1: Any, w2: Any, w3: Any, labels: Any) -> Any:
    f = torch.nn.functional
    return f.cross_entropy(f.relu(f.relu(x @ w1) @ w2) @ w3, labels)


def tasks(*, small: bool) -> Iterator[Task]:
    """Yield the tasks, for `small` in sizes that take no time."""
    rounds = 2 if small else 50
    for n in (10, 100) if small else (1_000, 1_000_000, 100_000_000):
        yield Task(
            f"{4 * rounds} elementwise operations, n = {n:,}",
            ((n,), (n,)),
            *(lambda x, c: _chain(engine.tanh, x, c, rounds), lambda torch, x, c: _chain(torch.tanh, x, c, rounds)),
            operations=4 * rounds,
            # Forward: the product reads two and writes one, the others read and write one each. Backward: tanh reads
            # two and writes one, each factor of the product reads two and writes one, and the sum for c reads two.
            passes=rounds * (3 + 3 * 2 + 3 + 3 + 3 + 3),
        )
    rows, columns = (4, 6) if small else (4096, 4096)
    shape = (rows, columns)
    yield Task(
        f"softmax of {shape}",
        (shape, shape),
        *(lambda x, g: (engine.softmax(x) * g).sum(), lambda torch, x, g: (torch.softmax(x, -1) * g).sum()),
        passes=2 + 2 + 3 + 3,
    )
    yield Task(
        f"layer norm of {shape}",
        (shape, shape),
        *(
            lambda x, g: (engine.layer_norm(x) * g).sum(),
            lambda torch, x, g: (torch.nn.functional.layer_norm(x, x.shape[-1:]) * g).sum(),
        ),
        passes=2 + 2 + 3 + 3,
    )
    classes = 7 if small else 32_000
    yield Task(
        f"cross-entropy of {(rows, classes)}",
        ((rows, classes), (rows,)),
        *(engine.cross_entropy, lambda torch, x, t: torch.nn.functional.cross_entropy(x, t)),
        passes=1 + 2,
        classes=classes,
    )
    batch, a, b, c = (3, 4, 5, 6) if small else (1024, 1024, 4096, 1000)
    yield Task(
        f"MLP {a}-{b}-{b}-{c}, batch {batch}",
        ((batch, a), (a, b), (b, b), (b, c), (batch,)),
        *(_mlp, _torch_mlp),
        classes=c,
    )
    n, length, width, heads = (2, 3, 8, 2) if small else (16, 512, 768, 12)
    yield Task(
        f"transformer block, width {width}, length {length}, batch {n}, {heads} heads",
        ((n, length, width), (width, 3 * width), (width, width), (width, 4 * width), (4 * width, width)),
        *(partial(_block, heads=heads), partial(_torch_block, heads=heads)),
    )
