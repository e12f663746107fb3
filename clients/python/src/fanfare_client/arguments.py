"""Conversions of arguments. Each accepts the forms that Python has for a value, and raises TypeError for others."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta, timezone
from enum import Enum
from typing import SupportsIndex
from uuid import UUID

from .json_text import RawJSON

Text = str | UUID | Enum
"""A name or an id: text, a UUID, or an enumeration member with such a value."""

Seconds = float | timedelta
"""A length of time: seconds, or a timedelta."""

Time = datetime | str | float
"""A time: a datetime with a time zone, RFC 3339 text, or epoch seconds."""


def text(value: object, name: str) -> str:
    """Returns the value as text."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, str):
        return str.__str__(value)
    raise TypeError(f"{name} is text, not {type(value).__name__}")


def texts(values: Iterable[object], name: str) -> list[str]:
    """Returns several texts. Raises TypeError for a single text, because its characters would count as texts."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} are several texts, not {type(values).__name__}")
    return [text(value, f"one of {name}") for value in values]


def integer(value: object, name: str) -> int:
    """Returns a whole number: any value that Python can index by, except a bool."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise TypeError(f"{name} is a whole number, not {type(value).__name__}")
    return operator.index(value)


def seconds(value: object, name: str) -> float:
    """Returns a length of time in seconds."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} is seconds or a timedelta, not {type(value).__name__}")
    return float(value)


def whole_seconds(value: object, name: str) -> int:
    """Returns a length of time in whole seconds. Raises ValueError for fractions."""
    length = seconds(value, name)
    if not length.is_integer():
        raise ValueError(f"{name} is whole seconds, not {length}")
    return int(length)


def instant(value: object, name: str) -> str | datetime:
    """Returns a time. Epoch seconds become a datetime."""
    if isinstance(value, (str, datetime)):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} is a datetime, text after RFC 3339 or epoch seconds, not {type(value).__name__}")
    return datetime.fromtimestamp(value, timezone.utc)


def flag(value: object, name: str) -> bool:
    """Returns True or False. Raises TypeError for other values, because Python considers even the text "false" true."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} is True or False, not {type(value).__name__}")
    return value


def members(value: object, name: str) -> object:
    """Returns the members of an object: a mapping or RawJSON."""
    if not isinstance(value, (Mapping, RawJSON)):
        raise TypeError(f"{name} is a mapping or RawJSON, not {type(value).__name__}")
    return value


_FORMS: dict[Callable[[object, str], object], tuple[str, ...]] = {
    text: (
        "activity_id", "external_id", "insider_id", "schedule_id", "activity_type", "segment", "event", "state", "name",
        "devices", "url",
    ),
    integer: ("sequence",),
    whole_seconds: ("offset", "older_than"),
    instant: ("ends_at", "deliver_at"),
    flag: ("stream", "audit", "enabled", "all"),
    members: ("content", "options"),
}

_FORM_OF = {name: form for form, names in _FORMS.items() for name in names}


def body_member(name: str, value: object) -> object:
    """Returns the member of a body in the form that its name requires. Raises TypeError and ValueError."""
    form = _FORM_OF.get(name)
    return value if form is None else form(value, name)


def query_value(name: str, value: object) -> str:
    """Returns the value of a query parameter. Raises TypeError."""
    if isinstance(value, (str, UUID, Enum)):
        return text(value, name)
    return str(integer(value, name))
