"""Verification: the proof that an exercise accepts its solution and rejects every known mistake and mutant."""
