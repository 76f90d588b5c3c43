"""The loop of the candidate's process: load a file, call what it defines, send back values."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import os
import signal
import sys
import types
import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from . import claims, confine, frames, limits, report, trace, values, wire
from .channel import Channel
from .frames import Kind
from .layers import Standing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["import_numpy", "main", "serve_confined", "tie_to"]

_MODULE = "candidate"
_SCENARIO = "<scenario>"

_Way: TypeAlias = "Callable[[Callable[..., Any], list[Any], str], Any]"
"""How to call a function with arguments, given the candidate's file name: plainly, traced or under a debugger."""


@dataclass(frozen=True, slots=True)
class _Host:
    """What differs between a process that is graded, traced or debugged."""

    load: _Way
    call: _Way
    spare_memory: Callable[[], object]


def main(job: int) -> NoReturn:
    """Serve the job channel until it closes, in a process of its own.

    Args:
        job: The descriptor of the socket to the parent, which has sent a START frame.
    """
    os.set_inheritable(job, False)
    channel = Channel(job)
    _, start = channel.receive()
    assert isinstance(start, dict)
    parent, numpy = _int(start["parent"]), str(start["numpy"])
    tie_to(parent)
    import_numpy(numpy)
    if start["debug"]:
        from .debugger import debug

        _settle()
        _serve(channel, _Host(_plain_call, debug, lambda: None), Standing())
    order = confine.read_order(start)
    serve_confined(channel, start, order, confine.make_ready(order, numpy), parent)


def serve_confined(
    channel: Channel, start: dict[str, wire.Value], order: confine.Order, ready: confine.Ready, parent: int
) -> NoReturn:
    """Give up what the order says, and serve the job channel until it closes.

    Args:
        channel: The job channel.
        start: What START says: the descriptors to dump a stack into and to mark the running line in.
        order: What this process is to be confined by.
        ready: What was made for it before.
        parent: The parent's process id as it knew it.
    """
    _settle()
    sys.dont_write_bytecode = True
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # what was printed before a kill is still seen
    dump, marker = _int(start["dump"]), start["marker"]
    faulthandler.enable(dump, all_threads=False)
    faulthandler.register(signal.SIGUSR1, dump, all_threads=False)
    way = _plain_call if marker is None else trace.Marker(_int(marker)).call
    host = _Host(way, way, limits.spare())
    _serve(channel, host, confine.confine(order, ready, parent))


def _serve(channel: Channel, host: _Host, standing: Standing) -> NoReturn:
    channel.send(Kind.READY, standing.to_wire())
    drive: Callable[..., Any] | None = None
    candidate: _Candidate | None = None
    while True:
        kind, request = channel.receive()
        if kind is Kind.SCENARIO:
            drive = None
            try:
                drive = None if request is None else _drive(request)
            except Exception as error:
                channel.send(Kind.RAISED, report.raised(error, _SCENARIO))
            else:
                channel.send(Kind.LOADED, None)
        elif kind is Kind.LOAD:
            candidate = _Candidate(request, drive, host)
            channel.send(*candidate.load())
        else:
            assert kind is Kind.CALL
            assert isinstance(request, tuple)
            assert candidate is not None
            limit = _int(request[2]) + frames.STRUCTURE_BYTES
            for kind, answer in candidate.calls(request):
                channel.put(kind, answer, limit)
            channel.flush()


