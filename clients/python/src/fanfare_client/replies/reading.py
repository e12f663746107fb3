"""Reads JSON into the frozen dataclasses of this folder.

A member that the class does not know is passed over, so a client reads the replies of newer gateways. One that may be
left out may be null as well. Words such as states stay text, for later gateways may have more of them.
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
    """How much of the key's rate is left, over all gateways."""

    limit: int
    """Requests that the key may send in a minute."""
    remaining: int
    """How many of them are left now."""
    reset: int
    """Epoch second at which the oldest request leaves the minute."""


@dataclass(frozen=True)
class Meta:
    """What the head of a reply says."""

    status: int
    """The HTTP status: 202 where the work goes on, else 200 or 201."""
    request_id: str
    """Names the request in the gateway's log."""
    replayed: bool
    """Whether it is the answer to an earlier request with the same idempotency key."""
    rate_limit: RateLimit | None
    """Absent where a proxy has taken it away."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What every reply has. Two replies are equal when they say the same, whatever their heads."""

    meta: Meta = field(compare=False, repr=False)
    """What the reply's head says."""


def read_reply(cls: type[T], body: Mapping[str, object], meta: Meta) -> T:
    """The body as a `Reply` of this class. Raises UnexpectedReply, which names the member, when it has another form."""
    return _object(cls, body, cls.__name__, meta)


def read_value(cls: type[T], value: object) -> T:
    """The value as a dataclass that is no reply. Raises UnexpectedReply, which names the member."""
    return typing.cast(T, _value(cls, value, cls.__name__))


def read_time(text: str) -> datetime:
    """A time after RFC 3339. Raises ValueError for anything else."""
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
    """Of each field its name, its type and whether it may be left out."""
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
