"""The two files of a new exercise, filled in as far as its kind allows, and what is still to be written in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from autodrill.drills.exercise import Kind
from autodrill.errors import Problem

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["left_to_write", "new_files"]

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

_GIVEN = """CASES = [given("{shapes}")]  # FILL IN: every class of inputs: shapes, kinks, ties, sizes


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

_SCENARIO = """

@scenario(1, 2, 5, note="FILL IN: what is special about these inputs")
def inputs(rng, size):
    return {"x": rng.normal(size=size)}  # FILL IN: the inputs of this size, by name


CASES = [inputs]


def drive(candidate, x):
    return candidate(x)  # FILL IN: put the candidate's code through the scenario, and return arrays and numbers


def expected(x):
    return x  # FILL IN: the right answer, by another way than the solution's; `gradient(f, x)` asks both oracles


"""

_KERNEL = '''def {name}():
    return r"""
__global__ void {stem}(const float* g, float* dx, int n) {{
{body}}}
"""
'''

_KERNEL_GIVEN = """CASES = [given("x[n]")]  # FILL IN: every class of inputs; sizes are drawn that no block divides


def forward(x):
    return x  # FILL IN: the forward, in the operations of `autodrill.engine`: what is right follows from it


def launch(n):
    return (n + 31) // 32, 32  # FILL IN: the grid and the block, each a number or a tuple


"""

# By kind: the code of the stub, the words imported, what decides, the solution, the mistake. NAME is the exercise's id,
# STEM that without `_backward`.
_WRITTEN = "  # FILL IN: the worked solution"
_WRONG = "  # FILL IN: what they write"


def _function(name: str, parameters: str, result: str) -> tuple[str, str, str]:
    head = f"def {name}({parameters}):\n"
    return (
        f"{head}    raise NotImplementedError\n",
        f"{head}    return {result}{_WRITTEN}\n",
        f"{head}    return {result}{_WRONG}\n",
    )


def _parts(kind: Kind, name: str) -> tuple[str, str, str, str]:
    """Return the stub, what decides, the worked solution and a mistake."""
    one = _GIVEN.format(shapes="x[n,m]", inputs="x")
    if kind is Kind.BACKWARD:
        stub, right, wrong = _function(name, "g, x", "g.copy()")
        return stub, one, right, wrong
    if kind is Kind.JVP:
        stub, right, wrong = _function(name, "x, dx", "dx.copy()")
        return stub, one, right, wrong
    if kind is Kind.VALUE:
        head = f"def {name}(self, out):\n"
        decides = _GIVEN.format(shapes="self[]", inputs="self").replace("return x", "return self")
        return (
            f"{head}    raise NotImplementedError\n",
            decides,
            f"{head}    self.grad += out.grad{_WRITTEN}\n",
            f"{head}    self.grad = out.grad{_WRONG}\n",
        )
    if kind is Kind.FORWARD_BACKWARD:
        forward = f"{name.removesuffix('_backward')}_forward"
        first, first_right, _ = _function(forward, "x", "x.copy(), None")
        second, second_right, wrong = _function(name, "g, cache", "g.copy()")
        return f"{first}\n\n{second}", one, f"{first_right}\n\n{second_right}", wrong
    if kind is Kind.FUNCTION:
        head = f"class {name}:\n    @staticmethod\n    def forward(ctx, x):\n        {{}}\n\n"
        tail = "    @staticmethod\n    def backward(ctx, g):\n        {}\n"
        keep = f"ctx.save_for_backward(x)\n        return x.copy(){_WRITTEN}"
        return (
            (head + tail).format(*["raise NotImplementedError"] * 2),
            one,
            (head + tail).format(keep, f"return g.copy(){_WRITTEN}"),
            (head + tail).format(f"return x.copy(){_WRONG}", f"return g.copy(){_WRONG}"),
        )
    if kind is Kind.KERNEL:
        stem, line = name.removeprefix("cuda_"), "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        bodies = (
            "",
            *(f"{line}    if (i < n) dx[i] = g[i];{what.replace('#', '//')}\n" for what in (_WRITTEN, _WRONG)),
        )
        stub, right, wrong = (_KERNEL.format(name=name, stem=stem, body=body) for body in bodies)
        return stub, _KERNEL_GIVEN, right, wrong
    stub, right, wrong = _function(name, "x", "x")
    if kind is Kind.BUGFIX:
        stub = stub.replace(
            "raise NotImplementedError", "return x  # FILL IN: the code with its fault; then drop this line"
        )
    return stub, _SCENARIO, right, wrong


def new_files(name: str, kind: Kind) -> tuple[str, str]:
    """Return the text of an exercise file and of its solution file.

    Args:
        name: The exercise's id; of kind `forward_backward` it ends in `_backward`.
        kind: Its kind.
    """
    stub, decides, right, wrong = _parts(kind, name)
    words = "mistake, scenario" if decides is _SCENARIO else "given, mistake"
    solution = f"{_ABOUT.format(words=words)}{decides}{right}{_MISTAKE}{wrong}"
    return _HEADER.format(kind=kind) + stub, solution


def left_to_write(path: Path, text: str) -> list[Problem]:
    """Return what a file of `new_files` still lacks, each at its line."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        found += [Problem(str(path), number, f"still to write: {m['what']}") for m in _MARK.finditer(line)]
    return found
