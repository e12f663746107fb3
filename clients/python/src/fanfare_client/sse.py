"""Server-sent events, as WHATWG HTML section 9.2 has them. Pure: bytes in, events out."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import UnexpectedReply


@dataclass(frozen=True)
class ServerSentEvent:
    """One event of a stream."""

    event: str
    """Its type; `message` when none was given."""
    data: str
    """Its lines, with line feeds between them."""
    id: str
    """The last id that the stream has given by then; empty for none."""


class EventParser:
    """Takes a stream in pieces of any size. Lines end with CR, LF or both; comments are passed over.

    Raises UnexpectedReply for an event of more than `limit` bytes, and for bytes that are no UTF-8.
    """

    def __init__(self, limit: int = 1 << 20) -> None:
        self.last_id = ""
        """What to send as `Last-Event-ID` when the stream is opened again."""
        self.retry: float | None = None
        """Seconds that the stream asks to wait before it is opened again."""
        self._limit = limit
        self._rest = b""
        self._ended_with_cr = False
        self._is_first = True
        self._size = 0
        self._event = ""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> list[ServerSentEvent]:
        """The events that this piece completes."""
        if self._ended_with_cr and piece:
            self._ended_with_cr = False
            piece = piece.removeprefix(b"\n")
        self._ended_with_cr = piece.endswith(b"\r")
        lines = (self._rest + piece).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = lines.pop()
        events = []
        for line in lines:
            event = self._line(line)
            if event is not None:
                events.append(event)
        if self._size + len(self._rest) > self._limit:
            raise UnexpectedReply(f"an event of the stream has more than {self._limit} bytes")
        return events

    def _line(self, line: bytes) -> ServerSentEvent | None:
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            raise UnexpectedReply("a stream of events is no UTF-8") from None
        if self._is_first:
            self._is_first = False
            text = text.removeprefix("\ufeff")
        if not text:
            return self._dispatch()
        self._size += len(line)
        name, _, value = text.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self.last_id = value
        elif name == "retry" and value.isascii() and value.isdigit() and len(value) <= 9:
            self.retry = int(value) / 1000
        return None

    def _dispatch(self) -> ServerSentEvent | None:
        event, data = self._event or "message", self._data
        self._event, self._data, self._size = "", [], 0
        return ServerSentEvent(event, "\n".join(data), self.last_id) if data else None
