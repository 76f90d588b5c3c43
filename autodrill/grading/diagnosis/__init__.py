"""Diagnosis: the rule that a wrong answer breaks, and the smallest case that shows it."""
