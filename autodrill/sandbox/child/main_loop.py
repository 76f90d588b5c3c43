"""The main loop of a child process: load a submission, call its entry, send back the results."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import os
import signal
import sys
import types
import warnings
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from . import (
    frames,
    frameworks,
    line_tracer,
    lockdown,
    memory_claims,
    rank_calls,
    rlimits,
    tracebacks,
    values,
    weighing,
    wire,
)
from .channel import Channel
from .collectives import PerRank, in_step
from .confinement import Confinement, ConfinementStatus
from .frames import FrameKind
from .module_loader import ABSENT, find, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Hooks", "LoadedSubmission", "import_numpy", "main", "plain_call", "serve_confined", "settle", "tie_to"]

_MODULE = "candidate"
_SCENARIO = "<scenario>"
_LINKED = ("binascii", "zlib")
"""Modules that map libz, a system library that a confined process cannot read. `numpy.random` needs it, because
it imports `binascii`. NumPy's wheels map it themselves if they contain libgfortran; those of 2.5 do not."""

_Invoke: TypeAlias = "Callable[[Callable[..., Any], list[Any], str], Any]"
"""Calls a function with arguments: directly, traced or under a debugger. The last argument is the submission's name."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """What differs between grading, tracing and debugging.

    Attributes:
        load: Runs the submission.
        call: Calls the entry.
        spare_memory: Frees reserved address space, so that running out of memory can be reported.
    """

    load: _Invoke
    call: _Invoke
    spare_memory: Callable[[], object]


def main(job: int) -> NoReturn:
    """Serve the job channel until it closes, in a new interpreter.

    Args:
        job: The descriptor of the job channel, on which the parent has sent START.
    """
    os.set_inheritable(job, False)
    channel = Channel(job)
    _, start = channel.receive()
    assert isinstance(start, dict)
    parent, numpy = _int(start["parent"]), str(start["numpy"])
    tie_to(parent)
    import_numpy(numpy)
    frameworks.load(str(start["framework"]), str(start["library"]))
    if start["debug"]:
        from .debugger import debug

        _stand_alone()
        frameworks.begin()
        _serve(channel, Hooks(plain_call, debug, lambda: None), ConfinementStatus())
    memory = _int(start["memory"])
    if rlimits.is_tight(memory):
        from . import preload

        preload.load_numpy()
    readable, line = start["readable"], start["line"]
    assert isinstance(readable, tuple)
    prepared = lockdown.prepare(Confinement.from_wire(start), numpy, parent, map(str, readable))
    hooks = settle(_int(start["dump"]))
    serve_confined(channel, hooks, prepared, memory, None if line is None else _int(line))


def settle(dump: int) -> Hooks:
    """Prepare this process, or its later forks, for a submission.

    Args:
        dump: The descriptor that stack dumps are written to.
    """
    _stand_alone()
    sys.dont_write_bytecode = True
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # so that lines printed before a kill are kept
    faulthandler.enable(dump, all_threads=False)
    faulthandler.register(signal.SIGUSR1, dump, all_threads=False)
    return Hooks(plain_call, plain_call, rlimits.spare())


def serve_confined(
    channel: Channel, hooks: Hooks, prepared: lockdown.Lockdown, memory: int, line: int | None
) -> NoReturn:
    """Take the layers, and serve the job channel until it closes.

    Args:
        channel: The job channel.
        hooks: The hooks from `settle`.
        prepared: The prepared lockdown.
        memory: Bytes that the submission may allocate beyond what Python and NumPy take.
        line: The descriptor of the shared memory for the running line; None if lines are not traced.
    """
    hooks.spare_memory()
    if line is not None:
        traced = line_tracer.LineTracer(line).call
        hooks = replace(hooks, load=traced, call=traced)
    status = prepared.apply(memory)
    # Only now: what is mapped before a tight limit cannot be unmapped again.
    hooks = replace(hooks, spare_memory=rlimits.spare(rlimits.spare_bytes(memory)))
    frameworks.begin()
    _serve(channel, hooks, status)


def _serve(channel: Channel, hooks: Hooks, status: ConfinementStatus) -> NoReturn:
    import numpy as np

    channel.send(FrameKind.READY, status.to_wire())
    drive: _Drive | None = None
    submission: LoadedSubmission | None = None
    while True:
        kind, request = channel.receive()
        if kind is FrameKind.SCENARIO:
            drive = None
            try:
                drive = None if request is None else _drive(request, channel)
            except Exception as error:
                channel.send(FrameKind.RAISED, tracebacks.raised(error, _SCENARIO))
            else:
                channel.send(FrameKind.LOADED, None)
        elif kind is FrameKind.LOAD:
            assert isinstance(request, tuple)
            rlimits.renew_cpu(_float(request[-1]))
            submission = LoadedSubmission(request, drive, hooks)
            channel.send(*(submission.load() if request[0] is not None else submission.leave_to_ranks(channel)))
        else:
            assert kind is FrameKind.CALL
            assert submission is not None
            own, specs, budget, seconds = frames.unpack_call(request)
            rlimits.renew_cpu(seconds * len(specs))
            with np.errstate(all="ignore"):
                for kind, answer in submission.calls(own, specs, budget):
                    channel.send(kind, answer, budget + frames.STRUCTURE_BYTES)


class LoadedSubmission:
    """A submission and its entry."""

    def __init__(self, request: wire.Value, drive: _Drive | None, hooks: Hooks) -> None:
        assert isinstance(request, tuple)
        source, filename, entry, self.shares_module, _ = request
        assert isinstance(source, bytes | None)
        assert isinstance(filename, str)
        assert isinstance(entry, str)
        self.source, self.filename, self.entry = source or b"", filename, entry
        self.module = _new_module(filename)
        self.drive, self.hooks = drive, hooks
        self.target: Callable[..., Any] | None = None
        self.earlier: Any = None
        self._earlier_arrays: Sequence[Any] = ()
        self._earlier_total = 0
        self._latest = memory_claims.LatestResults()
        self._sent: bytes | None = None  # the latest result, if it returned and nothing was found

    def load(self) -> tuple[FrameKind, wire.Value]:
        """Run the file, and return the kind and payload of the reply."""
        import numpy as np

        tracebacks.remember_source(self.source, self.filename)
        try:
            code = compile(self.source, self.filename, "exec", dont_inherit=True)
        except BaseException as error:
            return FrameKind.BROKEN, tracebacks.broken(error, self.source)
        module = self.module
        try:
            with np.errstate(all="ignore"):
                entries, lacking = self._run(code, module)
            for entry in entries:
                if entry is ABSENT and lacking is not None:
                    return self._raised(lacking)
                if not callable(entry):
                    found = None if entry is ABSENT else values.type_name(entry)
                    return FrameKind.NOT_DEFINED, (tracebacks.public_names(module.__dict__), found)
        except BaseException as error:
            return self._raised(error)
        if self.drive is not None and self.drive.has_ranks:
            loads = [_within(module, entries)]
            another = (lambda: loads[0]) if self.shares_module else (lambda: self._another(code))
            entries = [PerRank(place, loads, another) for place in range(len(entries))]
        called: Any = tuple(entries) if len(entries) > 1 else entries[0]
        self.target = called if self.drive is None else _Driven(self.drive.call, called)
        return FrameKind.LOADED, None

    def leave_to_ranks(self, channel: Channel) -> tuple[FrameKind, wire.Value]:
        """Let the scenario call the entries in the processes of the ranks. The file is neither known nor run here."""
        assert self.drive is not None
        entries = [rank_calls.OtherProcess(place, channel) for place in range(len(self.entry.split()))]
        self.target = _Driven(self.drive.call, tuple(entries) if len(entries) > 1 else entries[0])
        return FrameKind.LOADED, None

    def _run(self, code: Any, module: types.ModuleType) -> tuple[list[Any], ImportError | None]:
        """Run the file in a module, and return what the names of the entry are, and the error of `run`."""
        sys.modules[_MODULE] = module
        lacking = run(code, self.source, self.filename, module.__dict__, self._execute)
        return [find(module.__dict__, name) for name in self.entry.split()], lacking

    def _another(self, code: Any) -> list[Callable[..., Any]]:
        """Run the file once more, in a new module, and return its entries."""
        module = _new_module(self.filename)
        entries, _ = self._run(code, module)
        return _within(module, entries)

    def _execute(self, code: Any, namespace: dict[str, Any]) -> None:
        self.hooks.load(exec, [code, namespace], self.filename)

    def calls(
        self, own: list[frames.PackedValue], specs: list[frames.PackedSpec], budget: int
    ) -> Iterator[tuple[FrameKind, wire.Value]]:
        """Make calls, up to one that does not return, and yield the kind and payload of each reply."""
        first: list[Any] | None = None
        for places, again, checksum in specs:
            arguments = first if again and first is not None else _build(own, places)
            first = arguments if first is None else first
            kind, answer = self._call(arguments, own, places, checksum, budget)
            if again and self._sent is not None:
                sent, arguments = self._sent, _build(own, places)
                self._call_on_other_numbers(arguments)
                other = self._call(arguments, own, places, checksum, budget)
                kind, answer = (kind, answer) if self._sent == sent else other
            yield kind, answer
            if kind is not FrameKind.RETURNED:
                return

    def _call(
        self, arguments: list[Any], packed: list[frames.PackedValue], places: bytes, checksum: int | None, limit: int
    ) -> tuple[FrameKind, wire.Value]:
        assert self.target is not None
        self._sent = None
        try:
            result = values.plain(self.hooks.call(self.target, arguments, self.filename))
            answer = values.encode(result, limit=limit)
            found, proof = None, b""
            own = memory_claims.sent_arrays(result)
            overwritten = self._latest.overwritten()
            latest = self._latest.add(own)
            if checksum is not None:
                proof = memory_claims.evidence(arguments, own, self._earlier_arrays)
                right = memory_claims.right_evidence(checksum, own, self._earlier_total)
                if latest or overwritten or proof != right or not frames.unchanged(arguments, packed, places):
                    before = list(map(memory_claims.snapshot, _build(packed, places)))
                    # If an earlier result has changed, all of this one counts as reused.
                    earlier = [self.earlier, latest, own if overwritten else []]
                    found = memory_claims.compare(arguments, before, result, earlier)
                    proof = memory_claims.details(arguments, proof)
            if self.earlier is None:  # the first result must stay valid during all later calls
                self.earlier, self._earlier_arrays = result, own
                self._earlier_total = memory_claims.total(self._earlier_arrays)
        except values.OversizedError as error:
            return FrameKind.OVERSIZED, str(error)
        except BaseException as error:
            return self._raised(error)
        self._sent = answer if found is None else None
        return FrameKind.RETURNED, frames.returned(answer, None if found is None else found.to_wire(), proof)

    def _call_on_other_numbers(self, arguments: list[Any]) -> None:
        """Call the entry on the same arrays with other numbers, and ignore the result.

        An optimizer changes arrays in place. If the file keeps what it computed for an array object, the next call
        finds what belongs to the other numbers. All axes of all arrays are reversed, so that rows still sum to 1 and
        positive numbers are still positive, and a row keeps its label.
        """
        import numpy as np

        assert self.target is not None
        arrays = {id(a): a for a in arguments if type(a) is np.ndarray and a.flags.writeable}
        kept = [(array, array.copy()) for array in arrays.values()]
        try:
            for array, numbers in kept:
                array[...] = np.flip(numbers)
            with np.errstate(all="ignore"):
                self.hooks.call(self.target, arguments, self.filename)
        except BaseException as error:  # other numbers may have no result
            self._raised(error)
        for array, numbers in kept:
            array[...] = numbers

    def _raised(self, error: BaseException) -> tuple[FrameKind, wire.Value]:
        if isinstance(error, MemoryError):
            self.hooks.spare_memory()
        return FrameKind.RAISED, tracebacks.raised(error, self.filename)


def _build(own: list[frames.PackedValue], places: bytes) -> list[Any]:
    """Build new arguments for a call. Equal indexes give the same object."""
    build = frames.build_argument
    if len(set(places)) == len(places):
        return [build(own[place]) for place in places]
    built = {place: build(own[place]) for place in places}
    return [built[place] for place in places]


def plain_call(function: Callable[..., Any], arguments: list[Any], _filename: str) -> Any:
    """Call a function."""
    return function(*arguments)


def _new_module(filename: str) -> types.ModuleType:
    module = types.ModuleType(_MODULE)
    module.__file__ = filename
    return module


def _within(module: types.ModuleType, entries: list[Any]) -> list[Callable[..., Any]]:
    """Return the entries such that an import of the submission's own module finds this one while they run."""

    def placed(entry: Any) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            sys.modules[_MODULE] = module
            return entry(*arguments, **named)

        return call

    return list(map(placed, entries))


