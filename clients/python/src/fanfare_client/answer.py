"""Reads answers: a success, or a refusal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

from .device_key import DeviceKey
from .errors import Refusal, UnexpectedReply
from .replies.reading import Meta, RateLimit


@dataclass(frozen=True)
class Answer:
    """An answer as received."""

    status: int
    """The HTTP status."""
    headers: Mapping[str, str]
    """The headers, with names in lower case."""
    body: bytes
    """The whole body."""

    @property
    def is_success(self) -> bool:
        """True if the gateway accepted the request."""
        return 200 <= self.status < 300

    @property
    def request_id(self) -> str:
        """The request's id in the gateway's log. Empty if a proxy answered."""
        return self.headers.get("x-request-id", "")

    def meta(self) -> Meta:
        """Returns the data in the head."""
        return Meta(
            status=self.status,
            request_id=self.request_id,
            replayed=self.headers.get("idempotent-replayed") == "true",
            rate_limit=self._rate_limit(),
        )

    def success(self) -> Mapping[str, object]:
        """Returns the body of a success. Raises UnexpectedReply if it is not a JSON object."""
        members = self._members()
        if members is None:
            raise UnexpectedReply(f"the body of a {self.status} is no JSON object (request {self.request_id})")
        return members

    def refusal(self) -> Refusal:
        """Returns the refusal. If a proxy answered, its code is `HTTP_` and the status."""
        members = self._members() or {}
        code, message = members.get("code"), members.get("error")
        retry_after = _seconds(self.headers.get("retry-after"))
        if retry_after is None:
            retry_after = _seconds_until(self.headers.get("retry-after"), self.headers.get("date"))
        if retry_after is None:
            retry_after = _seconds(members.get("retry_after"))
        return Refusal(
            status=self.status,
            code=code if isinstance(code, str) else f"HTTP_{self.status}",
            message=message if isinstance(message, str) else "an answer that is not the gateway's",
            request_id=self.request_id,
            retry_after=retry_after,
            skipped=_counts(members.get("skipped")),
            gdpr_denied_details=_devices(members.get("gdpr_denied_details")),
            quota=_text(members.get("quota")),
            required_tier=_text(members.get("required_tier")),
        )

    def _members(self) -> Mapping[str, object] | None:
        try:
            value = json.loads(self.body)
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    def _rate_limit(self) -> RateLimit | None:
        try:
            limit, remaining, reset = (
                int(self.headers[f"x-ratelimit-{name}"]) for name in ("limit", "remaining", "reset")
            )
        except (KeyError, ValueError):
            return None
        return RateLimit(limit, remaining, reset)


def _seconds(value: object) -> float | None:
    """Returns seconds to wait, or None for an invalid value."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        seconds = float(value)
    except (ValueError, OverflowError):
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _seconds_until(date: str | None, now: str | None) -> float | None:
    """Returns the seconds until an HTTP date (RFC 9110, section 10.2.3), or 0 for a past one.

    Counts from the date of the answer, because this machine's clock may differ from that of the server.
    """
    until, since = _time(date), _time(now)
    if until is None:
        return None
    return max(0.0, (until - (since or datetime.now(timezone.utc))).total_seconds())


def _time(date: str | None) -> datetime | None:
    try:
        time = parsedate_to_datetime(date or "")
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return time.replace(tzinfo=timezone.utc) if time.tzinfo is None else time


def _counts(value: object) -> Mapping[str, int]:
    if not isinstance(value, dict):
        return {}
    return {name: count for name, count in value.items() if type(count) is int}


def _devices(value: object) -> tuple[DeviceKey, ...]:
    if not isinstance(value, list):
        return ()
    pairs = ((d.get("insider_id"), d.get("udid")) for d in value if isinstance(d, dict))
    return tuple(DeviceKey(i, u) for i, u in pairs if isinstance(i, str) and isinstance(u, str))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
