"""Templates of new exercises: both files, with a mark `FILL IN` at each text and line that the author must write."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.drills.exercise import kind_named
from autodrill.errors import Problem

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["GIVEN", "SCENARIO", "WRITTEN", "WRONG", "Template", "function_template", "left_to_write", "new_files"]

_MARK = re.compile(r"FILL IN: (?P<what>[^\"]*[^\"\s,)])")

_HEADER = '''# /// autodrill
# title = "FILL IN: a title of a few words, such as `Backward of a product`"
# kind = "{kind}"
# difficulty = "easy"  # or medium, hard, expert
# minutes = 5  # for a prepared candidate
# topics = ["FILL IN: a topic that the exercise practises, such as `chain rule`"]
# ///
"""FILL IN: the task, as an interviewer states it. Say what was computed, what the arguments are, and what to return.
"""


'''

_ABOUT = '''"""FILL IN: the derivation, step by step

Cost: FILL IN: the operations and the memory, compared with the forward

PyTorch: FILL IN: how PyTorch computes it, and what it saves for the backward

Asked next:

- FILL IN: a follow-up question and its answer, as `question? → answer`
"""

from autodrill.drills import {words}

HINTS = (
    "FILL IN: the idea, as a question",
    "FILL IN: the rule, in words",
    "FILL IN: the line with a gap, such as `dx = ... * g`",
)
'''

GIVEN = """CASES = [given("{shapes}")]  # FILL IN: one `given(...)` for each class of inputs: other shapes, kinks, ties


def forward({inputs}):
    return x  # FILL IN: the forward, in operations of `autodrill.engine`; both oracles differentiate it


"""

_MISTAKE = """

@mistake(
    "FILL IN: a short key, such as `no-upstream`",
    "FILL IN: the belief behind this answer, as a clause after `your code behaves as if`",
    "FILL IN: a question that leads to the fault",
)
"""

SCENARIO = """

@scenario(1, 2, 5, note="FILL IN: the name of these inputs in a report")
def inputs(rng, size):
    return {"x": rng.normal(size=size)}  # FILL IN: the inputs by name; a small size must give small inputs


CASES = [inputs]


def drive(candidate, x):
    return candidate(x)  # FILL IN: use the code as a program would, and return arrays and numbers


def expected(x):
    return x  # FILL IN: the right answer, computed in another way than in the solution; `gradient(f, x)` helps


"""

WRITTEN = "  # FILL IN: the worked solution"
WRONG = "  # FILL IN: the wrong answer"


@dataclass(frozen=True, slots=True)
class Template:
    """The code of a new exercise, with marks at the lines that the author must write.

    Attributes:
        stub: The code that the candidate gets.
        solution: The worked solution.
        mistake: A wrong implementation.
        deciding: The code that decides which answers are right: `GIVEN` with a `forward`, or `SCENARIO` with an
            `expected`.
    """

    stub: str
    solution: str
    mistake: str
    deciding: str = GIVEN.format(shapes="x[n,m]", inputs="x")


def function_template(name: str, parameters: str, result: str, **settings: str) -> Template:
    """Return the template of a function.

    Args:
        name: The name of the function.
        parameters: Its parameters, as text.
        result: The expression that it returns.
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
        name: The id of the exercise, which the kind must accept.
        kind: The name of its kind.
    """
    made = kind_named(kind).template(name)
    words = "mistake, scenario" if made.deciding is SCENARIO else "given, mistake"
    solution = f"{_ABOUT.format(words=words)}{made.deciding}{made.solution}{_MISTAKE}{made.mistake}"
    return _HEADER.format(kind=kind) + made.stub, solution


def left_to_write(path: Path, text: str) -> list[Problem]:
    """Return a problem for each mark `FILL IN` in a file, at its line."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        found += [Problem(str(path), number, f"still to write: {m['what']}") for m in _MARK.finditer(line)]
    return found