@dataclass(frozen=True, slots=True)
class _Drive:
    """The `drive` of a scenario, and whether it runs the submission on several ranks."""

    call: Callable[..., Any]
    has_ranks: bool


class _Driven:
    """The entry, called through the `drive` of a scenario."""

    def __init__(self, drive: Callable[..., Any], entry: Any) -> None:
        self._drive = drive
        self._entry = entry

    def __call__(self, *arguments: Any) -> Any:
        return self._drive(self._entry, *arguments)


def _drive(scenario: wire.Value, channel: Channel) -> _Drive:
    import numpy as np

    assert isinstance(scenario, str)
    if scenario == frames.OF_A_RANK:
        return _Drive(rank_calls.serve(channel), has_ranks=False)
    tracebacks.remember_source(scenario.encode(), _SCENARIO)
    namespace: dict[str, Any] = {"__name__": "scenario", "np": np, "in_step": in_step, "ask": channel.ask}
    namespace |= {"Scales": weighing.Scales, "numbers_in": weighing.numbers_in}
    namespace |= {"door": frameworks.door, "function_door": frameworks.function_door}
    exec(compile(scenario, _SCENARIO, "exec", dont_inherit=True), namespace)
    if "drive" not in namespace:
        raise NameError("it does not define `drive`")
    return _Drive(namespace["drive"], has_ranks=in_step.__name__ in scenario)


