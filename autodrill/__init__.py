"""autodrill: practise autodiff and backprop, graded against finite differences and a reference engine.

Importing this package is cheap, because functions import numpy, rich and other packages only when they need them.
It imports nothing itself: under `python -m autodrill` that could be a file of the working folder.
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
