"""Checkpointing: the saved values of a segment of the forward are dropped and recomputed when backward needs them.

The operations of the segment are recorded as usual; only their saved values are dropped (Griewank and Walther, 2000).
When backward asks for the first of them, the segment runs again and restores all of them. So gradients flow to
everything that the function uses, arguments or not, and `grad(...)` and `create_graph` work. A checkpoint inside
another one saves its arguments through the outer one.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.aliasing import clock, written_after
from autodrill.engine.core.mode import enable_grad, mode
from autodrill.engine.core.node import Leaf, Node
from autodrill.engine.core.pytree import argument_paths, flatten
from autodrill.engine.core.saved_values import Packed
from autodrill.engine.core.tensor import Tensor, live_tangents, wrap
from autodrill.engine.reverse.hooks import pack_saved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodrill.engine.core.generator import AnyGenerator
    from autodrill.engine.core.primitive import Primitive
    from autodrill.engine.transforms.batched_array import Level

__all__ = ["checkpoint"]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A value saved for backward, and the clock of in-place writes at that time."""

    data: Any
    time: int

    def unwritten(self) -> Any:
        """Return the value.

        Raises:
            RuntimeError: It has been overwritten since.
        """
        memory = written_after(self.data, self.time)
        if memory is not None:
            raise RuntimeError(
                f"a checkpointed function saved a value of shape {self.data.shape} for backward, but "
                f"`{memory.operation}` has written to that memory since, at {memory.place}; compute out of place there"
            )
        return self.data


class _Segment:
    """One call of a checkpointed function, with all that a second run needs, and the values which that run restored."""

    def __init__(
        self,
        f: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        rng: AnyGenerator | None,
    ) -> None:
        self.f = f
        self.kwargs = kwargs
        self.rng = rng
        self.state = None if rng is None else rng.bit_generator.state
        self.time = clock.now
        self.vmaps = mode.vmaps
        self.levels = mode.levels, mode.push
        self.opened: list[Level] = []
        leaves, self.structure = flatten(args)
        self.variables = [_cut_off(a) if type(a) is Tensor else () for a in leaves]
        self.args = [_kept(a) for a in leaves]
        self.saved: list[tuple[tuple[int, ...], Any]] = []
        self.ready: dict[int, _Kept] = {}
        self.running: list[_Kept] | None = None

    def run(self, args: tuple[Any, ...]) -> Any:
        """Run forward for the first time and record the shape and dtype of each saved value."""
        around, mode.opened = mode.opened, self.opened
        values: list[_Kept] = []
        try:
            result = self._packing_into(values, lambda: self.f(*args, **self.kwargs))
            self.saved = [(value.data.shape, value.data.dtype) for value in values]
            return result
        finally:
            mode.opened = around
            if around is not None:
                around.extend(self.opened)

    def fetch(self, index: int) -> Tensor:
        """Return one saved value; run forward again if it is not available.

        A gradient inside the function needs values of the run that is under way.
        """
        if self.running is not None:
            return wrap(self.running[index].unwritten())
        if index not in self.ready:
            self.run_again()
        return wrap(self.ready.pop(index).unwritten())

    def _packing_into(self, values: list[_Kept], run: Callable[[], Any], *, alone: bool = False) -> Any:
        def pack(tensor: Tensor) -> int:
            values.append(_Kept(tensor.data, clock.now))
            return len(values) - 1

        around, self.running = self.running, values
        try:
            return _packing(pack, self.fetch, run, alone=alone)
        finally:
            self.running = around

    def run_again(self) -> None:
        """Restore every saved value by a second run.

        Raises:
            RuntimeError: The second run saved other values, or an argument has been overwritten.
        """
        ready: list[_Kept] = []

        def forward() -> Any:
            with enable_grad():
                return self.f(*args, **self.kwargs)

        args = self.structure.unflatten([self._argument(k) for k in range(len(self.args))])
        before = mode.vmaps, mode.reopened, mode.levels, mode.push
        mode.vmaps, mode.reopened = self.vmaps, iter(self.opened)
        mode.levels, mode.push = self.levels
        try:
            with self._rewound():
                self._packing_into(ready, forward, alone=True)
        finally:
            mode.vmaps, mode.reopened, mode.levels, mode.push = before
        found = [(value.data.shape, value.data.dtype) for value in ready]
        if found != self.saved:
            raise RuntimeError(
                f"a checkpointed function saved {len(self.saved)} values in its first run and {len(found)} in its "
                "second, or values of other shapes; both runs must do the same (pass its random generator as `rng`)"
            )
        self.ready = dict(enumerate(ready))

    @contextmanager
    def _rewound(self) -> Iterator[None]:
        """Set the random generator to its state before the first run, and afterwards to its present state."""
        if self.rng is None or self.state is None:
            yield
            return
        before = self.rng.bit_generator.state
        self.rng.bit_generator.state = self.state
        try:
            yield
        finally:
            self.rng.bit_generator.state = before

    def _name(self, k: int) -> str:
        path = self.structure.paths()[k]
        place, _, inside = path[1:].partition("]")
        return f"`{argument_paths(self.f, self.structure)[k]}`" if inside else f"argument {place}"

    def _argument(self, k: int) -> Any:
        value = self.args[k]
        if not isinstance(value, (Packed, Tensor)):
            return value
        if isinstance(value, Tensor):
            memory = written_after(value.data, self.time)
            if memory is not None:
                raise RuntimeError(
                    f"{self._name(k)} of a checkpointed function was overwritten by `{memory.operation}` at "
                    f"{memory.place}, so a second run would give other values; compute out of place there"
                )
        data = value.unpack() if isinstance(value, Packed) else value.data
        return wrap(data, *self.variables[k])


