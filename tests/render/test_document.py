from __future__ import annotations

import json

import pytest

from autodrill.practice.log_records import State
from autodrill.render.document import document, write_document


def test_document_begins_with_schema_and_command() -> None:
    assert list(document("list", exercises=[])) == ["schema", "command", "exercises"]


def test_written_document_is_ascii_with_a_final_newline(capsys: pytest.CaptureFixture[str]) -> None:
    write_document("show", task="∂L/∂x \x1b", state=State.DUE)
    text = capsys.readouterr().out
    assert text.isascii()
    assert text.endswith("}\n")
    assert json.loads(text) == {"schema": 1, "command": "show", "task": "∂L/∂x \x1b", "state": "due"}


def test_half_of_a_surrogate_pair_becomes_text(capsys: pytest.CaptureFixture[str]) -> None:
    write_document("check", **{"name": '\ud800 x"\\', "pair": "😀", "\udcff": 1})
    text = capsys.readouterr().out
    assert text.isascii()
    read = json.loads(text)
    assert (read["name"], read["pair"], read[r"\udcff"]) == (r"\ud800" + ' x"\\', "😀", 1)


def test_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_document("check", value=float("nan"))
