"""What bodies hold, for type checkers: content and options, by the names that the gateway gives them.

They are plain dictionaries. A member that this package does not know yet goes out as it is, and the gateway judges it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, TypedDict

from .json_text import RawJSON

Instant = int | str | datetime
"""Epoch seconds, a time after RFC 3339, or a datetime with a time zone."""

State = Mapping[str, object] | RawJSON
"""What the app decodes; RawJSON goes out byte for byte."""


AlertText = TypedDict("AlertText", {"loc-key": str, "loc-args": list[str]}, total=False)
"""Names a text that the app has in its user's language; `loc-key` is needed."""


class UpdateContent(TypedDict, total=False):
    """What Live Activities show from now on. Without `title` and `message` they change silently."""

    title: str | AlertText
    """Headline of the alert. Give it with `message` or not at all."""
    message: str | AlertText
    """Text of the alert."""
    content_state: State
    """What the app's `ContentState` decodes."""
    attributes: State
    """Of a topic: what a Live Activity begins with. Without effect on an update or end."""


class _FirstContent(TypedDict):
    title: str | AlertText
    message: str | AlertText
    content_state: State


class StartContent(_FirstContent, total=False):
    """What Live Activities show first: an alert's texts, the state, and attributes, which never change."""

    attributes: State
    """What the app's `ActivityAttributes` decode."""


class BroadcastOptions(TypedDict, total=False):
    """How a broadcast is sent and shown."""

    priority: Literal[5, 10]
    """The provider's priority: 10 at once, 5 when it suits the phone."""
    expiration: Instant
    """How long the provider keeps trying."""
    stale_date: Instant
    """When the Live Activity counts as outdated."""
    dismissal_date: Instant
    """When the Live Activity leaves the lock screen once it has ended."""
    relevance_score: float
    """Order among the Live Activities of the app; the highest comes first."""
    sound: str
    """Name of a sound file in the app, or `default`. It needs a `title` or `message`."""


class UpdateOptions(BroadcastOptions, total=False):
    """Of an update."""

    skip_unchanged: bool
    """Send nothing when it shows what was sent last to the whole segment."""


class EndOptions(BroadcastOptions, total=False):
    """Of an end."""

    force: bool
    """End although no device has synced."""


class RestartOptions(BroadcastOptions, total=False):
    """Of a restart."""

    max_starts: int
    """How many starts a device gets in the activity's life."""


class ScheduleOptions(BroadcastOptions, total=False):
    """Of a schedule: as of what it carries out."""

    skip_unchanged: bool
    """Of an update: as there."""
    force: bool
    """Of an end: as there."""
    expire_after: int
    """How late it may be carried out, in seconds."""


class RegisterOptions(TypedDict, total=False):
    """Fixed for the life of an activity."""

    catch_up: bool
    """A device that syncs after an update gets it at once."""
    activity_id_attribute: str
    """Under this key the activity's id is added to `attributes`."""
    min_update_interval: int
    """Seconds between two updates to the whole segment."""
    channel: Literal["auto", "required", "never"]
    """Whether devices follow a broadcast channel of the activity."""
    channel_storage: Literal["newest", "none"]
    """Whether the provider keeps the newest push to the channel for phones that are off."""
    heal: Literal["never", "dead_token", "silent"]
    """Whether devices that have lost their Live Activity are started again."""
    heal_after: int
    """With `heal` `silent`: after how many seconds a device counts as silent."""
    heal_limit: int
    """How many starts a device may get after its first one."""


class TopicOptions(TypedDict, total=False):
    """How what a topic shows is sent."""

    activity_id_attribute: str
    """As of `register`."""
    channel: Literal["auto", "required", "never"]
    """As of `register`."""
    channel_storage: Literal["newest", "none"]
    """As of `register`."""
    priority: Literal[5, 10]
    """Of an update: 10 at once, 5 when it suits the phone."""
    stale_date: Instant
    """When the Live Activity counts as outdated."""
    dismissal_date: Instant
    """When the Live Activity leaves the lock screen once it has ended."""
    relevance_score: float
    """Order among the Live Activities of the app; the highest comes first."""
    sound: str
    """Name of a sound file in the app, or `default`. It needs a `title` or `message`."""
