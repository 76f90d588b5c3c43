"""Finds sentences of the bank that share eight or more words in a row with other texts.

    python -m tests.content.shared_words FOLDER [FOLDER ...] [--words 8]

Facts may come from anywhere, sentences may not. The script reads the prose of each question except its title, because
the same question is worded alike everywhere. Code, formulas and numbers end a sequence of words. The folders hold
Markdown, reStructuredText, HTML, notebooks, Python (docstrings and comments) or plain text.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from autodrill.bank.question_files import load_questions
from autodrill.render.plain import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from autodrill.bank.questions import Question

SUFFIXES = {".md", ".rst", ".txt", ".ipynb", ".html", ".htm", ".py", ".ts", ".tex"}
LARGEST = 20_000_000
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
GAP = re.compile(r"[^\w\s'’,()\"“”:-]|\d|_")
"""The end of a sequence: the end of a sentence, a number or a mathematical sign, but no comma and no bracket."""
PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


def prose(text: str) -> list[str]:
    """The prose of a Markdown text, one string between two pieces of code."""
    found: list[str] = []
    for token in PARSER.parse(text):
        if not token.children:
            continue
        line = ""
        for child in token.children:
            if child.type == "text":
                line += child.content
            elif child.type in {"softbreak", "hardbreak"}:
                line += " "
            elif child.type == "code_inline":
                line += " | "
        found.append(line)
    return found


def parts_of(question: Question) -> dict[str, str]:
    """The prose of a question, by section."""
    found = {"body": question.body, "answer": question.answer}
    lists = {"key point": question.key_points, "wrong answer": question.wrong_answers}
    lists["correction"] = tuple(text for read in question.commonly_read for text in (read.claim, read.fact))
    lists["follow-up"] = tuple(f"{ask.question} | {ask.answer or ''}" for ask in question.follow_ups)
    options = getattr(question.key, "options", ())
    lists["option"] = tuple(f"{option.text} | {option.explanation or ''}" for option in options)
    return found | {what: "\n\n".join(texts) for what, texts in lists.items()}


def sequences(text: str, length: int) -> Iterator[tuple[str, ...]]:
    """Every unbroken sequence of `length` words of a text, in lower case."""
    for stretch in GAP.split(text):
        words = [word.casefold().replace("’", "'") for word in WORD.findall(stretch)]
        for at in range(len(words) - length + 1):
            yield tuple(words[at : at + length])


def source_text(path: Path) -> str:
    """The text of a file: the cells of a notebook, or HTML without its tags."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".ipynb":
        try:
            cells = json.loads(text).get("cells", [])
        except (json.JSONDecodeError, AttributeError):
            return text
        return "\n\n".join("".join(cell.get("source", [])) for cell in cells)
    if path.suffix in {".html", ".htm"}:
        return html.unescape(re.sub(r"(?s)<(script|style).*?</\1>|<[^>]+>", " ", text))
    # Marks of formatting do not break a sentence.
    return re.sub(r"\\?[*`#]|^\s*//+|^\s*>", " ", text, flags=re.MULTILINE)


def shared(questions: Sequence[Question], folders: Sequence[Path], length: int) -> tuple[Mapping[str, list[str]], str]:
    """The shared sequences by question, with the files that contain them, and a line on how much was read."""
    ours: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for question in questions:
        for what, text in parts_of(question).items():
            for stretch in prose(text):
                for run in sequences(stretch, length):
                    ours[run].add(f"{question.id} ({what})")
    found: defaultdict[str, list[str]] = defaultdict(list)
    count: Counter[str] = Counter()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() not in SUFFIXES or not path.is_file() or path.stat().st_size > LARGEST:
                continue
            text = source_text(path)
            count.update(files=1, words=len(WORD.findall(text)))
            for run in dict.fromkeys(sequences(text, length)):
                for place in ours.get(run, ()):
                    found[f"{place}: {' '.join(run)}"].append(str(path.relative_to(folder)))
    read = f"{len(questions)} questions, {len(ours)} sequences of {length} words; {count['files']} other files, "
    return found, read + f"{count['words']} words"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--words", type=int, default=8, help="the length of a shared sequence that is reported")
    given = parser.parse_args()
    found, read = shared(load_questions(), given.folders, given.words)
    for run, files in sorted(found.items()):
        say(f"{run}   [{files[0]}" + (f" and {len(files) - 1} more]" if len(files) > 1 else "]"))
    say(f"{read}; {len(found)} shared")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
