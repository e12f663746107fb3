"""Replies about stored segments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .reading import Reply


@dataclass(frozen=True, kw_only=True)
class SegmentSummary:
    """A stored segment."""

    name: str
    """Its name."""
    users: int
    """Users in it."""
    updated_at: datetime
    """When it last changed."""


@dataclass(frozen=True, kw_only=True)
class Segment(SegmentSummary, Reply):
    """A stored segment, as a reply."""


@dataclass(frozen=True, kw_only=True)
class GrownSegment(Segment):
    """A stored segment that users were added to."""

    added_users: int
    """Users that were not in it before."""


@dataclass(frozen=True, kw_only=True)
class ShrunkSegment(Segment):
    """A stored segment that users were removed from."""

    removed_users: int
    """Users that were in it and are not any more."""


@dataclass(frozen=True, kw_only=True)
class SegmentPage(Reply):
    """A page of stored segments, by name."""

    segments: tuple[SegmentSummary, ...]
    """By name."""
    cursor: str | None = None
    """For the next page; absent at the end."""
