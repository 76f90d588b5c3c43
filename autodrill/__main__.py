"""The entry point of `autodrill` and of `python -m autodrill`."""

import gc
import sys
from pathlib import Path

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit."""
    # Modules live as long as the program. Collecting garbage while they load, and again at the end, finds nothing and
    # takes about a tenth of the time of `autodrill list`. The engine creates no reference cycles.
    gc.set_threshold(50_000)
    from autodrill.cli.app import main as run

    try:
        run()
    finally:
        gc.freeze()


def _drop_working_folder_from_path() -> None:
    """Remove the working folder from `sys.path`: submissions in it could have the name of any module."""
    here = Path.cwd()
    if here != Path(__file__).resolve().parents[1]:
        sys.path[:] = [path for path in sys.path if path not in ("", str(here))]


if __name__ == "__main__":
    _drop_working_folder_from_path()
    main()
