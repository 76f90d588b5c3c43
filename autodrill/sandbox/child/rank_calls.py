"""Ranks in processes of their own: the two ends of a call that waits at collectives.

The process of the scenario runs `drive`, and never runs the submission. The process of a rank runs the submission, and
receives nothing but the arguments of its own calls and what the collectives return to it. The parent passes the bytes
from one process to the other. All of them are values of `wire`:

    to a rank       a call      (entry, arguments, named arguments, places of functions, names of functions)
                    an answer   (None, result) or (type of an exception, message)
    from a rank     a question  (place or name of the function, arguments, named arguments)
                    a result    (result, arguments after the call or None if they are unchanged)
"""

from __future__ import annotations

import builtins
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from . import collectives, frames, values, wire
from .frames import RANK_BYTES, FrameKind
from .values import Arg
from .wire import Layout

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .channel import Channel

__all__ = ["OtherProcess", "serve"]

_Named: TypeAlias = "Mapping[str, Any]"


class _RankFailed(BaseException):
    """A rank has not returned. The parent knows how it ended, so that no message is needed."""


# -- in the process of the scenario ------------------------------------------------------------------------------------


class OtherProcess:
    """An entry of the submission as a scenario calls it. Each rank calls its entry in its own process.

    Outside `in_step`, rank 0 is called.

    Args:
        place: Which of the entries of the submission it is.
        channel: The channel to the parent.
    """

    def __init__(self, place: int, channel: Channel) -> None:
        self._place, self._channel = place, channel

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the entry, or go on with the call if `in_step` runs the program again."""
        turn = collectives.running()
        if turn is None:
            return self._begin(0, 1, arguments, named).go_on(arguments, named)[0]
        if turn.reached == len(turn.calls):
            turn.calls.append(self._begin(turn.rank, turn.ranks, arguments, named))
        call = turn.calls[turn.reached]
        turn.reached += 1
        result, after = call.go_on(arguments, named)
        if after is not None:
            turn.changes.append(((list(arguments), named), after))
        return result

    def _begin(self, rank: int, ranks: int, arguments: tuple[Any, ...], named: _Named) -> _Call:
        places = [place for place, value in enumerate(arguments) if callable(value)]
        names = [name for name, value in named.items() if callable(value)]
        sent = [None if callable(value) else _with_layout(value) for value in arguments]
        by_name = {name: None if name in names else _with_layout(value) for name, value in named.items()}
        request = values.to_wire((self._place, sent, by_name, places, names), limit=RANK_BYTES)
        if (unknown := values.find_opaque(request)) is not None:
            raise TypeError(f"a rank cannot be given a {unknown.type_name}")
        return _Call(self._channel, rank, ranks, wire.encode(request))


class _Call:
    """A call in the process of a rank: what it has asked so far, and in the end its result."""

    def __init__(self, channel: Channel, rank: int, ranks: int, request: bytes) -> None:
        self._channel, self._rank, self._ranks = channel, rank, ranks
        self._said = [self._pass(request, begins=True)]

    def go_on(self, arguments: tuple[Any, ...], named: _Named) -> tuple[Any, Any]:
        """Answer what the call asks until it ends, and return its result and its arguments after the call.

        What was answered before is computed once more: `in_step` runs the program from its start.
        """
        for step in count():
            ended, said = self._said[step]
            value = wire.decode(said, max_extent=RANK_BYTES)
            if ended:
                result, after = _pair(value)
                return values.from_wire(result), None if after is None else values.from_wire(after)
            answer = _answer(value, arguments, named)
            if step + 1 == len(self._said):
                self._said.append(self._pass(answer, begins=False))
        raise AssertionError

    def _pass(self, payload: bytes, *, begins: bool) -> tuple[bool, bytes]:
        self._channel.send(FrameKind.RANK, (self._rank, self._ranks, begins, payload), 2 * RANK_BYTES)
        answer = self._channel.await_answer()
        if answer is None:
            raise _RankFailed
        assert isinstance(answer, tuple)
        ended, said = answer
        assert isinstance(said, bytes)
        return bool(ended), said


def _pair(value: wire.Value) -> tuple[wire.Value, wire.Value]:
    if not isinstance(value, tuple) or len(value) != 2:
        raise wire.WireError("a rank sent a message that is not its result")
    return value[0], value[1]


def _answer(question: wire.Value, arguments: tuple[Any, ...], named: _Named) -> bytes:
    """Call a function that a rank was given, and return the answer to the rank."""
    match question:
        case (int() as place, list() as own, dict() as by_name) if 0 <= place < len(arguments):
            function = arguments[place]
        case (str() as name, list() as own, dict() as by_name) if name in named:
            function = named[name]
        case _:
            raise wire.WireError("a rank sent a message that is not a question")
    try:
        if (unknown := values.find_opaque(question)) is not None:
            raise TypeError(f"a message holds numbers and arrays, not a {unknown.type_name}")  # noqa: TRY301  as below
        result = values.to_wire(function(*values.from_wire(own), **values.from_wire(by_name)), limit=RANK_BYTES)
    except Exception as error:
        return wire.encode((type(error).__name__, str(error)))
    return wire.encode((None, result))


def _with_layout(value: Any) -> Any:
    """Return a value to be sent such that its arrays keep the order of their axes."""
    kind = type(value)
    if kind is values.array_type():
        return Arg(value, Layout.F) if value.copy(order="K").flags.fnc else value
    if kind is tuple or kind is list:
        return kind(map(_with_layout, value))
    return {key: _with_layout(item) for key, item in value.items()} if kind is dict else value


# -- in the process of a rank ------------------------------------------------------------------------------------------


def serve(channel: Channel) -> Callable[[Any, bytes], bytes]:
    """Return the `drive` of the process of a rank. It takes a call as bytes, and returns the result as bytes."""

    def drive(candidate: Any, request: bytes) -> bytes:
        ((place, arguments, named, places, names),) = frames.built([wire.decode(request)], b"\0")
        before = _state(arguments, named)
        given = [_asking(channel, at) if at in places else value for at, value in enumerate(arguments)]
        by_name = {name: _asking(channel, name) if name in names else value for name, value in named.items()}
        entry = candidate[place] if type(candidate) is tuple else candidate
        result = values.to_wire(collectives.plain(entry(*given, **by_name)), limit=RANK_BYTES)
        after = _state(arguments, named)
        return wire.encode((result, None if after == before else wire.Encoded(after)))

    return drive


def _state(arguments: list[Any], named: dict[str, Any]) -> bytes:
    return values.encode((arguments, named), limit=RANK_BYTES)


def _asking(channel: Channel, which: int | str) -> Callable[..., Any]:
    """Return what a rank gets in place of a function of the scenario."""

    def collective(*arguments: Any, **named: Any) -> Any:
        own = [collectives.plain(value) for value in arguments]
        by_name = {name: collectives.plain(value) for name, value in named.items()}
        try:
            question = wire.encode(values.to_wire((which, own, by_name), limit=RANK_BYTES))
        except values.OversizedError as error:
            raise ValueError(f"a message is too large: {error}") from None
        channel.send(FrameKind.ASKED, question, 2 * RANK_BYTES)
        answer = channel.await_answer()
        assert isinstance(answer, bytes)
        failed, result = values.from_wire(wire.decode(answer, max_items=len(answer)))
        if failed is None:
            return result
        kind = getattr(builtins, failed, RuntimeError)
        raise (kind if isinstance(kind, type) and issubclass(kind, Exception) else RuntimeError)(result)

    return collective
