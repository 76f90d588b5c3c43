"""Oracles: expected results from the engine and from finite differences, with their tolerances."""
