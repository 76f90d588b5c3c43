from functools import singledispatch
from typing import Iterator


def _post(node, seen: set[int]) -> Iterator:
    if id(node) in seen:
        return
    seen.add(id(node))
    for p in node._prev:
        yield from _post(p, seen)
    yield node


def topological_sort(root):
    return [*_post(root, set())]
