"""The location of the content folders: next to the package in a checkout, inside it in an installed wheel."""

from __future__ import annotations

from pathlib import Path

__all__ = ["content_root", "visible_files"]


def content_root() -> Path:
    """Return the folder that holds `exercises/`, `solutions/` and `questions/`."""
    package = Path(__file__).resolve().parent
    packaged = package / "_content"
    return packaged if packaged.is_dir() else package.parent


def visible_files(folder: Path, suffix: str) -> list[Path]:
    """List the files below `folder` with `suffix`, sorted, without names that start with a dot or an underscore."""
    return sorted(
        path
        for path in folder.rglob(f"*{suffix}")
        if not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts) and path.is_file()
    )
