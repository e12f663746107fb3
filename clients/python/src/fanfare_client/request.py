"""Requests as values: what is sent, how its reply is read, and what a repetition of it means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import quote, urlencode

from .arguments import Seconds, Text, body_member, flag, query_value, seconds, text
from .json_text import encode_json
from .replies.reading import Meta, Reply, read_reply

T = TypeVar("T")
R = TypeVar("R", bound=Reply)

ACTIVITIES = "/api/v1/live-activity"


@dataclass(frozen=True)
class Request:
    """What is sent: the same bytes on every attempt, so that an idempotency key stands for one body."""

    method: str
    """The HTTP method."""
    target: str
    """Path and query, escaped."""
    body: bytes | None = None
    """All of the body; None for none, or for one that is streamed beside it."""
    content_type: str | None = None
    """Of the body."""
    prefers_async: bool = False
    """Answer 202 at once."""
    idempotency_key: str | None = None
    """What names the request over its attempts."""


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request, and what to make of its reply."""

    request: Request
    """What is sent."""
    read: Callable[[Mapping[str, object], Meta], T]
    """Reads a success. Raises UnexpectedReply."""
    is_keyed: bool = False
    """Whether it makes or sends something, so that it goes out with an idempotency key and never without."""
    sync_patience: float = 0.0
    """For how many seconds 409 `DEVICE_NOT_SYNCED` is tried again."""
    absent: Callable[[Meta], T] | None = None
    """Of a deletion: its result where a repetition finds nothing, because the attempt before had done it unheard."""


def get(reply: type[R], path: str, **query: object) -> Call[R]:
    """A GET; parameters that are None are left out."""
    return Call(Request("GET", path + _query(query)), _reader(reply))


def send(
    reply: type[R],
    method: str,
    path: str,
    body: Mapping[str, object] | None,
    *,
    keyed: bool = False,
    key: Text | None = None,
    prefers_async: bool = False,
    sync_patience: Seconds | None = None,
) -> Call[R]:
    """A request with a JSON body, or with none; members that are None are left out.

    Raises TypeError and ValueError for what JSON cannot say, and ValueError for a key that is not 1 to 255 visible
    ASCII characters.
    """
    given = None if body is None else {k: body_member(k, v) for k, v in body.items() if v is not None}
    encoded = None if given is None else encode_json(given)
    media = None if encoded is None else "application/json"
    request = Request(method, path, encoded, media, flag(prefers_async, "respond_async"), _key(key))
    patience = 0.0 if sync_patience is None else seconds(sync_patience, "wait_for_sync")
    return Call(request, _reader(reply), keyed, patience)


def delete(reply: type[R], path: str, absent: Callable[[Meta], R] | None = None) -> Call[R]:
    """A DELETE without a body."""
    return Call(Request("DELETE", path), _reader(reply), absent=absent)


def upload(reply: type[R], method: str, path: str, *, keyed: bool = False, key: Text | None = None) -> Call[R]:
    """A request whose body is a list of users, which is streamed beside it. Raises ValueError as `send` does."""
    request = Request(method, path, content_type="application/x-ndjson", idempotency_key=_key(key))
    return Call(request, _reader(reply), keyed)


def segment_of_path(name: Text) -> str:
    """The name as one segment of a path. Raises ValueError for one that cannot be, TypeError for what is no text."""
    given = text(name, "a name or id")
    if given in ("", ".", ".."):
        raise ValueError(f"{given!r} names nothing")
    return quote(given, safe="~:")


def _key(key: Text | None) -> str | None:
    if key is None:
        return None
    given = text(key, "an idempotency key")
    if not (1 <= len(given) <= 255 and all("!" <= c <= "~" for c in given)):
        raise ValueError("an idempotency key has 1 to 255 visible ASCII characters")
    return given


def _reader(reply: type[R]) -> Callable[[Mapping[str, object], Meta], R]:
    return lambda body, meta: read_reply(reply, body, meta)


def _query(parameters: Mapping[str, object]) -> str:
    given = {name: query_value(name, value) for name, value in parameters.items() if value is not None}
    return "?" + urlencode(given, quote_via=quote) if given else ""
