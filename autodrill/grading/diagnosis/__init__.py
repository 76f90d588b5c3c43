"""Diagnosis: which rule a wrong answer breaks, and on which smallest case it shows."""
