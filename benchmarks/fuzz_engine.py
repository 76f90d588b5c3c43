"""Random programs on the engine and on PyTorch: values, derivatives, writes, `vmap`, and nestings of transforms.

Run `python -m benchmarks.fuzz_engine programs 10000` from the root of the checkout. The parts are `programs`, of the
operations in the registry; `writes`, of views, writes and in-place operations; `mapped`, of an example's own indices
and masks under `vmap`; and `nestings`, ten of each program. A program is drawn from its seed. A difference that no rule
explains is printed as the smallest program that shows it, to paste into Python.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np
import torch

import autodrill
from benchmarks.fuzzing import differences, mapped, modes, nestings, programs, writes

if TYPE_CHECKING:
    from collections.abc import Iterator

EXPLAINED: dict[str, list[tuple[float, int, str]]] = defaultdict(list)
"""The size, the seed and the mode of each difference that a rule explains, by rule."""

KINDS = ("first", "forward", "second")
"""The kinds of operations, see `programs.usable`: seeds take turns."""


def of_programs(seed: int, counts: Counter[str]) -> Iterator[object]:
    """Compare a random program in four modes: value, gradient, and two others of its kind."""
    kind = KINDS[seed % len(KINDS)]
    program = programs.draw_program(seed, kind)
    counts["operations"] += len(program.steps)
    chosen = np.random.default_rng([seed, 2]).permutation(modes.MODES[kind][2:])[:2]
    for mode in ("value", "gradient", *map(str, chosen)):
        found = differences.compare(program, mode)
        counts[f"{mode}: {found.word}"] += 1
        if found.word == "unexplained":
            yield differences.smallest(program, mode, found)
            break
        if found.word in differences.RULES:
            EXPLAINED[found.word].append((found.error, seed, mode))


def of_writes(seed: int, counts: Counter[str]) -> Iterator[object]:
    """Compare the tensors and the gradients of a random program of writes."""
    lines = writes.draw(seed)
    counts["lines"] += len(lines)
    word, note = writes.compare(lines)
    counts[word] += 1
    if word == "unexplained":
        kept, note = writes.smallest(lines, note)
        yield "\n".join([f"# seed {seed}: {note}", *kept])


def of_mapped(seed: int, counts: Counter[str]) -> Iterator[object]:
    """Compare `vmap` of a random function in four modes with a loop over PyTorch."""
    lines, case = mapped.draw(seed)
    counts["lines"] += len(lines)
    word, mode, note = mapped.compare(lines, case)
    counts[word] += 1
    if word == "unexplained":
        kept, note = mapped.smallest(lines, case, mode, note)
        given = (f"{name} = np.array({case.stacked(name).tolist()})  # axis {axis}" for name, axis in case.axes.items())
        yield "\n".join([f"# seed {seed}, {mode}: {note}", *given, *kept])


def of_nestings(seed: int, counts: Counter[str]) -> Iterator[object]:
    """Compare ten nestings of up to three transforms."""
    for word, names, program, note in nestings.compare(seed):
        counts[f"nestings: {word}"] += 1
        if word == "unexplained":
            yield f"# seed {seed}, {' of '.join(reversed(names))}: {note}\n{programs.source(program)}"


RULES = {
    "programs": differences.RULES,
    "writes": {rule: reason for rule, (_, reason) in writes.RULES.items()},
    "mapped": {},
    "nestings": nestings.RULES,
}
"""The only explanations of a difference, by part."""

PARTS = {"programs": of_programs, "writes": of_writes, "mapped": of_mapped, "nestings": of_nestings}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("count", type=int, help="how many programs")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this long")
    arguments = parser.parse_args()
    programs.quiet()
    print(f"autodrill {autodrill.__version__}, numpy {np.__version__}, torch {torch.__version__}")
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} CPUs")
    counts: Counter[str] = Counter()
    begun, done, unexplained = time.perf_counter(), 0, 0
    for seed in range(arguments.first, arguments.first + arguments.count):
        for difference in PARTS[arguments.part](seed, counts):
            unexplained += 1
            print(f"\n{difference}", flush=True)
        done += 1
        if time.perf_counter() - begun > arguments.seconds:
            break
    seconds = time.perf_counter() - begun
    print(f"\n{arguments.part}: {done}, seeds {arguments.first} to {arguments.first + done - 1}, {seconds:.0f} s")
    print(f"differences without explanation: {unexplained}")
    for name, count in sorted(counts.items()):
        print(f"  {name} {count}")
    for rule, reason in RULES[arguments.part].items():
        if any(name.endswith(rule) for name in counts):
            print(f"{rule}: {reason}")
    for rule, found in sorted(EXPLAINED.items()):
        largest = sorted(found, reverse=True)[:5]
        print(
            f"{rule}, {len(found)}, the largest: {', '.join(f'{e:.0e} (seed {s}, {mode})' for e, s, mode in largest)}"
        )


if __name__ == "__main__":
    main()
