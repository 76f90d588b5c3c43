"""Kernels: compiling one, running it on a simulated device or on a GPU, and saying what it did that no GPU allows."""
