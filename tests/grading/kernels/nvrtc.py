"""NVRTC, NVIDIA's compiler for kernels, through ctypes. It needs no GPU; the dependency group `nvrtc` installs it."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.util import find_spec
from pathlib import Path

__all__ = ["compile_errors", "library_path"]


def library_path() -> Path | None:
    """The library of an installed package, None if there is none."""
    spec = find_spec("nvidia")
    folders = [] if spec is None else map(Path, spec.submodule_search_locations or ())
    found = [path for folder in folders for path in folder.glob("*/lib/libnvrtc.so.1?")]
    return max(found, default=None)


@cache
def _library() -> ctypes.CDLL:
    path = library_path()
    assert path is not None
    for builtins in path.parent.glob("libnvrtc-builtins.so.*"):  # 13.0 does not look in its own folder
        ctypes.CDLL(str(builtins))
    return ctypes.CDLL(str(path))


def compile_errors(text: str, architecture: str) -> str:
    """Compile a kernel to machine code; return the compiler's output if it fails, else an empty string.

    Args:
        text: The text of the kernel, with all that its file needs.
        architecture: Such as `sm_90`.
    """
    nvrtc, program = _library(), ctypes.c_void_p()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None) == 0
    options = [b"-std=c++17", f"-arch={architecture}".encode()]
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return (log.value.decode("utf-8", "replace") or f"NVRTC fails with {failed}") if failed else ""
