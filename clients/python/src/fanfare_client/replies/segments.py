"""Replies about stored segments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .reading import Reply


@dataclass(frozen=True, kw_only=True)
class SegmentSummary:
    """A stored segment."""

    name: str
    """The segment's name."""
    users: int
    """The number of users."""
    updated_at: datetime
    """The time of the last change."""


@dataclass(frozen=True, kw_only=True)
class Segment(SegmentSummary, Reply):
    """A stored segment, as a reply."""


@dataclass(frozen=True, kw_only=True)
class GrownSegment(Segment):
    """A stored segment after an addition of users."""

    added_users: int
    """The number of new users."""


@dataclass(frozen=True, kw_only=True)
class ShrunkSegment(Segment):
    """A stored segment after a removal of users."""

    removed_users: int
    """The number of removed users."""


@dataclass(frozen=True, kw_only=True)
class SegmentPage(Reply):
    """A page of stored segments, by name."""

    segments: tuple[SegmentSummary, ...]
    """The segments, by name."""
    cursor: str | None = None
    """The cursor of the next page. Absent on the last page."""
