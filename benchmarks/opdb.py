"""The engine compared with PyTorch on PyTorch's operation samples: values, gradients, tangents, second derivatives.

Run `python -m benchmarks.opdb [operation ...] [--samples 20]` from the root of the checkout. Each line of the table is
an entry of PyTorch's `op_db`. A cell has the number of samples that agree and the number compared.
`tests/engine/opdb/calls.py` has the engine's call for each entry, and the reasons for each disagreement.
"""

from __future__ import annotations

import argparse
import platform
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import torch

import autodrill
from tests.engine.opdb.agreement import (
    MODES,
    RTOL,
    compare,
    load_op_db,
    named,
    samples,
    served,
    without_equivalent,
)
from tests.engine.opdb.calls import ABSENT, CALLS, MISSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.engine.opdb.agreement import Check, Comparison


def comparisons(names: Sequence[str], most: int) -> dict[str, list[Comparison]]:
    """Return the comparisons of each operation, by its name without variant; all operations if none is named."""
    operations = load_op_db()
    found: dict[str, list[Comparison]] = {}
    for name, call in CALLS.items():
        for op in served(operations, name, CALLS):
            if not names or op.name in names or named(op) in names:
                made = compare(torch, op, call, samples(torch, op, most, spread=True))
                found.setdefault(op.name, []).append(made)
    return found


def tally(checks: Iterable[Check], mode: str | None = None) -> str:
    """Return `agreed/compared`, or a dash if nothing was compared."""
    chosen = [c.agrees for c in checks if mode in {None, c.mode}]
    return f"{sum(chosen)}/{len(chosen)}" if chosen else "-"


def row(first: str, cells: Iterable[str]) -> str:
    return f"{first:<46}" + "".join(f"{cell:>14}" for cell in cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operations", nargs="*", help="names of op_db; all by default")
    parser.add_argument("--samples", type=int, default=20, help="the most samples of each operation, evenly spread")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    found = comparisons(arguments.operations, arguments.samples)
    every = [one for variants in found.values() for one in variants]
    checks = [check for one in every for check in one.checks]
    print(f"autodrill {autodrill.__version__}, numpy {np.__version__}, torch {torch.__version__}")
    print(f"Python {platform.python_version()}, {platform.system()}")
    print(f"float64, at most {arguments.samples} samples of each; agreement is to {RTOL:g} of the largest element\n")
    print(row("", MODES))
    for one in sorted(every, key=lambda one: one.name):
        print(row(one.name, (tally(one.checks, mode) for mode in MODES)))
    print(row("all", (tally(checks, mode) for mode in MODES)))
    modes = {name: {c.mode for one in variants for c in one.checks} for name, variants in found.items()}
    agreed = sum(c.agrees for c in checks)
    print(f"\n{sum('gradient' in seen for seen in modes.values())} operations by value and gradient, ", end="")
    print(f"{sum(seen == set(MODES) for seen in modes.values())} of them in all four; {len(every)} with variants")
    print(f"agreement {agreed}/{len(checks)} = {100 * agreed / max(1, len(checks)):.2f} %, ", end="")
    first = [check.agrees for check in checks if check.mode in {"value", "gradient"}]
    print(f"by value and gradient {sum(first)}/{len(first)} = {100 * sum(first) / max(1, len(first)):.2f} %")
    count, missing = without_equivalent(load_op_db(), CALLS)
    print(f"{count - len(missing)} of the {count} differentiable names of `op_db` have an equivalent\n")
    print("disagreements")
    missed = Counter((c.name, c.mode) for c in checks if not c.agrees)
    for (name, mode), count in sorted(missed.items()):
        print(f"  {name}, {mode}, {count}: {MISSES.get((name, mode), 'UNEXPLAINED')}")
    print("\nnames without an equivalent")
    for name in sorted(missing):
        print(f"  {name}: {ABSENT.get(name, 'UNEXPLAINED')}")
    print("\nsamples not compared")
    for one in sorted(every, key=lambda one: one.name):
        for reason, count in sorted(Counter(one.left_out).items()):
            print(f"  {one.name}, {count}: {reason}")


if __name__ == "__main__":
    main()
