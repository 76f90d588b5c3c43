"""Grading: puts cases to a submission, compares its answers with both oracles and explains the verdict."""
