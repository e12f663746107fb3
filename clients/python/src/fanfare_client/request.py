"""Requests as values: the bytes to send, the reader of the reply, and the rules for repetitions."""

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
    """A request. Every attempt sends the same bytes, because an idempotency key belongs to one body."""

    method: str
    """The HTTP method."""
    target: str
    """Path and query, escaped."""
    body: bytes | None = None
    """The whole body. None without a body, or for a streamed one."""
    content_type: str | None = None
    """The body's `Content-Type`."""
    prefers_async: bool = False
    """Sends `Prefer: respond-async`. The gateway then answers 202 at once."""
    idempotency_key: str | None = None
    """The idempotency key of all attempts."""


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request with the reader of its reply."""

    request: Request
    """The request."""
    read: Callable[[Mapping[str, object], Meta], T]
    """Reads a success. Raises UnexpectedReply."""
    is_keyed: bool = False
    """True if the request always needs an idempotency key, because it creates or sends something."""
    sync_patience: float = 0.0
    """The seconds for which the client retries 409 `DEVICE_NOT_SYNCED`."""
    absent: Callable[[Meta], T] | None = None
    """For a deletion: its result if a repetition gets 404, because an earlier attempt may have deleted the resource."""


def get(reply: type[R], path: str, **query: object) -> Call[R]:
    """Returns a GET. Omits parameters that are None."""
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
    """Returns a request with or without a JSON body. Omits members that are None.

    Raises TypeError and ValueError for values that JSON cannot represent. Raises ValueError for a key that is not 1 to
    255 visible ASCII characters.
    """
    given = None if body is None else {k: body_member(k, v) for k, v in body.items() if v is not None}
    encoded = None if given is None else encode_json(given)
    media = None if encoded is None else "application/json"
    request = Request(method, path, encoded, media, flag(prefers_async, "respond_async"), _key(key))
    patience = 0.0 if sync_patience is None else seconds(sync_patience, "wait_for_sync")
    return Call(request, _reader(reply), keyed, patience)


def delete(reply: type[R], path: str, absent: Callable[[Meta], R] | None = None) -> Call[R]:
    """Returns a DELETE without a body."""
    return Call(Request("DELETE", path), _reader(reply), absent=absent)


def upload(reply: type[R], method: str, path: str, *, keyed: bool = False, key: Text | None = None) -> Call[R]:
    """Returns a request whose body is a streamed list of users. Raises ValueError for an invalid key."""
    request = Request(method, path, content_type="application/x-ndjson", idempotency_key=_key(key))
    return Call(request, _reader(reply), keyed)


def segment_of_path(name: Text) -> str:
    """Returns the name as one segment of a path. Raises ValueError for an invalid name, TypeError for other types."""
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
