"""One attack of each family, through the strictest layer of this machine: the sample of the fast lane."""

from __future__ import annotations

import sys

import pytest

from tests.sandbox.attacks.corpus import Submission, hostile
from tests.sandbox.attacks.harness import LAYERS, available, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the attacks are on Linux")

FIRST = {file.family: file for file in reversed(hostile()) if file.is_possible()}
"""The first file of each family."""


@pytest.mark.parametrize("file", FIRST.values(), ids=FIRST)
def test_first_attack_of_a_family_fails(file: Submission) -> None:
    strictest = [layer for layer in LAYERS if available(layer) is not None][-1]

    (result,) = run(strictest, [file])

    assert result.breach is None
