"""The program: `autodrill`, and `python -m autodrill`, which is the same."""

import gc

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


if __name__ == "__main__":
    main()
