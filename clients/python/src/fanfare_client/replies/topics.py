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
    """Its name."""
    activity_type: str
    """The type of its Live Activities."""
    state: str
    """`upcoming`, `live` or `ended`."""
    created_at: datetime
    """When it was first heard of."""
    changed_at: datetime
    """When it last changed."""
    name: str | None = None
    """The customer's label for people."""
    sequence: int | None = None
    """The customer's number of the newest content."""
    activity_id: str | None = None
    """The activity that was started last. It is read as any other."""
    ended_by: str | None = None
    """Why it ended without a word of the customer's: `expired`, `lifetime`."""
    ends_at: datetime | None = None
    """When its activity ends by itself."""
    live_since: datetime | None = None
    """When it last went live."""


@dataclass(frozen=True, kw_only=True)
class TopicPage(Reply):
    """A page of topics, by name."""

    topics: tuple[TopicSummary, ...]
    """By name."""
    cursor: str | None = None
    """For the next page; absent at the end."""


@dataclass(frozen=True, kw_only=True)
class PutTopic(TopicSummary, Reply):
    """A topic that was told where it stands."""

    unchanged: bool = False
    """Whether it said nothing new, so that nothing is pushed."""


@dataclass(frozen=True, kw_only=True)
class FollowerCounts:
    """How many users follow. One who has said so by an app and is on the customer's list counts in both."""

    app: int = 0
    """By an app."""
    customer: int = 0
    """By the customer's list."""
    unfollowed: int = 0
    """Who have said by an app that they do not."""
    queued: int = 0
    """The number of followers whose Live Activity is about to be started or ended."""


@dataclass(frozen=True, kw_only=True)
class Topic(TopicSummary, Reply):
    """A topic: where it stands, and what its followers are shown."""

    followers: FollowerCounts
    """How many users follow."""
    work: str = "none"
    """The work that is left to do: `none`, `waiting`, `starting`, `updating`, `following` or `ending`."""
    counts: DeviceCounts | None = None
    """The devices of its activity by state."""
    broadcasts: tuple[BroadcastSummary, ...] = ()
    """The newest broadcasts of its activity."""


@dataclass(frozen=True, kw_only=True)
class Follower:
    """Who follows a topic."""

    insider_id: str
    """The user."""
    source: str
    """`app` or `customer`."""


@dataclass(frozen=True, kw_only=True)
class FollowerPage(Reply):
    """A page of followers, in no order."""

    followers: tuple[Follower, ...]
    """In no order."""
    cursor: str | None = None
    """For the next page; absent at the end."""


@dataclass(frozen=True, kw_only=True)
class FollowerList(Reply):
    """The customer's list of followers of a topic."""

    topic: str
    """The topic."""
    users: int
    """Users on the list now."""


@dataclass(frozen=True, kw_only=True)
class GrownFollowerList(FollowerList):
    """A list of followers that users were added to."""

    added_users: int
    """How many were not on it before."""


@dataclass(frozen=True, kw_only=True)
class ShrunkFollowerList(FollowerList):
    """A list of followers that users were removed from."""

    removed_users: int
    """How many were on it and are not any more."""
