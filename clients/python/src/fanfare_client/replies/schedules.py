"""Replies about schedules: a start, update or end at a given time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .reading import Reply


@dataclass(frozen=True, kw_only=True)
class Scheduled(Reply):
    """A new schedule."""

    schedule_id: str
    """The schedule's id."""
    deliver_at: datetime
    """The due time."""


@dataclass(frozen=True, kw_only=True)
class CanceledSchedules(Reply):
    """The outcome of a cancellation."""

    canceled: int
    """Cancelled schedules."""
    narrowed: int = 0
    """Schedules that lost some of their devices."""


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """A schedule of an activity."""

    schedule_id: str
    """The schedule's id."""
    event: str
    """`start`, `update` or `end`."""
    state: str
    """`pending`, `done`, `failed` (see `reason`), or `expired` (past its maximum delay)."""
    deliver_at: datetime
    """The due time."""
    created_at: datetime
    """The time of creation."""
    name: str | None = None
    """The customer's label for people."""
    finished_at: datetime | None = None
    """The time of its end."""
    broadcast_id: str | None = None
    """The resulting broadcast."""
    reason: str | None = None
    """The error code of the refusal."""


@dataclass(frozen=True, kw_only=True)
class ScheduleList(Reply):
    """The schedules of an activity."""

    activity_id: str
    """The activity's id."""
    schedules: tuple[Schedule, ...]
    """The pending and finished schedules."""
    user_schedules: int = 0
    """The number of pending schedules of users' apps."""
