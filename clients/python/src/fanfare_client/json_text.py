"""The client's JSON encoding. It is strict, and keeps the caller's exact text (`RawJSON`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from enum import Enum
from typing import NoReturn
from uuid import UUID


@dataclass(frozen=True)
class RawJSON:
    """JSON text that is sent unchanged, with its number formats, key order, escapes and white space.

    The gateway forwards content byte for byte, and the client does so with RawJSON.
    Raises ValueError if the text is not JSON.
    """

    text: str
    """A JSON value."""

    def __post_init__(self) -> None:
        json.loads(self.text, parse_constant=_refuse_constant)


def encode_json(value: object) -> bytes:
    """Returns the value as UTF-8 JSON without extra white space.

    Accepts mappings with text keys, sequences, text, numbers, booleans, None and RawJSON. Also accepts Decimal (with
    its digits), datetime (as RFC 3339), UUID (as text) and members of enumerations (as their values).

    Raises TypeError for other types. Raises ValueError for NaN, infinity, lone surrogates and a datetime without a
    time zone.
    """
    return _text(value).encode("utf-8")


def rfc3339(time: datetime) -> str:
    """Returns the time in UTC, with microseconds if it has any. Raises ValueError without a time zone."""
    if time.tzinfo is None or time.utcoffset() is None:
        raise ValueError("a datetime needs a time zone, such as datetime.now(timezone.utc)")
    return time.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def _text(value: object) -> str:
    if isinstance(value, RawJSON):
        return value.text
    if isinstance(value, Enum):
        return _text(value.value)
    if isinstance(value, UUID):
        return json.dumps(str(value))
    if isinstance(value, datetime):
        return json.dumps(rfc3339(value))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"JSON has no number {value}")
        return str(value)
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_key(key)}:{_text(member)}" for key, member in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        return "[" + ",".join(_text(element) for element in value) + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a key of a JSON object is text, not {type(key).__name__}")
    return json.dumps(key, ensure_ascii=False)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"JSON has no number {name}")
