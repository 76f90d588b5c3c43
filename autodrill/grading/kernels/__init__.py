"""Kernels: compilation, launches on a simulated device or a GPU, and the faults that the simulated device finds."""
