"""The result of a placement in words: what is known of each topic, where to start practice, and why."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["conclusions"]

_ORDER = ("easy", "medium", "hard")


def conclusions(findings: Sequence[Mapping[str, Any]], width: int) -> list[str]:
    """Return the findings of a placement, in the form of `Finding.as_json`, as lines of at most `width` columns.

    Each topic with an answer or a known unit has its own line. The other topics are listed together.
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
        lines.append(f"these need topics you do not know yet, so start them from the beginning: {', '.join(beyond)}")
    if undecided:
        lines.append(f"the test did not reach these topics, so start them from the beginning: {', '.join(undecided)}")
    return [part for line in lines for part in _wrapped(line, width)]


def _told(topic: str, found: Sequence[Mapping[str, Any]]) -> str:
    known = [f["difficulty"] for f in found if f["verdict"] == "known"]
    rest = [f["difficulty"] for f in found if f["verdict"] != "known"]
    start = f"start with the {rest[0]} questions" if rest else "no new questions left"
    what = f"{topic}: you know the {' and '.join(known)} questions; {start}" if known else f"{topic}: {start}"
    return f"{what} ({'; '.join(filter(None, map(_reason, found)))})"


def _reason(finding: Mapping[str, Any]) -> str:
    if finding["asked"]:
        return f"{finding['difficulty']}: {finding['right']} of {finding['asked']} right"
    if finding["verdict"] == "known":
        return f"{finding['difficulty']}: implied by the result for {finding['because']}"
    return ""


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent="  ", break_on_hyphens=False)
