"""PyTorch's names of two parameters, `dim` and `keepdim`, which are `axis` and `keepdims` here."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["respelled", "with_spellings"]

_OURS = {"dim": "axis", "keepdim": "keepdims"}


def respelled(name: str, keywords: dict[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return keyword arguments with NumPy's names in place of PyTorch's.

    Args:
        name: The operation, for messages.
        keywords: The keyword arguments of a call.
        known: The names of the operation's parameters.

    Raises:
        TypeError: A parameter is given under both names, or the operation does not have it.
    """
    result = dict(keywords)
    for theirs, ours in _OURS.items():
        if theirs in result:
            if ours not in known:
                raise TypeError(f"`{name}` has no parameter `{theirs}`, and none called `{ours}` either")
            if ours in result:
                raise TypeError(f"`{name}` got both `{theirs}` and `{ours}`, two names of one parameter; give one")
            result[ours] = result.pop(theirs)
    return result


def with_spellings(operation: Any) -> Any:
    """Return a function that accepts PyTorch's names too, if the function has one of these parameters.

    A primitive respells its parameters itself.
    """
    if type(operation) is not FunctionType:
        return operation
    code = operation.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if not {"axis", "keepdims"}.intersection(known):
        return operation

    @functools.wraps(operation)
    def call(*args: Any, **keywords: Any) -> Any:
        if keywords and ("dim" in keywords or "keepdim" in keywords):
            keywords = respelled(operation.__name__, keywords, known)
        return operation(*args, **keywords)

    return call
