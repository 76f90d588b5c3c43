"""Start of a candidate's process, or of the server they are forked from.

`python -s -S -P <this folder> main_loop|forking <descriptor of the channel to the parent>`
"""

import importlib
import sys
from pathlib import Path

folder = Path(__file__).parent
# The package is imported by its bare name, and autodrill stays out of reach: `main_loop` replaces this entry at once.
sys.path[0] = str(folder.parent)
importlib.import_module(f"{folder.name}.{sys.argv[1]}").main(int(sys.argv[2]))
