"""The remark on an accepted file that may reach into what is counted in its own process."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from autodrill.grading.batch import Task, Worker
from autodrill.grading.reaching_out import may_reach_out, reach_of
from autodrill.grading.report import Verdict
from autodrill.grading.submission import Submission
from autodrill.render.grades import github_lines, grade_line
from autodrill.render.plain import Paint, symbols_for

CORPUS = Path(__file__).parents[1] / "corpus"
RIGHT = """def mul_backward(self, other, out):
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad
"""


@pytest.mark.parametrize(
    ("source", "reach"),
    [
        ("def f(g):\n    return g.__closure__[0].cell_contents\n", "line 2 reads `__closure__`"),
        ("getattr(f, 'cell_contents')\n", "line 1 names `cell_contents`"),
        ("import sys\nsys._getframe = None\n", "line 2 writes `_getframe`"),
        ("import sys as s\nx = s.modules\n", "line 2 reads `s.modules`"),
        ("from sys import _getframe\n", "line 1 imports `sys._getframe`"),
        ("from gc import get_referents as r\n", "line 1 imports `gc.get_referents`"),
        ("import numpy as np\nnp.shares_memory = lambda a, b: True\n", "line 2 writes `np.shares_memory`"),
        ("import numpy as np\nsetattr(np, 'sum', max)\n", "line 2 writes an attribute of `np`"),
        ("import ctypes\n", "line 1 imports `ctypes`"),
        ("__builtins__['sum'] = max\n", "line 1 uses `__builtins__`"),
        ("match f:\n    case object(__closure__=cells):\n        pass\n", "line 2 reads `__closure__`"),
        ("x = f.__\U0001d4b8losure__\n", "line 1 reads `__closure__`"),
        ('getattr(f, "__clos\\x75re__")\n', "line 1 names `__closure__`"),
        ('getattr(f, "__clo" + end)\n', "line 1 computes the name of an attribute for `getattr`"),
        ("import operator\noperator.attrgetter(n)(f)\n", "line 2 computes the name of an attribute for `attrgetter`"),
        ("# coding: utf-7\nf.+AF8AXw-closure__\n", "line 2 reads `__closure__`"),
        ("\ufefff.__closure__\n", "line 1 reads `__closure__`"),
        ("exec(text)\n", "line 1 calls `exec`"),
        ("from gc import *\n", "line 1 imports `gc.*`"),
        ("import traceback\n", "line 1 imports `traceback`"),
        ("import tracemalloc\n", "line 1 imports `tracemalloc`"),
        ("from mmap import mmap\n", "line 1 imports `mmap.mmap`"),
        ("read = getattr\n", "line 1 passes on `getattr`"),
        ("import gc\nm = gc\n", "line 2 passes on `gc`"),
        ("import numpy as np\nvars(np)['sum'] = max\n", "line 2 reads the attributes of a module"),
        ("import numpy as np\nnp.linalg.box = []\n", "line 2 writes `np.linalg.box`"),
        ("import builtins\n", "line 1 imports `builtins`"),
        ("object.__getattribute__(f, name)\n", "line 1 reads `__getattribute__`"),
        ("node.__del__()\n", "line 1 reads `__del__`"),
        ("import inspect\ninspect.getmembers(f)\n", "line 2 reads `inspect.getmembers`"),
        (f"import sys\nsys{'.a' * 1200} = 1\n", f"line 2 writes `sys{'.a' * 28}.`"),
        ("print.__self__.eval('1')\n", "line 1 reads `__self__`"),
        ("import numpy as np\nnp.__dict__['sum'] = max\n", "line 2 reads the attributes of a module"),
        ("import numpy as np\nnp.ctypeslib.ctypes.string_at(1)\n", "line 2 takes `ctypes` from another module"),
        ("import collections\ncollections._sys.modules\n", "line 2 takes `_sys` from another module"),
        ("from dataclasses import sys as s\ns.modules\n", "line 1 imports `dataclasses.sys`"),
        ("from numpy import linalg\nlinalg.norm = max\n", "line 2 writes `linalg.norm`"),
        ("import numpy as np\nxp = np\nxp.sum = max\n", "line 3 writes `xp.sum`"),
        ("import numpy as np\nm = np.linalg\nm.norm = max\n", "line 3 writes `m.norm`"),
        ("import numpy as np\nfor m in [np]:\n    m.sum = max\n", "line 2 passes on `np`"),
        ("object.__subclasses__()\n", "line 1 reads `__subclasses__`"),
        ("from unittest.mock import patch\n", "line 1 imports `unittest.mock.patch`"),
        ("import unittest.mock\nunittest.mock.patch('numpy.sum')\n", "line 2 reads `unittest.mock.patch`"),
        ("from unittest import mock\nmock.patch('numpy.sum')\n", "line 2 reads `mock.patch`"),
        ("import timeit\ntimeit.timeit('x')\n", "line 2 may run a text by `timeit`"),
        ("import sys\nx = " + "-" * 20_000 + "1\n", "it is nested too deeply to be searched"),
    ],
)
def test_reach_of_names_the_line(source: str, reach: str) -> None:
    assert may_reach_out(source.encode())
    assert reach_of(source.encode()) == reach


@pytest.mark.parametrize(
    "source",
    [
        '"""A closure has `cell_contents`."""\n# sys._getframe\nx = "see gc.get_objects"\n',
        "import sys\nsys.setrecursionlimit(10_000)\nsys.stdout = sys.stderr\n",
        "import numpy as np\nnp.float = float\nx = np.zeros(3)\nx.shape = 3, 1\nnp.random.seed(0)\n",
        "import gc\ngc.collect()\n",
        "import timeit\nprint(timeit.timeit(lambda: f(x), number=9))\nx.grad = 0\n",
        "import numpy as np\n\ndef f(x, xp=np):\n    self.a = x\n    return xp.exp(x)\n",
        "import numpy as np\nxp = np\nx = vars(self)\nself.part.grad = xp.exp(x)\n",
        "import re\nx = re.compile('a'), getattr(y, 'shape'), '\\x1b', 'é'\n",
    ],
)
def test_reach_of_ordinary_code_is_nothing(source: str) -> None:
    assert reach_of(source.encode()) == ""


def test_right_answers_do_not_reach_out() -> None:
    paths = sorted(CORPUS.glob("answers/*/right/*.py"))
    assert len(paths) > 200
    assert [path for path in paths if reach_of(path.read_bytes())] == []


@pytest.mark.skipif(sys.platform != "linux", reason="sealed processes are Linux's")
def test_accepted_file_that_reaches_out_is_remarked() -> None:
    sources = [RIGHT, f"import sys\n\nsys._getframe = None\n\n\n{RIGHT}"]
    with Worker(Task("mul_backward", (), seed=7)) as worker:
        plain, reaching = (worker.grade(Submission(s.encode(), "a.py", "a.py")) for s in sources)
    assert (plain.verdict, plain.remarks, reaching.verdict) == (Verdict.PASS, (), Verdict.PASS)
    assert [(r.key, r.text) for r in reaching.remarks] == [("reaches-out", "line 3 writes `_getframe`: read the file")]
    line = grade_line(reaching, Paint.for_stream(sys.stdout, {}), symbols_for(sys.stdout))
    assert line.endswith("a.py  reaches-out: line 3 writes `_getframe`: read the file")
    (warning,) = github_lines([plain, reaching])
    assert warning.startswith("::warning file=a.py,title=mul_backward::reaches-out: line 3")
