"""The two files of a new exercise, filled in as far as its kind allows, and what is still to be written in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.drills.kinds import kind_named
from autodrill.errors import Problem

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["GIVEN", "SCENARIO", "WRITTEN", "WRONG", "Template", "function_template", "left_to_write", "new_files"]

_MARK = re.compile(r"FILL IN: (?P<what>[^\"]*[^\"\s,)])")

_HEADER = '''# /// autodrill
# title = "FILL IN: a few words"
# kind = "{kind}"
# difficulty = "easy"
# minutes = 5
# topics = ["FILL IN: what it practises"]
# ///
"""FILL IN: the task as an interviewer puts it: what was computed, what is handed over, what to return.
"""


'''

_ABOUT = '''"""FILL IN: the derivation step by step

Cost: FILL IN: the cost in operations and memory, beside the forward's

PyTorch: FILL IN: what PyTorch does, and what it keeps

Asked next:

- FILL IN: what an interviewer asks next, as `question? → answer`
"""

from autodrill.drills import {words}

HINTS = (
    "FILL IN: the idea, as a question",
    "FILL IN: the rule, in words",
    "FILL IN: the line, without giving it away",
)
'''

GIVEN = """CASES = [given("{shapes}")]  # FILL IN: every class of inputs: shapes, kinks, ties, sizes


def forward({inputs}):
    return x  # FILL IN: the forward, in the operations of `autodrill.engine`: what is right follows from it


"""

_MISTAKE = """

@mistake(
    "FILL IN: a short name",
    "FILL IN: what who writes this believes, as a clause",
    "FILL IN: a question that lets them find it",
)
"""

SCENARIO = """

@scenario(1, 2, 5, note="FILL IN: what is special about these inputs")
def inputs(rng, size):
    return {"x": rng.normal(size=size)}  # FILL IN: the inputs of this size, by name


CASES = [inputs]


def drive(candidate, x):
    return candidate(x)  # FILL IN: put the candidate's code through the scenario, and return arrays and numbers


def expected(x):
    return x  # FILL IN: the right answer, by another way than the solution's; `gradient(f, x)` asks both oracles


"""

WRITTEN = "  # FILL IN: the worked solution"
WRONG = "  # FILL IN: what they write"


@dataclass(frozen=True, slots=True)
class Template:
    """What a new exercise of a kind starts from, with marks for what is still to be written.

    Attributes:
        stub: The code that the candidate is given.
        solution: The worked solution.
        mistake: A wrong implementation.
        deciding: What decides which answers are right: `GIVEN` with a forward, or `SCENARIO` with what is expected.
    """

    stub: str
    solution: str
    mistake: str
    deciding: str = GIVEN.format(shapes="x[n,m]", inputs="x")


def function_template(name: str, parameters: str, result: str, **settings: str) -> Template:
    """Return the template of one function.

    Args:
        name: Its name.
        parameters: Its parameters, as text.
        result: The expression it returns.
        **settings: `deciding` as in `Template`.
    """
    head = f"def {name}({parameters}):\n"
    return Template(
        stub=f"{head}    raise NotImplementedError\n",
        solution=f"{head}    return {result}{WRITTEN}\n",
        mistake=f"{head}    return {result}{WRONG}\n",
        **settings,
    )


def new_files(name: str, kind: str) -> tuple[str, str]:
    """Return the text of an exercise file and of its solution file.

    Args:
        name: The exercise's id, one that the kind accepts.
        kind: The name of its kind.
    """
    made = kind_named(kind).template(name)
    words = "mistake, scenario" if made.deciding is SCENARIO else "given, mistake"
    solution = f"{_ABOUT.format(words=words)}{made.deciding}{made.solution}{_MISTAKE}{made.mistake}"
    return _HEADER.format(kind=kind) + made.stub, solution


def left_to_write(path: Path, text: str) -> list[Problem]:
    """Return what a file of `new_files` still lacks, each at its line."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        found += [Problem(str(path), number, f"still to write: {m['what']}") for m in _MARK.finditer(line)]
    return found
