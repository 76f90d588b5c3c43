"""What a placement found, in plain words: for each topic what is known, from where to practise, and why."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["conclusions"]

_ORDER = ("easy", "medium", "hard")


def conclusions(findings: Sequence[Mapping[str, Any]], width: int) -> list[str]:
    """Write the findings of a placement, as `Finding.as_json` gives them, in lines of at most `width` columns.

    A topic that was asked about, or of which something is known, has a line; the others are listed.
    """
    topics: dict[str, list[Mapping[str, Any]]] = {}
    for finding in sorted(findings, key=lambda f: _ORDER.index(f["difficulty"])):
        topics.setdefault(finding["topic"], []).append(finding)
    in_order = list(dict.fromkeys(finding["topic"] for finding in findings))
    told = [t for t in in_order if any(f["asked"] or f["verdict"] == "known" for f in topics[t])]
    beyond = [t for t in in_order if t not in told and any(f["verdict"] == "not known" for f in topics[t])]
    undecided = [t for t in in_order if t not in told and t not in beyond]
    lines = [_told(topic, topics[topic]) for topic in told]
    if beyond:
        lines.append(f"from the start, as they need more than was known: {', '.join(beyond)}")
    if undecided:
        lines.append(f"from the start, as they were not reached: {', '.join(undecided)}")
    return [part for line in lines for part in _wrapped(line, width)]


def _told(topic: str, found: Sequence[Mapping[str, Any]]) -> str:
    known = [f["difficulty"] for f in found if f["verdict"] == "known"]
    rest = [f["difficulty"] for f in found if f["verdict"] != "known"]
    start = f"practise from {rest[0]} on" if rest else "nothing left to learn as new"
    what = f"{topic}: you know {', '.join(known)}; {start}" if known else f"{topic}: {start}"
    return f"{what} ({'; '.join(filter(None, map(_reason, found)))})"


def _reason(finding: Mapping[str, Any]) -> str:
    if finding["asked"]:
        return f"{finding['difficulty']}: {finding['right']} of {finding['asked']} right"
    if finding["verdict"] == "known":
        return f"{finding['difficulty']}: needed for {finding['because']}"
    return ""


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent="  ", break_on_hyphens=False)