def _kept(value: Any) -> Any:
    """Return an argument as it is saved: through the surrounding checkpoint, if there is one."""
    if type(value) is not Tensor:
        return value
    if mode.packer is None or value.data.dtype.kind not in "fc":
        return wrap(value.data)
    pack, unpack = mode.packer
    return Packed(pack(wrap(value.data)), unpack)


def _cut_off(tensor: Tensor) -> tuple[Leaf | None, dict[int, Tensor] | None]:
    """Return a leaf in place of a tensor's node, and its tangents, cut off in the same way."""
    node = None if tensor.node is None else Leaf(tensor.shape, tensor.dtype)
    tangents = {level: wrap(t.data, *_cut_off(t)) for level, t in (live_tangents(tensor) or {}).items()}
    return node, tangents or None


def _packing(
    pack: Callable[[Tensor], int], fetch: Callable[[int], Tensor], run: Callable[[], Any], *, alone: bool = False
) -> Any:
    def observe(primitive: Primitive, args: tuple[Any, ...], result: Tensor) -> None:  # noqa: ARG001 - an observer
        if type(result.node) is Node and result.node.plan.saves_arrays:
            result.node = pack_saved(result.node, pack, fetch)

    before = mode.observers, mode.packer
    mode.observers = (observe,) if alone else (observe, *mode.observers)
    mode.packer = (pack, fetch)
    try:
        return run()
    finally:
        mode.observers, mode.packer = before


def checkpoint(f: Callable[..., Any], *args: Any, rng: AnyGenerator | None = None, **kwargs: Any) -> Any:
    """Return `f(*args, **kwargs)` and save only the arguments; backward runs f again.

    A chain of n layers in about sqrt(n) checkpoints holds about 2 sqrt(n) activations at a time, at the cost of one
    more forward.

    Args:
        f: A function that does the same in every call.
        args: Its arguments, Tensors or containers of them. They should include every tensor that f uses, because a
            surrounding checkpoint can drop only these.
        rng: The random generator that f draws from. Its state is reset for the second run and restored afterwards.
        kwargs: Further arguments.

    Returns:
        The value of f.

    Raises:
        RuntimeError: In backward: the second run saves other values than the first, or an argument was overwritten.

    Source: Chen et al. (2016); as `torch.utils.checkpoint.checkpoint`.

    Example:
        >>> x = engine.Tensor(2.0, requires_grad=True)
        >>> engine.checkpoint(lambda x: x * x * x, x).backward()
        >>> x.grad.item()
        12.0
    """
    if not mode.grad_enabled:
        return f(*args, **kwargs)
    return _Segment(f, args, kwargs, rng).run(args)
