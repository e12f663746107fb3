"""A parser of server-sent events (WHATWG HTML, section 9.2). Pure: bytes in, events out."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import UnexpectedReply


@dataclass(frozen=True)
class ServerSentEvent:
    """An event of a stream."""

    event: str
    """The event's type; `message` if the stream has none."""
    data: str
    """The data lines, joined by line feeds."""
    id: str
    """The stream's latest id; empty for none."""


class EventParser:
    """Parses a stream in chunks of any size. Lines end with CR, LF or both. Skips comments.

    Raises UnexpectedReply for an event of more than `limit` bytes, and for invalid UTF-8.
    """

    def __init__(self, limit: int = 1 << 20) -> None:
        self.last_id = ""
        """The value to send as `Last-Event-ID` when reopening the stream."""
        self.retry: float | None = None
        """The seconds that the stream requests before it is reopened."""
        self._limit = limit
        self._rest = b""
        self._ended_with_cr = False
        self._is_first = True
        self._size = 0
        self._event = ""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> list[ServerSentEvent]:
        """Returns the events that this chunk completes."""
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
