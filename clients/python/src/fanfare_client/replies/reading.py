"""Reads JSON into the frozen dataclasses of this folder.

The client skips unknown members and so reads the replies of newer gateways. An optional member may be null. States and
similar words stay text, because later gateways may add some.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Hashable, Mapping
from dataclasses import MISSING, dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar

from ..device_key import DeviceKey
from ..errors import UnexpectedReply

T = TypeVar("T")


@dataclass(frozen=True)
class RateLimit:
    """The key's rate limit, shared by all gateways."""

    limit: int
    """The maximum number of requests a minute."""
    remaining: int
    """The number of requests left."""
    reset: int
    """The epoch second at which the oldest request leaves the minute."""


@dataclass(frozen=True)
class Meta:
    """The data in a reply's head."""

    status: int
    """The HTTP status: 202 if the work continues, otherwise 200 or 201."""
    request_id: str
    """The request's id in the gateway's log."""
    replayed: bool
    """True if it repeats the answer to an earlier request with the same idempotency key."""
    rate_limit: RateLimit | None
    """The rate limit. None if a proxy removed the headers."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The base class of replies. Equality ignores `meta`."""

    meta: Meta = field(compare=False, repr=False)
    """The data in the reply's head."""


def read_reply(cls: type[T], body: Mapping[str, object], meta: Meta) -> T:
    """Returns the body as a `Reply` of this class. Raises UnexpectedReply, which names the invalid member."""
    return _object(cls, body, cls.__name__, meta)


def read_value(cls: type[T], value: object) -> T:
    """Returns the value as a dataclass other than a reply. Raises UnexpectedReply, which names the invalid member."""
    return typing.cast(T, _value(cls, value, cls.__name__))


def read_time(text: str) -> datetime:
    """Returns an RFC 3339 time. Raises ValueError for other text."""
    body, fraction, rest = text, "", ""
    if "." in text:
        body, _, tail = text.partition(".")
        digits = len(tail) - len(tail.lstrip("0123456789"))
        fraction, rest = tail[:digits], tail[digits:]
        body = f"{body}.{fraction[:6].ljust(6, '0')}{rest}"
    time = datetime.fromisoformat(body[:-1] + "+00:00" if body[-1:] in ("Z", "z") else body)
    if time.tzinfo is None:
        raise ValueError("the time has no zone")
    return time


@lru_cache(maxsize=256)
def _fields(cls: Hashable) -> tuple[tuple[str, Any, bool], ...]:
    """Returns each field's name and type, and whether it is optional."""
    hints = typing.get_type_hints(cls)
    return tuple(
        (f.name, hints[f.name], f.default is not MISSING or f.default_factory is not MISSING)
        for f in dataclasses.fields(typing.cast(Any, cls))
    )


def _object(cls: type[T], value: object, where: str, meta: Meta | None = None) -> T:
    if not isinstance(value, Mapping):
        raise UnexpectedReply(f"{where} is no object")
    given: dict[str, Any] = {}
    for name, hint, is_optional in _fields(typing.cast(Hashable, cls)):
        if name == "meta":
            given[name] = meta
        elif value.get(name) is not None:
            given[name] = _value(hint, value[name], f"{where}.{name}")
        elif not is_optional:
            raise UnexpectedReply(f"{where} lacks {name}")
    return cls(**given)


def _value(hint: Any, value: object, where: str) -> object:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _value(next(a for a in arguments if a is not type(None)), value, where)
    if origin is tuple and isinstance(value, list):
        return tuple(_value(arguments[0], element, f"{where}[{i}]") for i, element in enumerate(value))
    if origin is Mapping and isinstance(value, dict):
        return {key: _value(arguments[1], member, f"{where}.{key}") for key, member in value.items()}
    if hint is object:
        return value
    if hint is DeviceKey and isinstance(value, dict):
        return DeviceKey(str(value.get("insider_id", "")), str(value.get("udid", "")))
    if hint is datetime and isinstance(value, str):
        try:
            return read_time(value)
        except ValueError:
            raise UnexpectedReply(f"{where} is no time") from None
    if hint is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise UnexpectedReply(f"{where} is out of range") from None
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _object(hint, value, where)
    if hint in (int, str, bool) and type(value) is hint:
        return value
    raise UnexpectedReply(f"{where} has another type")
