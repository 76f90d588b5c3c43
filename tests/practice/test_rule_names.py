from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import autodrill
from autodrill.drills.library import Library
from autodrill.grading.diagnosis import fault_rules, mutation_messages
from autodrill.practice.rule_names import NAMES, rule_name

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(autodrill.__file__).parent
KEYS = [key for keys in NAMES.values() for key in keys.split()]
DIAGNOSES = [path for part in ("drills", "grading") for path in (PACKAGE / part).rglob("*.py")]


@cache
def mistakes() -> Counter[str]:
    """The keys of the known mistakes, with the number of exercises that have one."""
    library = Library.open()
    drills = [library.drill(library.find(name)) for name in library.paths]
    return Counter(key for drill in drills for key in {mistake.key for mistake in drill.solution.mistakes})


def general_rules() -> Iterator[str]:
    """The keys that any exercise's answer can break."""
    for path in DIAGNOSES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Rule" and node.args:
                key = node.args[0]
                choices = (key.body, key.orelse) if isinstance(key, ast.IfExp) else (key,)
                yield from (str(c.value) for c in choices if isinstance(c, ast.Constant))
    yield from (mutation_messages.PREFIX + word for word in mutation_messages._WORDS)
    yield from fault_rules._JUDGED


def test_rule_that_several_exercises_can_break_has_a_name() -> None:
    shared = {key for key, exercises in mistakes().items() if exercises > 1}
    assert sorted({*general_rules(), *shared} - set(KEYS)) == []


def test_rule_names_name_only_rules_that_exist() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in DIAGNOSES)
    quoted = {key for key in KEYS if f'"{key}"' in source}
    built = {key for key in KEYS if key.startswith(("slip-", "term-without-"))}
    assert sorted(set(KEYS) - quoted - built - set(mistakes())) == []


def test_rule_has_one_name() -> None:
    assert [key for key, count in Counter(KEYS).items() if count > 1] == []


def test_rule_names_fit_a_narrow_screen() -> None:
    assert [name for name in NAMES if len(name) > 31] == []


def test_rule_without_a_name_is_spelled_out() -> None:
    assert rule_name("dc-without-forget-gate") == "dc without forget gate"
    assert rule_name("not-summed") == rule_name("no-unbroadcast") == "broadcast axes not summed"
