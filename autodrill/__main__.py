"""The entry point of `autodrill` and of `python -m autodrill`."""

import os
import sys

__all__ = ["main"]


def _drop_working_folder_from_path() -> None:
    """Remove the working folder from `sys.path`: submissions in it could have the name of any module."""
    here = os.getcwd()  # noqa: PTH109  pathlib would be imported from the working folder
    if here != os.path.dirname(os.path.dirname(os.path.realpath(__file__))):  # noqa: PTH120  as above
        sys.path[:] = [path for path in sys.path if path not in ("", here)]


if __name__ == "__main__":
    # Before every other import. The interpreter has loaded the modules above before it looked into the working folder.
    _drop_working_folder_from_path()


def main() -> None:
    """Run the command line and exit."""
    _open_closed_streams()
    _let_streams_wait()
    # Modules live as long as the program. Collecting garbage while they load, and again at the end, finds nothing and
    # takes about a tenth of the time of `autodrill list`. The engine creates no reference cycles.
    import gc

    gc.set_threshold(100_000)  # `check` makes 57,000 objects
    try:
        from autodrill.cli.app import main as run

        run()
    except KeyboardInterrupt:  # while the program loads, or a second one while it ends
        raise SystemExit(130) from None
    except SystemExit as end:
        _leave_at_once(end.code)
        raise
    finally:
        gc.freeze()


def _leave_at_once(code: object) -> None:
    """Leave without taking the interpreter apart, which takes a sixth of the time of `autodrill list`.

    This is done only if no exit function is registered and no other thread runs.
    `autodrill.cli.app.main` has written and flushed everything.
    """
    import atexit
    import threading

    registered = getattr(atexit, "_ncallbacks", lambda: 1)()  # CPython has it; elsewhere the interpreter ends as usual
    if isinstance(code, int) and not registered and threading.active_count() == 1:
        os._exit(code)


def _open_closed_streams() -> None:
    """Open the null device for each standard stream that the caller has closed.

    Python leaves None in its place, and another file would get its descriptor.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  as above; it stays open


def _let_streams_wait() -> None:
    """Let the standard output and error wait for their reader.

    Another program may have made the pipe non-blocking, as Node.js does. Python then drops what does not fit into it,
    without an error.
    """
    from contextlib import suppress

    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # a stream without a descriptor; Windows before Python 3.12
            os.set_blocking(stream.fileno(), True)


if __name__ == "__main__":
    main()
