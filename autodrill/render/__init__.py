"""Screens and documents: pure functions of records to the terminal and to files."""
