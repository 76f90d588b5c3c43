"""Everything there is to run on an NVIDIA GPU, in one command: `python -m benchmarks.gpu`.

It runs the CUDA tests, the kernels of the exercises on the hardware, the registry on NumPy and on CuPy, and the
benchmarks, and writes one page of results. Each step is a process of its own with a time limit, so no failure of one
stops the others; the page says which failed. Run it from the root of the checkout, with autodrill[cuda12] or
autodrill[cuda13] and the dependency group `test` installed.

`--dry-run` walks every step on the strict device of the tests, without a GPU.

Exit codes: 0, every step succeeded; 1, a step failed, and the page says which; 2, there is no usable GPU.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.gpu.steps import STEPS, run_step

RESULTS = Path(__file__).parents[1] / "results"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--dry-run", action="store_true", help="walk every step on the strict device of the tests")
    parser.add_argument("--only", action="append", choices=STEPS, help="a step to run; by default all of them")
    parser.add_argument("--out", type=Path, help="the page; by default in benchmarks/results/, for a dry run none")
    parser.add_argument("--limit", type=float, help="a time limit for each step in seconds, instead of its own")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)  # what the process of one step is started with
    options = parser.parse_args(arguments)
    if options.step:
        run_step(options.step, dry=options.dry_run)
        return 0
    if not options.dry_run and (reason := missing()):
        print(f"benchmarks.gpu: {reason}; `--dry-run` walks the steps without a GPU", file=sys.stderr)
        return 2
    started = datetime.now(UTC)
    page = [f"# Results on a GPU, {started:%Y-%m-%d %H:%M} UTC\n"]
    failed = []
    for name in options.only or STEPS:
        step = STEPS[name]
        print(f"{name} ...", end=" ", flush=True, file=sys.stderr)
        text, fault, seconds = section(name, dry=options.dry_run, limit=options.limit or step.seconds)
        print(f"{fault or 'done'}, {seconds:.1f} s", file=sys.stderr)
        page.append(f"## {step.title}\n\n{text.strip() or 'It printed nothing.'}\n")
        if fault:
            failed.append(name)
            page.append(f"**This step failed: {fault}.**\n")
    summary = f"Steps that failed: {', '.join(failed)}." if failed else "Every step succeeded."
    page.insert(1, f"{summary} Written by `python -m benchmarks.gpu`.\n")
    out = options.out or (None if options.dry_run else RESULTS / f"gpu-{started:%Y-%m-%d-%H%M}.md")
    if out is None:
        print("\n".join(page))
    else:
        out.write_text("\n".join(page), encoding="utf-8")
        print(f"wrote {out}", file=sys.stderr)
    return 1 if failed else 0


def missing() -> str:
    """Return what is missing to run on a GPU, nothing if nothing is."""
    from autodrill import engine

    try:
        engine.backend_named("cuda")
    except engine.DeviceError as error:
        return str(error)
    return ""


def section(name: str, *, dry: bool, limit: float) -> tuple[str, str, float]:
    """Run a step in a process of its own; return what it printed, what went wrong, and the time it took."""
    command = [sys.executable, "-m", "benchmarks.gpu", "--step", name, *(["--dry-run"] if dry else [])]
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, errors="replace"
    )
    fault = ""
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # and the processes that it started
        out, err = process.communicate()
        fault = f"no end after {limit:g} s"
    if process.returncode and not fault:
        fault = f"signal {-process.returncode}" if process.returncode < 0 else f"exit code {process.returncode}"
    if fault and err.strip():
        out += "\n\n```text\n" + "\n".join(err.strip().splitlines()[-12:]) + "\n```"
    return out, fault, time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
