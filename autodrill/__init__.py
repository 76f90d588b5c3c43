"""autodrill: practise autodiff and backprop, graded against numerical gradients and a reference engine.

Importing this package costs nothing: numpy, rich and the rest are imported by the functions that need them.
"""

from __future__ import annotations

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version

        return version("autodrill")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
