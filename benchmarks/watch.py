"""The time from a save to its verdict in `autodrill watch`, on a real pseudo-terminal, and what watching costs at rest.

Run `python benchmarks/watch.py [--saves N] [--rest SECONDS] [--framework NAME]`. The saves alternate between a right
and a wrong answer. One half is written in place, the other half replaces the file by a rename. The time ends when the
whole frame with the new verdict has arrived. At rest, the processor time of `watch` and of all its child processes
counts.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import platform
import pty
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "mul_broadcast_backward"
RIGHT = f"""\
def unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return g.sum(axis=stretched, keepdims=True)


def {NAME}(g, a, b):
    return unbroadcast(g * b, a.shape), unbroadcast(g * a, b.shape)
"""
WRONG = f"def {NAME}(g, a, b):\n    return g * b, g * a\n"
ANSWERS = {
    "numpy": (RIGHT, WRONG),
    "torch": (
        f"""import torch\n\n\ndef {NAME}(g, a, b):
    return torch.mul(g, b).sum_to_size(a.shape), torch.mul(g, a).sum_to_size(b.shape)
""",
        f"import torch\n\n\ndef {NAME}(g, a, b):\n    return torch.mul(g, b), torch.mul(g, a)\n",
    ),
    "jax": (
        RIGHT.replace("def ", "import jax.numpy as jnp\n\n\ndef ", 1).replace("g * b, a", "jnp.multiply(g, b), a"),
        f"import jax.numpy as jnp\n\n\ndef {NAME}(g, a, b):\n    return jnp.multiply(g, b), jnp.multiply(g, a)\n",
    ),
}
END = b"\x1b[?2026l"
LIMIT_MS, LIMIT_CPU = 80.0, 1.0


class Screen:
    """`autodrill watch` on a pseudo-terminal of 80 columns and 24 lines."""

    def __init__(self, folder: Path) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        environment = {**os.environ, "AUTODRILL_HOME": str(folder / "home"), "TERM": "xterm-256color"}
        environment.pop("NO_COLOR", None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "autodrill", "watch", NAME],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)
        self._seen = b""

    def until(self, text: str) -> float:
        """Read until a whole frame with a text has arrived, and return the time."""
        while True:
            frame = self._seen.rpartition(END)[0].rpartition(b"\x1b[H")[2]
            if text.encode() in frame:
                self._seen = b""
                return time.perf_counter()
            if not select.select([self.master], [], [], 60)[0]:
                raise RuntimeError(f"no frame with {text!r} came")
            self._seen += os.read(self.master, 1 << 16)

    def processor_seconds(self) -> float:
        """Return the processor time of the process and all its descendants."""
        entries = {}
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
                except OSError:  # it has ended
                    continue
                entries[int(folder.name)] = int(fields[1]), int(fields[11]) + int(fields[12])
        ours = {self.process.pid}
        while more := {pid for pid, (parent, _) in entries.items() if parent in ours} - ours:
            ours |= more
        return sum(entries[pid][1] for pid in ours) / os.sysconf("SC_CLK_TCK")


def in_place(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def by_rename(path: Path, text: str) -> None:
    other = path.with_name(f".{path.name}.swp")
    other.write_text(text, encoding="utf-8")
    other.replace(path)


def saves(
    screen: Screen, path: Path, save: Callable[[Path, str], None], count: int, answers: tuple[str, str]
) -> list[float]:
    """Return the milliseconds from each save to its verdict."""
    taken = []
    for number in range(count):
        # Between two saves a person thinks, and the next process is forked meanwhile.
        time.sleep(0.3 + 0.01 * (number % 7))
        text, verdict = tuple(zip(answers, ("PASS", "FAIL"), strict=True))[number % 2]
        started = time.perf_counter()
        save(path, f"{text}# {save.__name__} {number}\n")
        taken.append((screen.until(verdict) - started) * 1e3)
    return taken


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--saves", type=int, default=20, help="saves of each kind (default 20)")
    parser.add_argument("--rest", type=float, default=20.0, help="seconds at rest (default 20)")
    parser.add_argument("--framework", choices=ANSWERS, default="numpy", help="what the answer is written with")
    options = parser.parse_args()
    right, wrong = answers = ANSWERS[options.framework]
    print(f"{os.cpu_count()} CPUs, {platform.system()} {platform.release()}, Python {platform.python_version()}")
    print(f"load average before: {' '.join(f'{load:.1f}' for load in os.getloadavg())}\n")
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / f"{NAME}.py"
        in_place(path, wrong)
        screen = Screen(path.parent)
        try:
            screen.until("FAIL")
            for text, verdict in ((right, "PASS"), (f"{wrong}#\n", "FAIL")):  # these start what later saves find ready
                in_place(path, text)
                screen.until(verdict)
            for kind in (in_place, by_rename):
                taken = saves(screen, path, kind, options.saves, answers)
                median = statistics.median(taken)
                met = "met" if median <= LIMIT_MS else "MISSED"
                print(
                    f"save to verdict, {kind.__name__.replace('_', ' '):<10} median {median:4.0f} ms, "
                    f"{min(taken):.0f} to {max(taken):.0f} ms, {len(taken)} saves; target {LIMIT_MS:.0f} ms: {met}"
                )
            time.sleep(2)  # the next process is forked
            before, started = screen.processor_seconds(), time.perf_counter()
            time.sleep(options.rest)
            used = (screen.processor_seconds() - before) / (time.perf_counter() - started) * 100
            met = "met" if used < LIMIT_CPU else "MISSED"
            print(f"at rest: {used:.2f} % of a processor over {options.rest:.0f} s; target {LIMIT_CPU:.0f} %: {met}")
        finally:
            os.write(screen.master, b"q")
            screen.process.wait(30)
    print(f"\nload average after: {' '.join(f'{load:.1f}' for load in os.getloadavg())}")


if __name__ == "__main__":
    main()
