"""Screens and documents: pure functions from records to text for the terminal and for files."""