def _stand_alone() -> None:
    """Set what a submission sees of the process: no warnings, and `sys.argv`."""
    warnings.simplefilter("ignore")
    sys.argv = [_MODULE]


def tie_to(parent: int) -> None:
    """On Linux: be killed when the parent ends, and adopt the orphans among the descendants of this process."""
    if sys.platform == "linux":
        with contextlib.suppress(ImportError):  # a Python built without ctypes: `lockdown` reports the layer as lost
            from . import privileges

            privileges.die_with_parent(parent)
            privileges.adopt_orphans()


def import_numpy(folder: str) -> None:
    """Import NumPy from `folder`. Afterwards only NumPy and the standard library can be imported.

    The submodules of NumPy stay importable through the path of its package. Only modules that a confined process could
    not load any more are imported here.
    """
    sys.path[0] = folder
    numpy = import_module("numpy")
    del sys.path[0]
    for name in _LINKED:
        with contextlib.suppress(ImportError):  # a Python built without it
            import_module(name)
    # The first large matrix product maps the buffers of the BLAS. They must not count as memory of the submission.
    _ = numpy.ones((128, 128)) @ numpy.ones((128, 128))


def _int(value: wire.Value) -> int:
    assert isinstance(value, int)
    return value


def _float(value: wire.Value) -> float:
    assert isinstance(value, float)
    return value
