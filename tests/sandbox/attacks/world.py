"""The targets of the hostile files: a folder, a process, services and secrets, all of them dummies."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from autodrill.folders import content_root

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["SECRET", "World"]

SECRET = "open sesame"
ENVIRONMENT = "AUTODRILL_ATTACK_SECRET"

_OTHER = """
def fold(x, shape):
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 and x.shape[i] != 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    return fold(g * b, a.shape), fold(g * a, b.shape)
"""


class World:
    """The targets of attacks. Use it as a context manager.

    Attributes:
        folder: A temporary folder, holding `secret.txt`, `victim.txt`, another student's `other.py` and a socket.
        mark: A unique string in the names of everything that an attack creates.
        victim: A process for the attacks to find.
    """

    def __init__(self) -> None:
        self.mark = f"autodrill-attack-{secrets.token_hex(8)}"
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        try:
            self._build(self._stack)
        except BaseException:
            self._stack.close()
            raise
        return self

    def _build(self, keep: contextlib.ExitStack) -> None:
        # Not `tmp_path`: its path is too long for the name of a socket.
        self.folder = Path(keep.enter_context(tempfile.TemporaryDirectory(prefix="ad-")))
        self.plant()
        self.start_victim()
        keep.callback(self._end_victim)
        service, hidden = self._listen(f"{self.folder}/service"), self._listen(f"\0{self.mark}")
        log = keep.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        log.bind(f"{self.folder}/log")
        server = keep.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.port, self.port6 = server.getsockname()[1], 0
        with contextlib.suppress(OSError):
            server6 = keep.enter_context(socket.create_server(("::1", 0), family=socket.AF_INET6))
            self.port6 = server6.getsockname()[1]
        self._listeners = [service, hidden, server]
        os.environ[ENVIRONMENT] = SECRET
        keep.callback(os.environ.pop, ENVIRONMENT, None)
        self._put_secret_on_stdin()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def values(self) -> dict[str, str]:
        """Return the values of the placeholders in hostile files."""
        return {
            "FOLDER": str(self.folder),
            "MARK": self.mark,
            "PORT": str(self.port),
            "PORT6": str(self.port6),
            "VICTIM": str(self.victim.pid),
            "GRADER": str(os.getpid()),
            "REPOSITORY": str(content_root()),
            "PACKAGES": sysconfig.get_path("purelib"),
        }

    def plant(self) -> None:
        """Write every file that is missing or changed."""
        files = {"secret.txt": SECRET, "victim.txt": "victim", "other.py": _OTHER, "stdin": SECRET}
        for name, text in files.items():
            path = self.folder / name
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
        link = self.folder / "link.txt"
        if not link.is_symlink():
            link.symlink_to("secret.txt")

    def start_victim(self) -> None:
        """Start the process that attacks try to find and end."""
        self.victim = subprocess.Popen(["/bin/sleep", "3600"], stdin=subprocess.DEVNULL)

    def hang_up(self) -> None:
        """Accept and close the connections to the services, so that their queues stay empty."""
        for listener in self._listeners:
            listener.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    listener.accept()[0].close()

    def _listen(self, address: str) -> socket.socket:
        service = self._stack.enter_context(socket.socket(socket.AF_UNIX))
        service.bind(address)
        service.listen(64)
        return service

    def _end_victim(self) -> None:
        self.victim.kill()
        self.victim.wait()

    def _put_secret_on_stdin(self) -> None:
        """Put the secret on stdin of this process, like a grader that reads answers from a pipe."""
        before = os.dup(0)
        spoken = os.open(self.folder / "stdin", os.O_RDONLY)
        os.dup2(spoken, 0)
        os.close(spoken)

        def restore() -> None:
            os.dup2(before, 0)
            os.close(before)

        self._stack.callback(restore)
