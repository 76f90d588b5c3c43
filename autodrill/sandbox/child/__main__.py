"""The entry point of a child process and of the fork server.

`python -s -S -P <this folder> main_loop|forking <descriptor of the channel to the parent>`
"""

import importlib
import sys
from pathlib import Path

folder = Path(__file__).parent
# The package is imported as `child`, so that `autodrill` cannot be imported. `import_numpy` replaces this entry.
sys.path[0] = str(folder.parent)
importlib.import_module(f"{folder.name}.{sys.argv[1]}").main(int(sys.argv[2]))
