"""autodrill: practise autodiff and backprop, graded against numerical gradients and a reference engine.

Importing this package costs nothing: numpy, rich and the rest are imported by the functions that need them.
"""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
