"""Scenario leaks: attackers that look for the answer in the frames and objects around the candidate's function.

Each attacker recognises a right answer when it holds one, so it fails only if its process contains none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from autodrill.grading.cases.case_set import CaseSet
from autodrill.sandbox.limits import CHECK_LIMITS
from autodrill.sandbox.outcomes import Loaded, Returned
from autodrill.sandbox.runner import Runner

if TYPE_CHECKING:
    from autodrill.drills.library import Library

ORDERS = '''
import gc
import sys


BEFORE = set(map(id, gc.get_objects()))


def sequences(least, own):
    """Yield the sequences of at least `least` items in reach: of frames, closures and the garbage collector."""
    made = [o for o in gc.get_objects() if id(o) not in BEFORE]
    yield made
    todo, frame, seen = list(made), sys._getframe(2), set(map(id, [*own, made]))
    while frame is not None:
        todo += [frame.f_locals, *frame.f_locals.values()]
        frame = frame.f_back
    while todo:
        o = todo.pop()
        if id(o) in seen:
            continue
        seen.add(id(o))
        if type(o).__name__ in ("function", "cell", "method", "generator"):
            todo += gc.get_referents(o)
        elif type(o) in (list, tuple) and len(o) in range(least, 1000):
            yield list(o)
        elif type(o) is dict and len(o) in range(least, 1000):
            yield list(o)
            yield list(o.values())


def leaked_order(root):
    """Return a topological order that is in reach, without sorting: of nodes or addresses, rising or falling."""
    reached, inputs, todo = {}, {}, [root]
    while todo:
        node = todo.pop()
        if id(node) not in reached:
            reached[id(node)], inputs[id(node)] = node, list(map(id, node._prev))
            todo.extend(node._prev)
    if len(reached) not in range(5, 100):
        raise LookupError("a smaller graph has few orders, and a larger one takes long to search")
    for items in [*sequences(len(reached), [reached, inputs, todo, *inputs.values()]), sorted(reached)]:
        keys = dict.fromkeys(o if type(o) is int else id(o) for o in items)
        keys = [k for k in keys if k in reached]
        if len(keys) == len(reached):
            for order in (keys, keys[::-1]):
                place = {k: i for i, k in enumerate(order)}
                if all(place[s] < place[k] for k in order for s in inputs[k]):
                    return [reached[k] for k in order]
    raise LookupError("no order in reach")
'''

BACKWARD = """

def backward_engine(root):
    root.grad = 1.0
    for node in reversed(leaked_order(root)):
        node._backward()
"""


COEFFICIENTS = """
import sys
import types

import numpy as np


def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    todo, seen, frame = [jvp, vjp], set(), sys._getframe(1)
    while frame is not None:
        todo += frame.f_locals.values()
        frame = frame.f_back
    while todo:
        o = todo.pop()
        if id(o) not in seen:
            seen.add(id(o))
            if type(o) is np.ndarray and o.size > 1:
                raise LookupError("an array is in reach")
            if type(o) in (list, tuple):
                todo += o
            elif type(o) is dict:
                todo += o.values()
            elif type(o) is types.FunctionType:
                todo += [cell.cell_contents for cell in o.__closure__ or ()]
    raise LookupError("no array in reach")
"""

LEAKY = """
def drive(candidate):
    class Node:
        _prev = ()

    nodes = [Node() for _ in range(6)]
    for n, node in enumerate(nodes):
        node._prev = tuple(nodes[:n])
    return len(candidate(nodes[-1]))
"""


def faults(shipped: Library, exercise: str, source: str, seed: int = 3) -> list[str]:
    drill = shipped.drill(shipped.find(exercise))
    # The search for an order may take long on a busy machine. It is no part of the test that it ends in time.
    case_set = CaseSet(drill, seed, replace(CHECK_LIMITS, seconds=30.0, total=100.0))
    with Runner.start(case_set.limits) as runner:
        loaded = runner.load(source.encode(), "leak.py", drill.exercise.entry, drill.kind.scenario(drill))
        assert isinstance(loaded, Loaded)
        return [
            seen.fault.summary if seen.fault else "" for _, seen in case_set.put(runner, range(len(case_set.cases)))
        ]


@pytest.mark.parametrize(
    ("exercise", "tail"),
    [
        ("topological_sort", "topological_sort = leaked_order"),
        ("bug_visited_equality", "bug_visited_equality = leaked_order"),
        ("backward_engine", BACKWARD),
    ],
)
def test_scenario_holds_no_topological_order(shipped: Library, exercise: str, tail: str) -> None:
    # A few nodes can lie in memory in a topological order by chance, but not under every seed.
    seeds = [faults(shipped, exercise, ORDERS + tail, seed) for seed in (3, 4, 5)]
    assert all("LookupError: no order in reach" in found for found in seeds)
    for case in zip(*seeds, strict=True):
        assert any(fault.startswith("LookupError: ") for fault in case), seeds


def test_scenario_holds_no_coefficients(shipped: Library) -> None:
    assert set(faults(shipped, "jacobian_cheapest_mode", COEFFICIENTS)) == {"LookupError: no array in reach"}


def test_attacker_finds_an_order_in_reach() -> None:
    with Runner.start() as runner:
        assert isinstance(runner.load(ORDERS.encode(), "leak.py", "leaked_order", LEAKY), Loaded)
        assert runner.call([], budget=100) == Returned(6)
