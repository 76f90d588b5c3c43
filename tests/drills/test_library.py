from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.library import Library, suggest
from autodrill.errors import ContentError, FileError, UnknownNameError
from autodrill.folders import content_root

if TYPE_CHECKING:
    from tests.conftest import Pack


@pytest.fixture
def library(pack: Pack) -> Library:
    for name in ("cube_backward", "cubic_backward", "square_backward"):
        pack.add(name)
    return pack.library


@pytest.mark.parametrize("name", ["square_backward", "square_backward.py", "squ", "s"])
def test_find_accepts_an_id_or_a_unique_prefix(library: Library, name: str) -> None:
    assert library.find(name).id == "square_backward"


def test_find_prefers_an_exact_id(library: Library, pack: Pack) -> None:
    pack.add("cube")
    assert library.find("cube").id == "cube"


def test_find_lists_the_matches_of_a_prefix(library: Library) -> None:
    with pytest.raises(UnknownNameError) as caught:
        library.find("cub")
    assert caught.value.suggestions == ("cube_backward", "cubic_backward")
    assert caught.value.hint == "several exercises begin with `cub`: `cube_backward`, `cubic_backward`"


def test_find_suggests_similar_ids(library: Library) -> None:
    with pytest.raises(UnknownNameError) as caught:
        library.find("sqare_backward")
    assert caught.value.suggestions[0] == "square_backward"
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("did you mean `square_backward`")


@pytest.mark.parametrize("name", ["quare", "_backward"])
def test_find_rejects_the_middle_of_an_id(library: Library, name: str) -> None:
    with pytest.raises(UnknownNameError):
        library.find(name)


@pytest.mark.parametrize("name", ["zzz", ""])
def test_find_points_to_list_without_similar_ids(library: Library, name: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        library.find(name)
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("`autodrill list` lists all exercises")


def test_find_mentions_packs_if_none_is_open(library: Library, pack: Pack) -> None:
    sought = "to use a pack, add `--pack` and its folder"
    for found, says in ((library, True), (Library.open([pack.root], environ={}), False)):
        with pytest.raises(UnknownNameError) as caught:
            found.find("cubist_forward")
        assert (sought in str(caught.value.hint)) is says


def test_find_reads_a_file_once(library: Library, pack: Pack) -> None:
    first = library.find("square")
    pack.add("square_backward", exercise=("of a cube", "of a square"))
    assert library.find("square_backward") is first


def test_paths_omit_hidden_files_and_folders(library: Library, pack: Pack) -> None:
    for name in ("_draft", ".hidden"):
        pack.add(name)
    (pack.root / "exercises" / "demo" / "folder.py").mkdir()
    assert sorted(library.paths) == ["cube_backward", "cubic_backward", "square_backward"]


def test_headings_put_prerequisites_first(pack: Pack) -> None:
    pack.add("a", exercise=('topics = ["chain rule"]', 'topics = ["chain rule"]\n# requires = ["z"]'))
    pack.add("b", exercise=("minutes = 3", "minutes = 1"))
    pack.add("z", exercise=('"easy"', '"hard"'))
    assert [h.id for h in pack.library.headings()] == ["b", "z", "a"]


def test_first_topics_are_those_of_the_headers(pack: Pack) -> None:
    shipped = Library.open()
    assert shipped.first_topics() == {heading.id: heading.topics[0] for heading in shipped.headings()}
    pack.add("a", exercise=('["chain rule"]', '[\n#   "kinks",\n#   "graph",\n# ]'))
    pack.add("b", exercise=('["chain rule"]', "['it\\\\s']"))
    pack.add("c", exercise=('["chain rule"]', "[]"))
    assert pack.library.first_topics() == {"a": "kinks", "b": "it\\\\s"}
    assert pack.library.first_topics(["b", "gone"]) == {"b": "it\\\\s"}


def test_headings_include_a_cycle_of_prerequisites(pack: Pack) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        pack.add(name, exercise=('["chain rule"]', f'["chain rule"]\n# requires = ["{other}"]'))
    assert {h.id for h in pack.library.headings()} == {"a", "b"}


def test_paths_report_a_repeated_id_at_the_second_file(pack: Pack, tmp_path: Path) -> None:
    first, second = pack.add(), type(pack)(tmp_path / "other").add()
    with pytest.raises(ContentError) as caught:
        Library([pack.root, tmp_path / "other"]).find("cube_backward")
    assert str(caught.value) == f"{second}:1: `cube_backward` is already defined in {first}: rename one of them"


def test_open_puts_packs_after_the_shipped_exercises(pack: Pack) -> None:
    pack.add()
    library = Library.open(environ={"AUTODRILL_PACKS": f"{pack.root}{os.pathsep}"})
    assert library.roots == (content_root(), pack.root)
    assert {"mul_backward", "cube_backward"} <= library.paths.keys()


def test_open_opens_a_repeated_pack_once(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    pack.add()
    monkeypatch.chdir(pack.root.parent)
    library = Library.open([Path(pack.root.name)], environ={"AUTODRILL_PACKS": str(pack.root)})
    assert len(library.roots) == 2
    assert library.find("cube_backward").id == "cube_backward"


def test_open_rejects_a_folder_without_exercises(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is not a pack: it has no folder `exercises`"):
        Library.open([tmp_path])


def test_suggest_begins_with_names_that_begin_so() -> None:
    assert suggest("hist", ["list", "hint", "history"]) == ["history", "list", "hint"]


def test_suggest_returns_the_nearest_names_first() -> None:
    names = ["relu_backward", "tanh_backward", "add_backward", "mul_backward", "topological_sort"]
    assert suggest("tan_backward", names)[0] == "tanh_backward"
    assert len(suggest("backward", names)) <= 3
    assert suggest("xyz", names) == []
