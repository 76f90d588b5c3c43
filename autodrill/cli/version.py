"""`autodrill --version`, without the cost of importing importlib.metadata."""

from autodrill.render.plain import say

__all__ = ["print_version"]


def print_version() -> None:
    """Print the versions of autodrill and Python."""
    import sys

    import autodrill

    say(f"autodrill {autodrill.__version__} (Python {sys.version.split()[0]})")
