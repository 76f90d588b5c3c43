"""Tapes: records of a computation, row by row."""
