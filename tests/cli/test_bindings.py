from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import autodrill.cli.asking
import autodrill.cli.sitting
import autodrill.cli.watch_session
from autodrill.cli.bindings import Action, Binding, asking, find, paging, rating, ticking
from autodrill.practice.log_records import Rating
from autodrill.render.card_screen import Part

STAGES = {
    "recall": asking(options=0, typed=False),
    "typed": asking(options=0, typed=True),
    "choice": asking(options=4, typed=False),
    "widest choice": asking(options=8, typed=False),
    "ticking": paging(ticking(6, dict.fromkeys(Part, 2)), left=2, earlier=True),
    "rating": paging(rating(Rating.GOOD, dict.fromkeys(Part, 2)), left=2, earlier=True),
    "widest choice that pages": paging(asking(options=8, typed=False), left=2, earlier=True),
}


@pytest.mark.parametrize("stage", STAGES)
def test_bindings_have_no_key_twice(stage: str) -> None:
    keys = Counter(key for binding in STAGES[stage] for key in binding.keys)
    assert [key for key, times in keys.items() if times > 1] == []


@pytest.mark.parametrize("stage", STAGES)
def test_bindings_always_include_skip_undo_quit_and_help(stage: str) -> None:
    actions = {binding.action for binding in STAGES[stage]}
    assert actions >= {Action.SKIP, Action.UNDO, Action.QUIT, Action.HELP}
    assert find(STAGES[stage], "enter") is not None


def test_actions_are_all_handled() -> None:
    modules = (autodrill.cli.asking, autodrill.cli.sitting, autodrill.cli.watch_session)
    source = "".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in modules)
    handled = set(re.findall(r"Action\.([A-Z_]+)", source))
    # What is left when no option was chosen and nothing typed, and when a rating key was not pressed.
    assert {action.name for action in Action} - handled == {"REVEAL", "TAKE_SUGGESTION"}


@pytest.mark.parametrize("stage", ["ticking", "rating", "widest choice that pages"])
def test_space_pages_while_there_is_more_and_then_goes_on(stage: str) -> None:
    found = find(STAGES[stage], "space")
    assert found is not None
    assert found.action is Action.LATER
    last = paging(rating(Rating.GOOD, {}), left=0, earlier=True)
    assert (found := find(last, "space")) is not None
    assert found.action is Action.TAKE_SUGGESTION


def test_space_keeps_the_meaning_that_the_bar_shows() -> None:
    keys = paging(asking(options=0, typed=True), left=3, earlier=False)
    assert (found := find(keys, "space")) is not None
    assert found.action is Action.REVEAL
    assert (page := find(keys, "page down")) is not None
    assert page.action is Action.LATER


def test_find_returns_none_for_an_unbound_key() -> None:
    assert find(STAGES["rating"], "x") is None
    assert isinstance(find(STAGES["rating"], "4"), Binding)
