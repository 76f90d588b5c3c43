"""The system's C++ compiler, in a folder of its own and with bounded time, memory and output.

A process has one compiler and one folder, so each text is compiled once, whatever number of runners ask for it.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import weakref
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from autodrill.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from autodrill.drills.kernel_source import KernelSignature, KernelText

__all__ = ["CompileFailure", "Compiler", "compiler_version", "find_compiler", "shared_compiler"]

_NAMES = ("g++", "clang++", "c++")
_SECONDS = 8.0
"""Time limit of a compilation. A kernel takes a tenth of a second, but a template can take for ever."""

_BOUNDED = f'ulimit -c 0; ulimit -t {int(_SECONDS)}; ulimit -v 2097152; ulimit -f 65536; exec "$@"'
"""Limits of processor time in seconds, memory in KiB and file size in blocks of 512 bytes. A shell sets them, so that
they hold from the compiler's first instruction on, and for its child processes."""

_SHOWN = 1 << 14
_RUNTIME = ("-std=c++17", "-O1", "-w", "-fPIC", "-fvisibility=hidden", "-U_FORTIFY_SOURCE")
"""A fortified `longjmp` refuses to jump to another stack, as the device's fibres do."""
_KERNEL = (
    *("-std=c++17", "-O0", "-g1", "-w", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off"),
    *("-fno-exceptions", "-fno-rtti", "-nostdinc", "-fsanitize=thread", "-fmax-errors=5"),
)
_LIBRARY = ("-shared", "-nostdlib", "-Wl,-z,defs", "-lm", "-lc", "-ldl", "-lgcc")
_FILE = "handed-in"
_ERROR = re.compile(
    rf"(?m)^(?:{_FILE}:(?P<line>\d+):(?:(?P<column>\d+):)?|[^\n]*?:) (?:fatal )?error: (?P<message>[^\n]+)"
)
_DYNAMIC = re.compile(r"\bextern\s+__shared__\s+(?P<declared>[^;\[\](){}]+?)\s*\[\s*\]\s*;")
"""The declaration of dynamic shared memory. All such declarations of a kernel name one array, as on a GPU."""

_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:?) [`']?(?P<name>[^'\n]+)")


def find_compiler(environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the path of the C++ compiler: that of `CXX`, else the first of the usual names that exists.

    None if there is none, or if this is not Linux: the simulated device relies on the layout of its linkers.
    """
    from shutil import which

    if sys.platform != "linux":
        return None
    named = environ.get("CXX", "").split()[:1]
    return next((path for name in (*named, *_NAMES) if (path := which(name, path=environ.get("PATH")))), None)


def compiler_version(path: str) -> str:
    """Return the first line of a compiler's `--version`, or an empty string."""
    try:
        output = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=5, check=False)  # noqa: S603  the user's own compiler
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return output.stdout.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class CompileFailure:
    """Why a kernel was not compiled.

    Attributes:
        message: The error message.
        line: The line of the candidate's file, None if unknown.
        column: The column, from 1.
    """

    message: str
    line: int | None = None
    column: int | None = None


class Compiler:
    """Compiles kernels, each text once. The simulated device is compiled in the background.

    Args:
        path: The compiler.
        folder: The folder for its output.
    """

    def __init__(self, path: str, folder: Path) -> None:
        self.folder = folder
        self._path = path
        self._made = 0
        self._libraries: dict[str, Path] = {}
        self._device = self._run("device", [*_RUNTIME, "-c", str(_source("device.cpp")), "-o", "device.o"])

    def compile(self, kernel: KernelText, signature: KernelSignature) -> Path | CompileFailure:
        """Return the shared library of a kernel, or why there is none.

        Raises:
            InternalError: The compiler fails on the simulated device.
        """
        unit = _unit(kernel, signature)
        if unit not in self._libraries:
            made = self._compile(unit)
            if isinstance(made, CompileFailure):
                return made
            self._libraries[unit] = made
        return self._libraries[unit]

    def line_of(self, library: Path, instruction: int) -> int | None:
        """Return the line of the candidate's file that an instruction belongs to, or None if it is unknown."""
        try:
            output = subprocess.run(  # noqa: S603  no argument comes from outside
                ["addr2line", "-e", str(library), hex(instruction)],  # noqa: S607  it comes with the compiler
                capture_output=True,
                text=True,
                timeout=2,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        found = re.search(r":(\d+)", output.stdout)
        return int(found[1]) or None if found else None

    def _compile(self, unit: str) -> Path | CompileFailure:
        self._made += 1
        name = f"kernel{self._made}"
        (self.folder / f"{name}.cpp").write_text(unit, encoding="utf-8", errors="replace")
        output = self._wait(self._run(name, [*_KERNEL, "-c", f"{name}.cpp", "-o", f"{name}.o"]), name)
        if output is not None:
            return _compile_failure(output)
        if (wrong := self._wait(self._device, "device")) is not None:
            raise InternalError(f"the simulated device does not compile with {self._path}: {wrong[:500]}")
        linked = self._run(name, ["device.o", f"{name}.o", "-o", f"{name}.so", *_LIBRARY])
        output = self._wait(linked, name)
        if output is not None:
            return _compile_failure(output)
        library = self.folder / f"{name}.so"
        library.chmod(0o755)  # for any user that the candidate's process becomes
        return library

    def _run(self, name: str, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TMPDIR": str(self.folder)}
        with (self.folder / f"{name}.txt").open("wb") as output:
            return subprocess.Popen(  # noqa: S603  the user's own compiler
                ["/bin/sh", "-c", _BOUNDED, "sh", self._path, *arguments],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=output,
                start_new_session=True,
            )

    def _wait(self, process: subprocess.Popen[bytes], name: str) -> str | None:
        """Wait for a compiler, and return its output if it failed."""
        try:
            status = process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            self._end(process)
            return f"error: the compiler was stopped after {_SECONDS:g} s"
        if status == 0:
            return None
        with (self.folder / f"{name}.txt").open("rb") as output:
            return output.read(_SHOWN).decode("utf-8", "replace") or f"error: the compiler ended with status {status}"

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@lru_cache(maxsize=1)
def shared_compiler(path: str) -> Compiler:
    """Return this process's compiler at a path. Its folder is removed when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="autodrill-kernel-"))
    folder.chmod(0o755)  # for any user that the candidate's process becomes
    compiler = Compiler(path, folder)
    weakref.finalize(compiler, _sweep, folder, compiler._device, os.getpid())
    return compiler


def _sweep(folder: Path, device: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() == owner:  # not in a process that was forked since
        Compiler._end(device)
        shutil.rmtree(folder, ignore_errors=True)


def _unit(kernel: KernelText, signature: KernelSignature) -> str:
    given = ", ".join(
        f"*({p.type}{'*' if p.pointer else ''}*)arguments[{i}]" for i, p in enumerate(signature.parameters)
    )
    launch = f'extern "C" DEVICE_EXEMPT void device_call(void** arguments) {{ {signature.name}({given}); }}'
    head = f'#include "{_source("device.h")}"\n#line {kernel.line} "{_FILE}"\n'
    text = _DYNAMIC.sub(r'extern \g<declared>[] __asm__("device_dynamic");', kernel.text)
    return f'{head}{text}\n#line 1 "launch"\n{launch}\n'


def _source(name: str) -> Path:
    return Path(__file__).resolve().parent / name


def _compile_failure(output: str) -> CompileFailure:
    if undefined := _UNDEFINED.search(output):
        return CompileFailure(f"`{undefined['name']}` is declared but not defined")
    if found := _ERROR.search(output):
        line, column = found["line"], found["column"]
        return CompileFailure(found["message"], int(line) if line else None, int(column) if column else None)
    return CompileFailure(output.strip().partition("\n")[0][:300])
