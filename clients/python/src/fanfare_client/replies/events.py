"""Replies about events and webhooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from .reading import Reply


@dataclass(frozen=True, kw_only=True)
class Event:
    """An event."""

    id: str
    """The event's id, equal in every delivery."""
    type: str
    """The event type, for example `broadcast.finished` or `webhook.test`."""
    timestamp: datetime
    """The time of the event."""
    data: Mapping[str, object] = field(default_factory=dict)
    """The event's data. `type` determines its members."""


@dataclass(frozen=True, kw_only=True)
class EventPage(Reply):
    """A page of the event stream, oldest first."""

    events: tuple[Event, ...]
    """The events, oldest first."""
    cursor: str
    """The cursor for the next call, even if the page is empty."""


@dataclass(frozen=True, kw_only=True)
class EventSettings(Reply):
    """The settings of the event stream."""

    stream: bool
    """True if the stream records events."""
    audit: bool
    """True if changes are events."""
    stream_length: int = 0
    """The approximate number of events that the stream keeps."""


@dataclass(frozen=True, kw_only=True)
class WebhookSummary:
    """A receiver of events."""

    id: str
    """The webhook's id."""
    url: str
    """The URL of the receiver."""
    enabled: bool
    """True if the gateway sends events."""
    created_at: datetime
    """The time of creation."""
    types: tuple[str, ...] = ()
    """The event types to send. Empty for all."""
    disabled_reason: str | None = None
    """The reason if the gateway switched it off."""
    old_secret_until: datetime | None = None
    """The time until which replaced secrets sign as well."""
    delivered: int = 0
    """Delivered events."""
    failed_attempts: int = 0
    """All failed attempts."""
    failures_in_a_row: int = 0
    """Failed attempts since the last delivery."""
    dropped: int = 0
    """Dead letters deleted beyond the maximum."""
    last_delivery_at: datetime | None = None
    """The time of the last delivery."""
    last_failure_at: datetime | None = None
    """The time of the last failed attempt."""
    last_error: str | None = None
    """The cause of the last failure."""


@dataclass(frozen=True, kw_only=True)
class Webhook(WebhookSummary, Reply):
    """A webhook with its numbers of pending events and dead letters."""

    pending: int = 0
    """Pending events."""
    dead_letters: int = 0
    """Dead letters."""


@dataclass(frozen=True, kw_only=True)
class CreatedWebhook(Webhook):
    """A new webhook."""

    secret: str = field(repr=False)
    """The secret that signs deliveries. The gateway shows it only once."""


@dataclass(frozen=True, kw_only=True)
class WebhookList(Reply):
    """All webhooks."""

    webhooks: tuple[WebhookSummary, ...]
    """All webhooks."""


@dataclass(frozen=True, kw_only=True)
class RotatedSecret(Reply):
    """A webhook's new secret. The old one signs as well for a day."""

    secret: str = field(repr=False)
    """The new secret. The gateway shows it only once."""
    old_secret_until: datetime
    """The time until which the old secret signs as well."""


@dataclass(frozen=True, kw_only=True)
class WebhookTest(Reply):
    """A test event."""

    event_id: str
    """The event's id."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """An attempt to deliver an event."""

    event_id: str
    """The event's id."""
    type: str
    """The event's type."""
    attempt: int
    """The number of the attempt for this event."""
    at: datetime
    """The start of the attempt."""
    duration_ms: int
    """The duration in milliseconds."""
    delivered: bool
    """True if the receiver accepted the event."""
    status: int | None = None
    """The status of the receiver's answer. Absent without an answer."""
    failure: str | None = None
    """A code for the failure. Absent on success."""
    error: str | None = None
    """The failure in words."""
    answer: str | None = None
    """The start of the answer's body."""


@dataclass(frozen=True, kw_only=True)
class AttemptList(Reply):
    """The latest attempts of the last day."""

    attempts: tuple[Attempt, ...]
    """The attempts, newest first."""


@dataclass(frozen=True, kw_only=True)
class DeadLetter(Event):
    """An event whose delivery the gateway gave up."""

    died_at: datetime
    """The time at which the gateway gave up."""
    attempts: int
    """The number of attempts."""
    last_error: str | None = None
    """The cause of the last failure."""


@dataclass(frozen=True, kw_only=True)
class DeadLetterPage(Reply):
    """A page of dead letters."""

    dead_letters: tuple[DeadLetter, ...]
    """The dead letters of this page."""
    cursor: str | None = None
    """The cursor of the next page. Absent on the last page."""


@dataclass(frozen=True, kw_only=True)
class Resent(Reply):
    """The outcome of resending dead letters."""

    resent: int
    """The number of dead letters to resend."""
