"""The parts of `benchmarks/fuzz_engine.py`: random programs that run on the engine and on PyTorch."""
