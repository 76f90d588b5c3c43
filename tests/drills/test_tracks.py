from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.drills.tracks import Track, load_tracks
from autodrill.errors import ContentError

if TYPE_CHECKING:
    from pathlib import Path


def written(root: Path, text: str) -> Path:
    (root / "exercises").mkdir(parents=True)
    (root / "exercises" / "tracks.toml").write_text(text, encoding="utf-8")
    return root


def table(name: str, title: str = "Title", goal: str = "You can.") -> str:
    return f'[{name}]\ntitle = "{title}"\ngoal = "{goal}"\n'


def test_tracks_are_read_in_order_and_the_first_pack_wins(tmp_path: Path) -> None:
    first = written(tmp_path / "first", table("b") + table("a"))
    second = written(tmp_path / "second", table("c") + table("a", "Other"))
    tracks = load_tracks([first, second])
    assert list(tracks) == ["b", "a", "c"]
    assert tracks["a"] == Track("a", "Title", "You can.")


def test_pack_without_tracks_has_none(tmp_path: Path) -> None:
    assert load_tracks([tmp_path]) == {}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[a]\n[a\n", 2, "this is not valid TOML"),
        ("x = 1\n", 1, "the track `x` must be a table with `title` and `goal`"),
        ('[a]\ntitle = "A"\n', 1, "the track `a` must be a table with `title` and `goal`"),
        (table("b") + '[a]\ntitle = "A"\ngoal = ""\n', 4, "the track `a` must have a text"),
        (table("a", "two\\nlines"), 1, "the track `a` must have texts of one line"),
        (table("a", "\\u001b[2J"), 1, "the track `a` must have texts of one line without control characters"),
    ],
)
def test_malformed_tracks_are_reported_with_their_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    with pytest.raises(ContentError) as caught:
        load_tracks([written(tmp_path, text)])
    (problem,) = caught.value.problems
    assert problem.line == line
    assert problem.message.startswith(said)
