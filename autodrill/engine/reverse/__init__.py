"""Reverse mode: the backward pass, hooks, in-place operations, custom functions and checkpointing."""
