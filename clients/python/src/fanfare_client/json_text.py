"""JSON as the client writes it: exact where the caller has exact text, strict everywhere."""

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
    """JSON text that goes out as it is: spelling of numbers, order of keys, escapes and white space.

    The gateway passes content through byte for byte, and so does the client when content is given like this.
    Raises ValueError when the text is not JSON.
    """

    text: str
    """A JSON value."""

    def __post_init__(self) -> None:
        json.loads(self.text, parse_constant=_refuse_constant)


def encode_json(value: object) -> bytes:
    """The value as UTF-8 JSON without superfluous white space.

    Takes mappings with text keys, sequences, text, numbers, booleans, None, Decimal (as it is spelled), datetime (as
    RFC 3339), UUID (as text), members of enumerations (as their values) and RawJSON. Raises TypeError for anything else, ValueError for what JSON cannot say: NaN, infinity, lone
    surrogates, a datetime without a time zone.
    """
    return _text(value).encode("utf-8")


def rfc3339(time: datetime) -> str:
    """The time in UTC, to the microsecond if it has any. Raises ValueError for one without a time zone."""
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
