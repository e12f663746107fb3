"""Replies about events and the webhooks that they are sent to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from .reading import Reply


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened."""

    id: str
    """The same for every repetition of the event."""
    type: str
    """Such as `push.live_activity_started`, `broadcast.finished` or `webhook.test`."""
    timestamp: datetime
    """When it happened."""
    data: Mapping[str, object] = field(default_factory=dict)
    """What there is to say of it, by its type."""


@dataclass(frozen=True, kw_only=True)
class EventPage(Reply):
    """A page of the stream of events, the oldest first."""

    events: tuple[Event, ...]
    """The oldest first."""
    cursor: str
    """Where to go on, also when there is nothing yet."""


@dataclass(frozen=True, kw_only=True)
class EventSettings(Reply):
    """What is recorded in the stream of events."""

    stream: bool
    """Whether events are recorded in the stream."""
    audit: bool
    """Whether changes are events as well."""
    stream_length: int = 0
    """How many events the stream keeps, about."""


@dataclass(frozen=True, kw_only=True)
class WebhookSummary:
    """A receiver of events."""

    id: str
    """Names the webhook."""
    url: str
    """Where events are sent."""
    enabled: bool
    """Whether they are."""
    created_at: datetime
    """When it was made."""
    types: tuple[str, ...] = ()
    """Only these are sent; empty for all."""
    disabled_reason: str | None = None
    """Why it was switched off, when not by its owner."""
    old_secret_until: datetime | None = None
    """Until when secrets that were replaced sign as well."""
    delivered: int = 0
    """Events that it has taken."""
    failed_attempts: int = 0
    """Tries that failed, ever."""
    failures_in_a_row: int = 0
    """Tries that failed since the last one that did not."""
    dropped: int = 0
    """Dead letters that are gone because there were too many."""
    last_delivery_at: datetime | None = None
    """When it last took an event."""
    last_failure_at: datetime | None = None
    """When a try last failed."""
    last_error: str | None = None
    """Why that was."""


@dataclass(frozen=True, kw_only=True)
class Webhook(WebhookSummary, Reply):
    """A webhook, and what waits for it."""

    pending: int = 0
    """Events that wait for it."""
    dead_letters: int = 0
    """Events that were given up."""


@dataclass(frozen=True, kw_only=True)
class CreatedWebhook(Webhook):
    """A webhook that was made."""

    secret: str = field(repr=False)
    """What its deliveries are signed with. It is shown this once."""


@dataclass(frozen=True, kw_only=True)
class WebhookList(Reply):
    """All webhooks."""

    webhooks: tuple[WebhookSummary, ...]
    """All of them."""


@dataclass(frozen=True, kw_only=True)
class RotatedSecret(Reply):
    """A webhook's fresh secret. Deliveries are signed with the old one as well for a day."""

    secret: str = field(repr=False)
    """It is shown this once."""
    old_secret_until: datetime
    """Until when the old one signs as well."""


@dataclass(frozen=True, kw_only=True)
class WebhookTest(Reply):
    """An event that is sent to try a receiver."""

    event_id: str
    """The `id` of the event that is sent."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """A try to deliver an event."""

    event_id: str
    """The event."""
    type: str
    """The event's type."""
    attempt: int
    """Which try of the event it was."""
    at: datetime
    """When it began."""
    duration_ms: int
    """How long it took, in milliseconds."""
    delivered: bool
    """Whether the receiver took the event."""
    status: int | None = None
    """What the receiver answered with; absent when nothing came."""
    failure: str | None = None
    """Why it failed, in a word."""
    error: str | None = None
    """Why it failed, in a sentence."""
    answer: str | None = None
    """The beginning of the answer's body."""


@dataclass(frozen=True, kw_only=True)
class AttemptList(Reply):
    """The newest tries of the last day."""

    attempts: tuple[Attempt, ...]
    """The newest first."""


@dataclass(frozen=True, kw_only=True)
class DeadLetter(Event):
    """An event that was given up."""

    died_at: datetime
    """When it was given up."""
    attempts: int
    """How often it was tried."""
    last_error: str | None = None
    """Why the last try failed."""


@dataclass(frozen=True, kw_only=True)
class DeadLetterPage(Reply):
    """A page of dead letters."""

    dead_letters: tuple[DeadLetter, ...]
    """Those of this page."""
    cursor: str | None = None
    """For the next page; absent at the end."""


@dataclass(frozen=True, kw_only=True)
class Resent(Reply):
    """Dead letters that are sent again."""

    resent: int
    """How many."""
