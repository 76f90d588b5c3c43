"""The engine against PyTorch's own operation samples (`op_db`, made for PyTorch's tests of itself).

`calls` says what each sampled operation comes to in the engine's functions, `agreement` compares the two. A quick slice
runs in `test_opdb.py`; `python -m benchmarks.opdb` runs all and prints the table.
"""
