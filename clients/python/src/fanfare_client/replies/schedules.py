"""Replies about schedules: a start, update or end that is carried out at a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .reading import Reply


@dataclass(frozen=True, kw_only=True)
class Scheduled(Reply):
    """A schedule that was made."""

    schedule_id: str
    """Names the schedule."""
    deliver_at: datetime
    """When it is carried out."""


@dataclass(frozen=True, kw_only=True)
class CanceledSchedules(Reply):
    """What a cancellation dropped."""

    canceled: int
    """Schedules that were dropped."""
    narrowed: int = 0
    """Schedules that lost some of their devices."""


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """A schedule of an activity."""

    schedule_id: str
    """Names the schedule."""
    event: str
    """`start`, `update` or `end`."""
    state: str
    """`pending`, `done`, `failed` (refused, see `reason`) or `expired` (later than it may be)."""
    deliver_at: datetime
    """When it is due."""
    created_at: datetime
    """When it was asked for."""
    name: str | None = None
    """As given."""
    finished_at: datetime | None = None
    """When it ended."""
    broadcast_id: str | None = None
    """The broadcast that came of it."""
    reason: str | None = None
    """The code of the refusal."""


@dataclass(frozen=True, kw_only=True)
class ScheduleList(Reply):
    """The schedules of an activity."""

    activity_id: str
    """The activity."""
    schedules: tuple[Schedule, ...]
    """Those that wait, and what came of the others."""
    user_schedules: int = 0
    """How many schedules of users' apps wait."""
