"""Grading: puts cases to a submission, compares its answers with the expected results and explains the verdict."""
