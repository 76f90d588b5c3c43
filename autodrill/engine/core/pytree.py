"""Nested containers of arrays (pytrees): flattened into a list of leaves, and rebuilt from one.

Tuples, lists, dicts and named tuples are containers, and None is an empty one. Everything else is a leaf: an array, a
Tensor, a number, or an object that is passed on unchanged. `register_container` makes a container of another class.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["LEAF", "Structure", "argument_names", "argument_paths", "flatten", "register_container"]

C = TypeVar("C", bound=type)


@dataclass(frozen=True, slots=True)
class Structure:
    """The structure of a container: everything but its leaves.

    Attributes:
        kind: The container's class; `object` for a leaf.
        steps: The expression that reaches each part, as written after the container's name.
        parts: The structure of each part.
        build: Builds the container from a list of parts.
    """

    kind: type
    steps: tuple[str, ...]
    parts: tuple[Structure, ...]
    build: Callable[[list[Any]], Any]

    @property
    def size(self) -> int:
        """The number of leaves."""
        return 1 if self is LEAF else sum(part.size for part in self.parts)

    def unflatten(self, leaves: Sequence[Any]) -> Any:
        """Return the container with the given leaves, in the order of `flatten`."""
        remaining = iter(leaves)
        return self._filled(remaining)

    def _filled(self, leaves: Iterator[Any]) -> Any:
        return next(leaves) if self is LEAF else self.build([part._filled(leaves) for part in self.parts])

    def paths(self, name: str = "") -> list[str]:
        """Return the expression for each leaf, such as `params['w'][0]`; `name` is the container's."""
        if self is LEAF:
            return [name]
        return [path for step, part in zip(self.steps, self.parts, strict=True) for path in part.paths(name + step)]

    def match(self, given: Any, name: str, *, none: bool = False, prefix: bool = False) -> list[Any]:
        """Return the leaves of another container of the same structure.

        Args:
            given: The other container. A tuple may replace a list, and a list a tuple.
            name: The container's name in messages.
            none: None in place of a part is used for each of its leaves.
            prefix: A leaf in place of a part is used for each of its leaves.

        Raises:
            ValueError: The structures differ; the message names the place.
        """
        if self is LEAF:
            return [given]
        if (none and given is None) or (prefix and _opened(given) is None):
            return [given] * self.size
        opened = _opened(given)
        if opened is None or not self._like(opened[0]):
            raise ValueError(f"`{name}` is {_description(given)}, but {_described(self.kind, self.steps)} is expected")
        structure, values = opened
        order = [structure.steps.index(step) for step in self.steps]
        return [
            leaf
            for step, part, place in zip(self.steps, self.parts, order, strict=True)
            for leaf in part.match(values[place], name + step, none=none, prefix=prefix)
        ]

    def _like(self, other: Structure) -> bool:
        sequences = {tuple, list}
        same = self.kind is other.kind or {self.kind, other.kind} <= sequences
        return same and sorted(self.steps) == sorted(other.steps)


def _described(kind: type, steps: Sequence[str]) -> str:
    if kind is type(None):
        return "None"
    if kind is dict:
        return f"a dict with the keys {', '.join(step[1:-1] for step in steps)}" if steps else "an empty dict"
    return f"a {kind.__name__} of {len(steps)}"


def _description(value: Any) -> str:
    opened = _opened(value)
    return f"a `{type(value).__name__}`" if opened is None else _described(opened[0].kind, opened[0].steps)


def _no_build(parts: list[Any]) -> Any:  # pragma: no cover - a leaf is never built
    raise AssertionError(parts)


LEAF = Structure(object, (), (), _no_build)
"""The structure of a leaf."""

_registered: dict[type, Callable[[Any], tuple[dict[str, Any], Callable[[list[Any]], Any]]]] = {}


