"""Replies about broadcasts: one start, update or end on its way to its devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from .reading import Reply

FINAL_STATES = frozenset({"done", "superseded", "failed"})
"""What a broadcast ends as. `queued`, `running` and `paused` are under way."""


@dataclass(frozen=True, kw_only=True)
class CohortCounts:
    """The pushes to one kind of destination."""

    devices: int
    """How many devices they were for."""
    accepted: int
    """How many pushes the provider accepted."""


@dataclass(frozen=True, kw_only=True)
class BroadcastReply(Reply):
    """What a start, update, end or restart came to: all of it, or with `meta.status` 202 so much of it by then."""

    sessions_triggered: int
    """Pushes that the provider accepted, no more and no less."""
    broadcast_id: str | None = None
    """Names the broadcast. Absent where there was nothing to send."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Devices that were passed over, by reason."""
    failed: Mapping[str, int] = field(default_factory=dict)
    """Pushes that failed, by the provider's reason."""
    cohorts: Mapping[str, CohortCounts] = field(default_factory=dict)
    """By kind of destination, where there is more than one."""
    warnings: tuple[str, ...] = ()
    """`WRONG_ENVIRONMENT`; of an update also `UPDATE_BUDGET`."""

    @property
    def is_complete(self) -> bool:
        """Whether the counts are final. Otherwise `wait` tells when they are."""
        return self.meta.status != 202


@dataclass(frozen=True, kw_only=True)
class UpdateReply(BroadcastReply):
    """What an update came to."""

    updates_this_hour: int | None = None
    """Updates of this activity that were pushed in the running hour."""
    unchanged: bool = False
    """With `skip_unchanged`: it shows what was sent last, and nothing is sent."""


@dataclass(frozen=True, kw_only=True)
class BroadcastSummary:
    """A broadcast of an activity."""

    broadcast_id: str
    """Names the broadcast."""
    kind: str
    """`start`, `update` or `end`."""
    state: str
    """`queued`, `running`, `paused`, `done`, `superseded` or `failed`."""
    total: int
    """Devices addressed."""
    accepted: int
    """Pushes that the provider accepted."""
    created_at: datetime
    """When it was recorded."""
    reason: str | None = None
    """Why it is paused."""
    paused_since: datetime | None = None
    """Since when it is paused."""
    started_at: datetime | None = None
    """When a gateway began to send."""
    first_push_at: datetime | None = None
    """When the first push left for the provider."""
    last_push_at: datetime | None = None
    """When the last one did."""
    finished_at: datetime | None = None
    """When the last outcome was there."""

    @property
    def is_final(self) -> bool:
        """Whether it has ended. `done` does not say that all pushes were accepted: the counts say that."""
        return self.state in FINAL_STATES or self.finished_at is not None


@dataclass(frozen=True, kw_only=True)
class Broadcast(BroadcastSummary, Reply):
    """Where a broadcast stands."""

    activity_id: str
    """The activity that it is of."""
    failed: Mapping[str, int] = field(default_factory=dict)
    """Pushes that failed, by the provider's reason."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Devices that were passed over, by reason."""
    cohorts: Mapping[str, CohortCounts] = field(default_factory=dict)
    """By kind of destination, where there is more than one."""
    warnings: tuple[str, ...] = ()
    """`WRONG_ENVIRONMENT` when many tokens were refused as those of another environment."""
    pushes_per_second: float | None = None
    """From the begin to now, or to the end."""

    @property
    def settled(self) -> int:
        """How many of `total` have an outcome by now: accepted, failed or passed over."""
        return self.accepted + sum(self.failed.values()) + sum(self.skipped.values())
