"""The program: `autodrill`, and `python -m autodrill`, which is the same."""

import gc
import sys
from pathlib import Path

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit."""
    # Modules live as long as the program: looking for garbage among them while they load, and once more at the end,
    # finds nothing and takes about a tenth of the time of `autodrill list`. The engine makes no cycles to collect.
    gc.set_threshold(50_000)
    from autodrill.cli.app import main as run

    try:
        run()
    finally:
        gc.freeze()


def _forget_the_working_folder() -> None:
    """Import nothing from the folder `python -m autodrill` is run in: files handed in may lie there, of any name."""
    here = Path.cwd()
    if here != Path(__file__).resolve().parents[1]:
        sys.path[:] = [path for path in sys.path if path not in ("", str(here))]


if __name__ == "__main__":
    _forget_the_working_folder()
    main()
