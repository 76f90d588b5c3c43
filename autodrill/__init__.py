"""autodrill: practise autodiff and backprop, graded against finite differences and a reference engine.

Importing this package is cheap, because functions import numpy, rich and other packages only when they need them.
"""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
