"""`autodrill --version`, without the cost of importlib.metadata where it can be helped."""

from autodrill.render.plain import say

__all__ = ["print_version"]


def print_version() -> None:
    """Print the version and the Python it runs on."""
    import sys

    import autodrill

    say(f"autodrill {autodrill.__version__} (Python {sys.version.split()[0]})")
