"""The README and `docs/`: commands run, outputs are real, exercises are proved, tables are complete."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from collections import Counter
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from autodrill import drills
from autodrill.cli.options import Exit
from autodrill.drills import solution_file
from autodrill.drills.exercise import HEADER_KEYS, Difficulty, kind_names
from tests.documents import (
    ARCHITECTURE,
    DOCUMENTS,
    README,
    ROOT,
    Block,
    block_after,
    command_rows,
    environment,
    files_drawn,
    files_of_the_package,
    follow,
    name_of,
    normalised,
    parse,
    parts_drawn,
    shown_in,
    table_of_commands,
)
from tests.test_architecture import PARTS

LARGEST_README = 9 << 10
"""Bytes: the README is the front door, and `docs/` has the rest."""

TEXTS = {document: document.read_text(encoding="utf-8") for document in DOCUMENTS}
EVERYTHING = "\n".join(TEXTS.values())
CANDIDATE, AUTHORING, GRADING = (TEXTS[ROOT / "docs" / f"{name}.md"] for name in ("candidate", "authoring", "grading"))
PICTURES: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "pictures" / "make.py"))

EACH = pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
PYTHON = [
    pytest.param(block, id=f"{name_of(document)}:{block.line}")
    for document, text in TEXTS.items()
    for block in parse(text)
    if block.language == "python"
]
CONSOLE = [document for document, text in TEXTS.items() if any(block.language == "console" for block in parse(text))]
STALE = "`python -m tests.documents` renews the documents; read what it changed"


def test_readme_is_short() -> None:
    assert len(TEXTS[README].encode()) <= LARGEST_README


@pytest.mark.slow
@pytest.mark.parametrize("document", CONSOLE, ids=name_of)
def test_document_shows_what_its_commands_print(document: Path, tmp_path: Path) -> None:
    blocks = parse(TEXTS[document])
    printed = follow(blocks, tmp_path)

    stale = []
    for shown in (shown for block in blocks if block.language == "console" for shown in shown_in(block)):
        today = [normalised(line) for line in printed.get(shown.line, "").splitlines()]
        if shown.output and today != [normalised(line) for line in shown.output]:
            stale.append(f"{name_of(document)}:{shown.line}: {shown.command}\n" + "\n".join(today))
    assert not stale, "\n".join([STALE, *stale])


@pytest.mark.slow
@pytest.mark.parametrize("block", PYTHON)
def test_python_block_runs_and_prints_its_comments(block: Block, tmp_path: Path) -> None:
    promised = re.findall(r"(?m)^print\(.*\)  # ([^\s:]+)", block.text)
    command = [sys.executable, "-W", "error", "-c", block.text]

    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == promised


def test_readme_has_the_programs_table_of_commands() -> None:
    assert table_of_commands(TEXTS[README]) == command_rows(), STALE


def test_candidate_page_has_every_exit_code() -> None:
    table = CANDIDATE.partition("| exit code |")[2].partition("\n\n")[0]

    assert re.findall(r"(?m)^\| (\d+) \|", table) == [str(int(code)) for code in Exit]


def test_candidate_page_has_every_environment_variable() -> None:
    internal = {"AUTODRILL_COMPLETE", "AUTODRILL_RUN"}  # the shell's completion, and the mark on a child process
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "autodrill").rglob("*.py"))
    named = set(re.findall(r"AUTODRILL_[A-Z_]+[A-Z]", source)) - internal

    assert named
    assert {name for name in named if f"`{name}`" not in CANDIDATE} == set()


def test_authoring_page_has_every_word_of_an_exercise() -> None:
    form = AUTHORING.partition("## The form of an exercise")[2]
    settings = re.findall(
        r"namespace(?:\.get\(|\[)\"([A-Z_]+)\"", Path(solution_file.__file__).read_text(encoding="utf-8")
    )
    classes = {"Bound", "Given", "Mistake", "Scenario"}  # what the functions make; no author writes them
    words = {
        *HEADER_KEYS,
        *kind_names(),
        *Difficulty,
        *settings,
        *solution_file._PARTS,
        "drive",
    }
    words |= {name for name in drills.__all__ if name not in classes}

    assert "HINTS" in settings
    assert {word for word in words if not re.search(rf"[`@]{word}[`(:]", form)} == set()


def test_elementwise_example_has_at_most_40_lines() -> None:
    files = [block for block in parse(AUTHORING) if (block.file or "").endswith("/softsign_backward.py")]
    assert len(files) == 2
    assert sum(block.text.count("\n") for block in files) <= 40


@pytest.mark.slow
def test_grading_page_shows_doctor_as_it_is(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "autodrill", "doctor"],
        cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    both = block_after(GRADING, "doctor").text, ran.stdout
    shown, today = (re.findall(r"(?m)^✓.*?(?=$| \()", text) for text in both)
    if ran.returncode != Exit.DONE or "✗" in ran.stdout:
        pytest.skip("a layer does not hold on this machine, and the page shows one on which all hold")

    assert shown == today, "copy the screen of `autodrill doctor` into docs/grading.md"


# What a document points at


@EACH
def test_links_lead_somewhere(document: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", without_blocks(TEXTS[document])):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        page = (document.parent / path).resolve() if path else document
        if not page.exists() or (anchor and anchor not in anchors(page)):
            broken.append(target)
    assert broken == []


def without_blocks(text: str) -> str:
    return re.sub(r"(?ms)^ *```.*?^ *```$", "", text)


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings get: lower case, without punctuation, with hyphens for spaces."""
    headings = re.findall(r"(?m)^#+ (.*)$", without_blocks(page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_and_picture_is_linked() -> None:
    targets = set(re.findall(r"\]\((?:docs/)?([^)#\s]+)", EVERYTHING))

    assert {f"pictures/{p.name}.svg" for p in PICTURES["PICTURES"]} <= targets
    assert {document.name for document in DOCUMENTS if document != README} <= targets


@EACH
def test_files_it_names_exist(document: Path) -> None:
    places = "autodrill|tests|docs|benchmarks|exercises|solutions|questions"
    named = re.findall(rf"(?<![\w/.<(])(?:{places})/[\w/.*]*(?<!\.)", without_outputs(TEXTS[document]))

    assert [name for name in named if not exists(name)] == []


def exists(name: str) -> bool:
    """Whether a file or a folder exists; capitals, as in `exercises/TRACK/ID.py`, stand for any name."""
    return any(ROOT.glob(re.sub(r"\b[A-Z]+\b", "*", name.rstrip("/"))))


def without_outputs(text: str) -> str:
    """A document without its blocks of commands, code and drawings, which name files of their own."""
    return re.sub(r"(?ms)^```(?!sh$).*?^```$", "", text)


def test_architecture_draws_the_parts_in_their_order() -> None:
    assert tuple(parts_drawn(TEXTS[ARCHITECTURE])) == PARTS, STALE


def test_architecture_lists_every_file_of_the_package() -> None:
    drawn = {folder: sorted(names) for folder, (_, names) in files_drawn(TEXTS[ARCHITECTURE]).items()}

    assert drawn == files_of_the_package(), STALE


def test_architecture_says_what_each_folder_is() -> None:
    assert [folder for folder, (words, _) in files_drawn(TEXTS[ARCHITECTURE]).items() if not words] == []


def test_glossary_has_each_term_once() -> None:
    rows = re.findall(r"(?m)^\| ([^|]+) \|", TEXTS[ROOT / "docs" / "glossary.md"])
    terms = Counter(term for row in rows if row != "term" for term in row.split(", "))

    assert {"submission", "case", "expected result", "fault", "rule", "sandbox", "runner"} <= terms.keys()
    assert [term for term, count in terms.items() if count > 1] == []


# The pictures


@pytest.mark.slow
@pytest.mark.parametrize("picture", PICTURES["PICTURES"], ids=lambda p: p.name)
def test_a_picture_shows_what_the_commands_show_today(picture: Any) -> None:
    today = PICTURES["draw"](picture, PICTURES["record"](picture))
    saved = (ROOT / "docs" / "pictures" / f"{picture.name}.svg").read_text(encoding="utf-8")

    assert words_of(saved) == words_of(today), "run `python docs/pictures/make.py` and look at the pictures"


def words_of(svg: str) -> str:
    """The text of a picture without times and seeds, and without what a long seed leaves no room for.

    Where a colour begins depends on the highlighter's version.
    """
    text = "".join(unescape(text) for text in re.findall(r"<text [^>]*>([^<]*)</text>", svg)).replace(" ", "")
    return re.sub(r"saved[\d:]+·\d+ms|--seed\d+|debug:add--pdb", "", text)


# Continuous integration


def test_ci_runs_the_readmes_test_command(tmp_path: Path) -> None:
    (tmp_path / ".ci").mkdir()
    script = tmp_path / ".ci" / "run"
    script.write_bytes((ROOT / ".ci" / "run").read_bytes())
    script.chmod(0o755)
    (command,) = (block.text for block in parse(TEXTS[README]) if block.comment == "<!-- test command -->")
    calls = [line.strip().removesuffix("&&").strip() for line in command.splitlines()]
    # In this copy the commands only say that they were called, and the last one fails.
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "called $*"\ncase "$*" in *pytest*) exit 7;; esac\n', encoding="utf-8")
    python.chmod(0o755)
    (tmp_path / "README.md").write_text(TEXTS[README], encoding="utf-8")

    ran = subprocess.run([str(script)], cwd="/", capture_output=True, text=True, check=False)

    assert ran.returncode == 7, ran.stderr
    expected = [call.replace(".venv/bin/python", "called", 1) for call in calls[1:]]
    assert [line for line in ran.stdout.splitlines() if line.startswith("called")] == expected


def test_pre_commit_hooks_fetch_nothing() -> None:
    config = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")

    assert re.findall(r"repo: *(\S+)", config) == ["local"]
    assert "://" not in config
