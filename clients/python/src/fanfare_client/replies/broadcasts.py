"""Replies about broadcasts: the delivery of a start, update or end to its devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from .reading import Reply

FINAL_STATES = frozenset({"done", "superseded", "failed"})
"""The final states of a broadcast. `queued`, `running` and `paused` are unfinished."""


@dataclass(frozen=True, kw_only=True)
class CohortCounts:
    """The pushes to one kind of destination."""

    devices: int
    """The addressed devices."""
    accepted: int
    """The pushes that the provider accepted."""


@dataclass(frozen=True, kw_only=True)
class BroadcastReply(Reply):
    """The outcome of a start, update, end or restart. Interim if `meta.status` is 202."""

    sessions_triggered: int
    """Pushes that the provider accepted."""
    broadcast_id: str | None = None
    """The broadcast's id. Absent if nothing was to be sent."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """The skipped devices by reason."""
    failed: Mapping[str, int] = field(default_factory=dict)
    """The failed pushes by the provider's reason."""
    cohorts: Mapping[str, CohortCounts] = field(default_factory=dict)
    """The counts by kind of destination, if there are several."""
    warnings: tuple[str, ...] = ()
    """`WRONG_ENVIRONMENT`, and for an update also `UPDATE_BUDGET`."""

    @property
    def is_complete(self) -> bool:
        """True if the counts are final. Otherwise `wait` returns the final counts."""
        return self.meta.status != 202


@dataclass(frozen=True, kw_only=True)
class UpdateReply(BroadcastReply):
    """The outcome of an update."""

    updates_this_hour: int | None = None
    """The activity's pushed updates in the running hour."""
    unchanged: bool = False
    """True with `skip_unchanged` if the whole segment was sent the same before."""


@dataclass(frozen=True, kw_only=True)
class BroadcastSummary:
    """A broadcast of an activity."""

    broadcast_id: str
    """The broadcast's id."""
    kind: str
    """`start`, `update` or `end`."""
    state: str
    """`queued`, `running`, `paused`, `done`, `superseded` or `failed`."""
    total: int
    """Devices addressed."""
    accepted: int
    """Pushes that the provider accepted."""
    created_at: datetime
    """The time at which the gateway recorded it."""
    reason: str | None = None
    """The reason for the pause."""
    paused_since: datetime | None = None
    """The start of the pause."""
    started_at: datetime | None = None
    """The time at which a gateway began to send."""
    first_push_at: datetime | None = None
    """The time of the first push."""
    last_push_at: datetime | None = None
    """The time of the last push."""
    finished_at: datetime | None = None
    """The time of the last outcome."""

    @property
    def is_final(self) -> bool:
        """True if it has ended. Only the counts show whether the provider accepted all pushes."""
        return self.state in FINAL_STATES or self.finished_at is not None


@dataclass(frozen=True, kw_only=True)
class Broadcast(BroadcastSummary, Reply):
    """A broadcast with its counts."""

    activity_id: str
    """The broadcast's activity."""
    failed: Mapping[str, int] = field(default_factory=dict)
    """The failed pushes by the provider's reason."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """The skipped devices by reason."""
    cohorts: Mapping[str, CohortCounts] = field(default_factory=dict)
    """The counts by kind of destination, if there are several."""
    warnings: tuple[str, ...] = ()
    """`WRONG_ENVIRONMENT` if the provider refused many tokens as those of another environment."""
    pushes_per_second: float | None = None
    """The average from the start to now, or to the end."""

    @property
    def settled(self) -> int:
        """The devices of `total` with an outcome: accepted, failed or skipped."""
        return self.accepted + sum(self.failed.values()) + sum(self.skipped.values())
