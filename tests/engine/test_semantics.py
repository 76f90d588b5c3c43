"""The same programs on the engine and on PyTorch: what they compute, and what they say of tensors, is the same.

What is refused, and in which words, is in `test_messages.py`; writes to views in every order are property-tested in
`test_inplace.py`.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.libraries import Engine, PyTorch, plain
from tests.engine.programs import ITEMS, PROGRAMS

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning"),  # by PyTorch itself
    pytest.mark.filterwarnings("ignore:.*backward.*create_graph=True:UserWarning"),  # a cycle, as it says
    pytest.mark.filterwarnings("ignore:(invalid value|divide by zero):RuntimeWarning"),  # NaNs are meant
]


def test_every_semantics_item_has_a_program() -> None:
    assert {name.partition(":")[0] for name in PROGRAMS} == set(ITEMS)


def assert_same(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, list):
        assert isinstance(ours, list)
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            assert_same(a, b)
    elif isinstance(theirs, (float, complex)) and not isinstance(theirs, bool):
        # A dozen roundings, in another order or by other elementary functions.
        assert ours == pytest.approx(theirs, rel=1e-13, abs=1e-15)
    else:
        assert ours == theirs
        assert type(ours) is type(theirs)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_agrees_with_pytorch(torch: Any, name: str) -> None:
    run = PROGRAMS[name]
    assert_same(plain(run(Engine())), plain(run(PyTorch(torch))))
