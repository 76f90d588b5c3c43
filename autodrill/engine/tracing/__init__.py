"""Tapes: a computation recorded row by row, for reading."""
