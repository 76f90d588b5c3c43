"""`autodrill verify`: prove exercises."""

import os
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated

import typer

from autodrill.cli.completion import complete_names
from autodrill.cli.options import Device, DeviceOption, Exit, Format, OutputFormat

__all__ = ["verify"]


def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME|DIR]...",
            help="The exercises to prove. The folder of a pack means all its exercises. The default is all exercises.",
            autocompletion=complete_names,
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Prove every exercise, not only the exercises of the named packs.")
    ] = False,
    pack: Annotated[
        Path | None,
        typer.Option(help="Prove all exercises of a pack. A pack is a folder that contains exercises/ and solutions/."),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="The number of seeds that the solution must pass.")] = 5,
    workers: Annotated[
        int | None, typer.Option(min=1, help="The number of parallel processes. The default is one per core.")
    ] = None,
    device: DeviceOption = Device.CPU,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Prove that exercises are graded as intended.

    The stub must fail and the worked solution must pass. Every known mistake must fail, and the report must name the
    mistake. Mutants of the solution must fail. Each problem is listed with file, line and fix.

    With --device cuda, only stub and solution are graded. A solution's `import numpy as np` becomes `import cupy as
    np`, and exercises without arrays are left out.

    Exit codes:
      0  proved
      1  problems found
      2  --device cuda, but there is no GPU

    Examples:
      autodrill verify mul_backward
      autodrill verify my_course
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from autodrill.drills.library import Library
    from autodrill.errors import ContentError
    from autodrill.grading.kernels.gpu_runner import require_gpu
    from autodrill.grading.verify.verify import Proof, check_prerequisites, takes_gpu
    from autodrill.grading.verify.verify_all import prove_all
    from autodrill.render.plain import Paint, clean, counted, say
    from autodrill.sandbox.worker_pool import available_cores

    on_gpu = device is Device.CUDA
    if on_gpu:
        require_gpu()
    paint = Paint.for_stream(sys.stdout, os.environ)
    packs = [Path(name) for name in names or () if (Path(name) / "exercises").is_dir()]
    packs += [pack] if pack else []
    named = [name for name in names or () if Path(name) not in packs]
    library = Library.open(packs)
    text = output_format is OutputFormat.TEXT
    proofs: list[Proof] = []

    def tell(proof: Proof) -> None:
        proofs.append(proof)
        if not text:
            return
        word = paint("proved", "green") if not proof.problems else paint("PROBLEMS", "red", "bold")
        mistakes = counted(proof.mistakes, "mistake")
        counts = f"{proof.seeds} seeds, {mistakes}, {proof.mutants} mutants, {proof.survivors} survivors"
        facts = f"{counts}, {proof.seconds:.1f} s"
        say(f"{word}  {proof.exercise}" + (f"  {paint(facts, 'dim')}" if not proof.problems else ""))
        for problem in proof.problems:
            say(f"  {clean(str(problem))}")

    chosen = []
    try:
        known = library.paths
    except ContentError as error:
        tell(Proof("duplicates", error.problems))
        known = {}
    if not named or everything:
        within = [] if everything else packs
        named = [n for n, path in known.items() if not within or any(path.is_relative_to(p) for p in within)]
    for name in named if known else ():
        try:
            chosen.append(library.find(name))
        except ContentError as error:
            tell(Proof(name, error.problems))
    if on_gpu:
        chosen = [e for e in chosen if takes_gpu(library.drill(e))]
    started = time.perf_counter()
    workers = workers or available_cores()
    with closing(prove_all(library, [e.id for e in chosen], seeds=seeds, workers=workers, on_gpu=on_gpu)) as proved:
        for proof in proved:
            tell(proof)
    if len(chosen) > 1:
        took = time.perf_counter() - started
        by = f"{workers} at a time" if workers > 1 else "one at a time"
        words = f"{len(chosen)} exercises in {took:.1f} s, {by}: {took / len(chosen):.2f} s each"
        say(Paint.for_stream(sys.stderr, os.environ)(words, "dim"), err=True)
    with suppress(ContentError):  # malformed headers and repeated ids are listed above
        wrong = [p for p in check_prerequisites(library.headings()) if any(p.path == str(e.path) for e in chosen)]
        if wrong:
            tell(Proof("prerequisites", tuple(wrong)))
    if not text:
        from dataclasses import asdict

        from autodrill.render.document import write_document

        write_document("verify", proofs=[asdict(p) for p in proofs])
    raise typer.Exit(Exit.FAILED if any(p.problems for p in proofs) else Exit.DONE)