def register_container(
    cls: C,
    take_apart: Callable[[Any], dict[str, Any]] | None = None,
    put_together: Callable[[Any, dict[str, Any]], Any] | None = None,
    *,
    static: Sequence[str] = (),
) -> C:
    """Register a class as a container, so that the transforms find the arrays in its objects; usable as a decorator.

    Args:
        cls: A dataclass, or any class if both functions are given.
        take_apart: Returns an object's parts by name; by default the fields of a dataclass.
        put_together: Returns a copy of an object with other parts; by default `dataclasses.replace`.
        static: Fields of a dataclass that are not parts and are copied unchanged.

    Returns:
        The class itself.

    Raises:
        TypeError: The class is not a dataclass and a function is missing.

    Example:
        >>> from dataclasses import dataclass
        >>> @engine.register_container
        ... @dataclass
        ... class Point:
        ...     x: float
        ...     y: float
        >>> engine.grad_of(lambda p: p.x * p.y)(Point(2.0, 5.0)).x.item()
        5.0
    """
    if take_apart is None or put_together is None:
        if not is_dataclass(cls):
            raise TypeError(
                f"`{cls.__name__}` is not a dataclass; pass functions that take it apart and put it together: "
                "register_container(cls, take_apart, put_together)"
            )
        names = [field.name for field in fields(cls) if field.init and field.name not in static]

        def parts_of(value: Any) -> dict[str, Any]:
            return {name: getattr(value, name) for name in names}

        def replaced(value: Any, parts: dict[str, Any]) -> Any:
            return replace(value, **parts)

        take_apart, put_together = parts_of, replaced
    taken, put = take_apart, put_together

    def opened(value: Any) -> tuple[dict[str, Any], Callable[[list[Any]], Any]]:
        parts = taken(value)
        return parts, lambda values: put(value, dict(zip(parts, values, strict=True)))

    _registered[cls] = opened
    return cls


def _opened(value: Any) -> tuple[Structure, list[Any]] | None:
    """Return a container's structure, with its parts as leaves, and the parts; None for a leaf."""
    kind = type(value)
    build: Callable[[list[Any]], Any]
    if kind is tuple or kind is list:
        steps, parts, build = [f"[{k}]" for k in range(len(value))], list(value), kind
    elif kind is dict:
        keys = list(value)
        steps, parts = [f"[{key!r}]" for key in keys], list(value.values())
        build = lambda found: dict(zip(keys, found, strict=True))
    elif value is None:
        steps, parts, build = [], [], lambda _: None
    elif issubclass(kind, tuple) and hasattr(kind, "_fields"):
        steps, parts, build = [f".{name}" for name in kind._fields], list(value), lambda found: kind(*found)
    elif kind in _registered:
        named, build = _registered[kind](value)
        steps, parts = [f".{name}" for name in named], list(named.values())
    else:
        return None
    return Structure(kind, tuple(steps), (LEAF,) * len(parts), build), parts


def flatten(value: Any) -> tuple[list[Any], Structure]:
    """Return the leaves of a container, in order, and its structure."""
    opened = _opened(value)
    if opened is None:
        return [value], LEAF
    leaves: list[Any] = []
    parts = []
    for part in opened[1]:
        found, structure = flatten(part)
        leaves.extend(found)
        parts.append(structure)
    return leaves, Structure(opened[0].kind, opened[0].steps, tuple(parts), opened[0].build)


def argument_names(f: Callable[..., Any], count: int) -> list[str]:
    """Return the names of f's first `count` positional parameters; `args[k]` for a parameter without a name."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [p.name for p in parameters if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}]
    return [names[k] if k < len(names) else f"args[{k}]" for k in range(count)]


def argument_paths(f: Callable[..., Any], structure: Structure) -> list[str]:
    """Return the expression for each leaf of f's arguments; `structure` is that of the tuple of arguments."""
    names = argument_names(f, len(structure.parts))
    return [path for name, part in zip(names, structure.parts, strict=True) for path in part.paths(name)]
