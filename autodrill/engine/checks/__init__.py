"""Numerical checks: finite differences, gradient checking and the detection of kinks."""
