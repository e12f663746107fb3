"""Replies about topics and their followers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .activities import DeviceCounts
from .broadcasts import BroadcastSummary
from .reading import Reply


@dataclass(frozen=True, kw_only=True)
class TopicSummary:
    """A topic in a listing."""

    topic: str
    """The topic's name."""
    activity_type: str
    """The type of its Live Activities."""
    state: str
    """`upcoming`, `live` or `ended`."""
    created_at: datetime
    """The time of creation."""
    changed_at: datetime
    """The time of the last change."""
    name: str | None = None
    """The customer's label for people."""
    sequence: int | None = None
    """The customer's number of the newest content."""
    activity_id: str | None = None
    """The last activity, readable like any other."""
    ended_by: str | None = None
    """The reason for an automatic end: `expired` or `lifetime`."""
    ends_at: datetime | None = None
    """The scheduled end of the activity."""
    live_since: datetime | None = None
    """The start of the last live phase."""


@dataclass(frozen=True, kw_only=True)
class TopicPage(Reply):
    """A page of topics, by name."""

    topics: tuple[TopicSummary, ...]
    """The topics, by name."""
    cursor: str | None = None
    """The cursor of the next page. Absent on the last page."""


@dataclass(frozen=True, kw_only=True)
class PutTopic(TopicSummary, Reply):
    """A topic after `put_topic`."""

    unchanged: bool = False
    """True if nothing changed. The gateway then pushes nothing."""


@dataclass(frozen=True, kw_only=True)
class FollowerCounts:
    """The numbers of users by their choice. A user who follows in an app and is on the list counts twice."""

    app: int = 0
    """Users who follow in an app."""
    customer: int = 0
    """Users on the customer's list."""
    unfollowed: int = 0
    """Users who have unfollowed."""
    queued: int = 0
    """Followers whose Live Activity is about to start or end."""


@dataclass(frozen=True, kw_only=True)
class Topic(TopicSummary, Reply):
    """A topic with its followers and the numbers of its activity."""

    followers: FollowerCounts
    """The numbers of followers."""
    work: str = "none"
    """The remaining work: `none`, `waiting`, `starting`, `updating`, `following` or `ending`."""
    counts: DeviceCounts | None = None
    """The numbers of its activity's devices by state."""
    broadcasts: tuple[BroadcastSummary, ...] = ()
    """The latest broadcasts of its activity."""


@dataclass(frozen=True, kw_only=True)
class Follower:
    """A follower of a topic."""

    insider_id: str
    """The user."""
    source: str
    """`app` or `customer`."""


@dataclass(frozen=True, kw_only=True)
class FollowerPage(Reply):
    """A page of followers, in no order."""

    followers: tuple[Follower, ...]
    """The followers, in no order."""
    cursor: str | None = None
    """The cursor of the next page. Absent on the last page."""


@dataclass(frozen=True, kw_only=True)
class FollowerList(Reply):
    """The customer's list of followers of a topic."""

    topic: str
    """The topic's name."""
    users: int
    """The number of users on the list."""


@dataclass(frozen=True, kw_only=True)
class GrownFollowerList(FollowerList):
    """A list of followers after an addition of users."""

    added_users: int
    """The number of new users."""


@dataclass(frozen=True, kw_only=True)
class ShrunkFollowerList(FollowerList):
    """A list of followers after a removal of users."""

    removed_users: int
    """The number of removed users."""
