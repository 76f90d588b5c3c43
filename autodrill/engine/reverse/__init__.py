"""Reverse mode: the backward pass and everything PyTorch lets a user hang on it."""
