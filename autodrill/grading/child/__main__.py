"""Start of the candidate's process: `python -s -S -P <this folder> <descriptor of the job channel>`."""

import importlib
import sys
from pathlib import Path

folder = Path(__file__).parent
# The package is imported by its bare name, and autodrill stays out of reach: `harness` replaces this entry at once.
sys.path[0] = str(folder.parent)
importlib.import_module(f"{folder.name}.harness").main(int(sys.argv[1]))
