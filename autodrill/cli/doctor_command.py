"""`autodrill doctor`: a test of the sandbox on this machine, and what autodrill found around it."""

import os
import sys
from typing import TYPE_CHECKING, Any

import typer

from autodrill.cli.options import Exit, Format, OutputFormat

if TYPE_CHECKING:
    from autodrill.sandbox.self_test import SelfTestResult

__all__ = ["doctor"]


def doctor(output_format: Format = OutputFormat.TEXT) -> None:
    """Test the sandbox on this machine.

    For each layer of the sandbox, a process with only that layer tries what the layer must refuse. The last
    process has all layers together, as in `autodrill grade`. The command also names what autodrill uses: the compiler
    for kernels, libraries, your editor and your folders. It writes no file.

    Exit codes:
      0  `autodrill grade` can grade other people's files on this machine
      1  `autodrill grade` cannot grade other people's files on this machine

    Examples:
      autodrill doctor
      autodrill doctor --output-format json
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from autodrill.sandbox.self_test import run_self_test

    checkup = run_self_test()
    about = _about()
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        layers = {str(f.layer): {"holds": f.holds, "what": f.what, "detail": f.detail} for f in checkup.findings}
        write_document("doctor", sealed=checkup.sealed, why=checkup.why, layers=layers, **about)
    else:
        _print(checkup, about)
    raise typer.Exit(Exit.DONE if checkup.sealed else Exit.FAILED)


def _about() -> dict[str, Any]:
    """Return the other facts that a bug report needs, without heavy imports."""
    import platform
    from dataclasses import asdict
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec

    import autodrill
    from autodrill.cli.learner_files import editor_command
    from autodrill.folders import history_file, practice_folder
    from autodrill.grading.kernels.compiler import compiler_version, find_compiler
    from autodrill.grading.kernels.gpu_facts import gpu_facts
    from autodrill.grading.kernels.gpu_runner import has_gpu
    from autodrill.render.plain import width_of

    def installed(package: str) -> str | None:
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    compiler = find_compiler(os.environ)
    history, practice = history_file(os.environ), practice_folder(os.environ)
    return {
        "autodrill": autodrill.__version__,
        "python": platform.python_version(),
        "numpy": installed("numpy"),
        "cupy": find_spec("cupy") is not None,
        "compiler": compiler and {"path": compiler, "version": compiler_version(compiler)},
        "gpu": has_gpu(),
        "cuda": asdict(gpu_facts()),
        "torch": installed("torch"),
        "jax": installed("jax"),
        "editor": editor_command() or None,
        "encoding": sys.stdout.encoding,
        "columns": width_of(sys.stdout, os.environ, most=sys.maxsize),
        "system": platform.system(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "history": {"path": str(history), "exists": history.exists()},
        "practice": {"path": str(practice), "exists": practice.exists()},
    }


def _kernels(about: dict[str, Any]) -> str:
    """Describe where kernels run on this machine."""
    compiler, gpu = about["compiler"], "a GPU with cupy" if about["gpu"] else ""
    if compiler:
        simulated = f"simulated device, {compiler['version'] or compiler['path']}"
        return f"{simulated}; then {gpu}" if gpu else f"{simulated}; no usable GPU"
    return gpu or "cannot run: install g++ or clang++, or set CXX to a C++ compiler"


def _print(checkup: "SelfTestResult", about: dict[str, Any]) -> None:
    from autodrill.grading.kernels.gpu_facts import GpuFacts
    from autodrill.render.plain import Paint, ascii_only, clean, folded, say, symbols_for, width_of

    paint, symbols = Paint.for_stream(sys.stdout, os.environ), symbols_for(sys.stdout)
    width = width_of(sys.stdout, os.environ)

    def row(start: str, columns: int, text: str) -> None:
        first, *rest = folded(clean(text), width - columns)
        say(start + first)
        for line in rest:
            say(" " * columns + line)

    say(f"autodrill {about['autodrill']}, Python {about['python']}, NumPy {about['numpy']}")
    say(f"{about['system']} {about['kernel']}, {about['machine']}; cupy {'installed' if about['cupy'] else 'absent'}")
    say()
    for finding in checkup.findings:
        sign = paint(f"{symbols.yes} holds", "green") if finding.holds else paint(f"{symbols.no} LOST ", "red", "bold")
        detail = f" ({finding.detail})" if finding.detail else ""
        row(f"{sign}  {finding.layer:12} ", 22, f"{finding.what}{detail}")
    if checkup.sealed:
        told, sign = "other people's files can be graded here", paint(f"{symbols.yes} holds", "green")
    else:
        told, sign = checkup.why, paint(f"{symbols.no} LOST ", "red", "bold")
    row(f"{sign}  {'all together':12} ", 22, told)
    say()
    row(f"{'kernels':9} ", 10, _kernels(about))
    row(f"{'GPU':9} ", 10, str(GpuFacts(**about["cuda"])))
    frameworks = (("PyTorch", about["torch"]), ("JAX", about["jax"]))
    row(f"{'libraries':9} ", 10, ", ".join(f"{name} {found or 'not installed'}" for name, found in frameworks))
    row(f"{'editor':9} ", 10, about["editor"] or "none; to let `open` and `watch` start one, set EDITOR")
    signs = "only ASCII signs; for all signs, use a UTF-8 locale" if ascii_only(sys.stdout) else "every sign"
    row(f"{'terminal':9} ", 10, f"{about['columns']} columns, {signs}")
    for what in ("history", "practice"):
        place = about[what]
        row(f"{what:9} ", 10, place["path"] + ("" if place["exists"] else " (not created yet)"))
