"""Run a command as if the processor were FACTOR times as fast.

Run `python benchmarks/scaled_clock.py FACTOR COMMAND...`, for example with 0.5 and with 2:

    python benchmarks/scaled_clock.py 0.5 python -m pytest -n 2 tests/grading

With 0.5, a computation takes twice the time by every clock, and a sleep of a second takes half a real second. A C
compiler and glibc are needed. The command and every program that it starts preload a library, whatever environment
they are given, and therefore also the child processes of the sandbox.

Scaled are the clocks (wall time, processor time of this and of other processes, `times`, `getrusage`), the waits with a
timeout (sleeps, `poll`, `select`, `epoll_wait`, locks and condition variables), interval timers, `/proc/PID/schedstat`
and `RLIMIT_CPU`, which the kernel rounds up to whole real seconds. The time of day is scaled from the start of the
command, so that it never differs from the other clocks by a varying amount. Not scaled are the time stamps of files,
the processor times in `/proc/PID/stat`, and programs without libc, and a program that `system` or `popen` starts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")


def compiled(factor: Fraction, folder: Path) -> Path:
    """Compile the library for a factor into a folder, and return its path.

    Raises:
        OSError: There is no C compiler.
        subprocess.CalledProcessError: It does not compile the library.
    """
    library = folder / "scaled_clock.so"
    values = {
        "NUMERATOR": f"{factor.numerator}LL",
        "DENOMINATOR": f"{factor.denominator}LL",
        "START": f"{time.time_ns()}LL",
        "LIBRARY": f'"{library}"',
    }
    defined = [f"-D{name}={value}" for name, value in values.items()]
    compiler = [os.environ.get("CC", "cc"), "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([*compiler, *defined, SOURCE, "-o", library, "-ldl"], check=True)
    library.chmod(0o755)
    return library


def main() -> None:
    """Run the command, and exit with its exit code."""
    if len(sys.argv) < 3:
        sys.exit("usage: python benchmarks/scaled_clock.py FACTOR COMMAND...")
    factor, command = Fraction(sys.argv[1]).limit_denominator(1000), sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # a command may run as another user
        library = compiled(factor, Path(folder))
        done = subprocess.run(command, env={**os.environ, "LD_PRELOAD": str(library)}, check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