class _Candidate:
    """One file of the candidate's, and what is called in it."""

    def __init__(self, request: wire.Value, drive: Callable[..., Any] | None, host: _Host) -> None:
        assert isinstance(request, tuple)
        source, filename, entry, seconds = request
        assert isinstance(source, bytes)
        assert isinstance(filename, str)
        assert isinstance(entry, str)
        self.source, self.filename, self.entry = source, filename, entry
        self.drive, self.host = drive, host
        self.target: Callable[..., Any] | None = None
        limits.renew_cpu(_float(seconds))

    def load(self) -> tuple[Kind, wire.Value]:
        report.remember_source(self.source, self.filename)
        try:
            code = compile(self.source, self.filename, "exec", dont_inherit=True)
        except BaseException as error:
            return Kind.BROKEN, report.broken(error, self.source)
        module = types.ModuleType(_MODULE)
        module.__file__ = self.filename
        sys.modules[_MODULE] = module
        try:
            self._run(self.host.load, exec, [code, module.__dict__])
            entry = module.__dict__.get(self.entry)
            if not callable(entry):
                found = values.type_name(entry) if self.entry in module.__dict__ else None
                return Kind.NOT_DEFINED, (report.public_names(module.__dict__), found)
        except BaseException as error:
            return self._raised(error)
        self.target = entry if self.drive is None else _Driven(self.drive, entry)
        return Kind.LOADED, None

    def calls(self, request: tuple[wire.Value, ...]) -> Iterator[tuple[Kind, wire.Value]]:
        """Make the calls that are asked for, each when the answer before it is sent, up to one that does not return."""
        sent, asked, limit, seconds = request
        assert isinstance(sent, tuple)
        assert isinstance(asked, tuple)
        limits.renew_cpu(_float(seconds) * len(asked))
        first: list[Any] | None = None
        for each in asked:
            assert isinstance(each, tuple)
            same, again = each
            assert isinstance(same, bytes)
            arguments = first if again and first is not None else _build(sent, same)
            first = arguments if first is None else first
            kind, answer = self._call(arguments, [sent[place] for place in same], _int(limit))
            yield kind, answer
            if kind is not Kind.RETURNED:
                return

    def _call(self, arguments: list[Any], sent: list[wire.Value], limit: int) -> tuple[Kind, wire.Value]:
        assert self.target is not None
        before = list(map(claims.snapshot, arguments, sent))
        try:
            result = self._run(self.host.call, self.target, arguments)
            answer = values.to_wire(result, limit=limit)
            found = claims.compare(arguments, before, result)
        except values.OversizedError as error:
            return Kind.OVERSIZED, str(error)
        except BaseException as error:
            return self._raised(error)
        claimed = None if found is None else (found.changed, found.shared, found.joined, found.readonly)
        return Kind.RETURNED, (answer, claimed)

    def _run(self, way: _Way, function: Callable[..., Any], arguments: list[Any]) -> Any:
        import numpy as np

        with np.errstate(all="ignore"):
            return way(function, arguments, self.filename)

    def _raised(self, error: BaseException) -> tuple[Kind, wire.Value]:
        if isinstance(error, MemoryError):
            self.host.spare_memory()
        return Kind.RAISED, report.raised(error, self.filename)


def _build(sent: tuple[wire.Value, ...], same: bytes) -> list[Any]:
    """Build a call's arguments afresh; those that are said to be the same are one object."""
    built = {place: values.from_wire(sent[place], lay_out=True) for place in set(same)}
    return [built[place] for place in same]


def _plain_call(function: Callable[..., Any], arguments: list[Any], _filename: str) -> Any:
    return function(*arguments)


class _Driven:
    """The candidate's function or class, put through a scenario."""

    def __init__(self, drive: Callable[..., Any], entry: Callable[..., Any]) -> None:
        self._drive = drive
        self._entry = entry

    def __call__(self, *arguments: Any) -> Any:
        return self._drive(self._entry, *arguments)


def _drive(scenario: wire.Value) -> Callable[..., Any]:
    import numpy as np

    assert isinstance(scenario, str)
    report.remember_source(scenario.encode(), _SCENARIO)
    namespace: dict[str, Any] = {"__name__": "scenario", "np": np}
    exec(compile(scenario, _SCENARIO, "exec", dont_inherit=True), namespace)
    if "drive" not in namespace:
        raise NameError("it does not define `drive`")
    drive: Callable[..., Any] = namespace["drive"]
    return drive


def _settle() -> None:
    """Make this process look like one that runs the candidate's file alone."""
    warnings.simplefilter("ignore")
    sys.argv = [_MODULE]


def tie_to(parent: int) -> None:
    """Die with the parent from the start, and keep below this process what a candidate may start, on Linux."""
    if sys.platform == "linux":
        with contextlib.suppress(ImportError):  # a Python built without ctypes: the layer is lost, and said to be
            from . import privileges

            privileges.die_with_parent(parent)
            privileges.adopt_orphans()


def import_numpy(folder: str) -> None:
    """Import NumPy from `folder` and leave nothing but it and the standard library to be imported.

    NumPy's own submodules stay importable through the package's path, so none is loaded before it is asked for.
    """
    sys.path[0] = folder
    import_module("numpy")
    del sys.path[0]


def _int(value: wire.Value) -> int:
    assert isinstance(value, int)
    return value


def _float(value: wire.Value) -> float:
    assert isinstance(value, float)
    return value
