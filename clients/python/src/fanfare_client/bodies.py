"""The members of bodies, for type checkers: content and options, by their names in the API.

They are plain dictionaries. The client sends unknown members unchanged, and the gateway checks them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, TypedDict

from .json_text import RawJSON

Instant = int | str | datetime
"""Epoch seconds, an RFC 3339 time, or a datetime with a time zone."""

State = Mapping[str, object] | RawJSON
"""An object that the app decodes. RawJSON is sent byte for byte."""


AlertText = TypedDict("AlertText", {"loc-key": str, "loc-args": list[str]}, total=False)
"""A localized text of the app. `loc-key` is required."""


class UpdateContent(TypedDict, total=False):
    """New content of Live Activities. Without `title` and `message`, they change silently."""

    title: str | AlertText
    """The headline of the alert. Pass `message` as well."""
    message: str | AlertText
    """The text of the alert."""
    content_state: State
    """The object that the app's `ContentState` decodes."""
    attributes: State
    """For a topic: the attributes of new Live Activities. No effect on an update or end."""


class _FirstContent(TypedDict):
    title: str | AlertText
    message: str | AlertText
    content_state: State


class StartContent(_FirstContent, total=False):
    """The first content of Live Activities: an alert's texts, the state, and attributes, which never change."""

    attributes: State
    """The object that the app's `ActivityAttributes` decodes."""


class BroadcastOptions(TypedDict, total=False):
    """Delivery and presentation of a broadcast."""

    priority: Literal[5, 10]
    """The provider's priority: 10 delivers at once, 5 may wait to save battery."""
    expiration: Instant
    """The time until which the provider retries."""
    stale_date: Instant
    """The time at which the content becomes stale."""
    dismissal_date: Instant
    """The removal of the ended Live Activity from the lock screen."""
    relevance_score: float
    """The rank among the app's Live Activities. The highest is first."""
    sound: str
    """A sound file of the app, or `default`. Requires a `title` or `message`."""


class UpdateOptions(BroadcastOptions, total=False):
    """Options of an update."""

    skip_unchanged: bool
    """Skips an update that equals the last one to the whole segment."""


class EndOptions(BroadcastOptions, total=False):
    """Options of an end."""

    force: bool
    """Ends the activity even if no device has synced."""


class RestartOptions(BroadcastOptions, total=False):
    """Options of a restart."""

    max_starts: int
    """The maximum number of starts per device in the activity's life."""


class ScheduleOptions(BroadcastOptions, total=False):
    """Options of a schedule. They apply to the scheduled start, update or end."""

    skip_unchanged: bool
    """Only for an update; see UpdateOptions."""
    force: bool
    """Only for an end; see EndOptions."""
    expire_after: int
    """The maximum delay in seconds. After it the schedule expires."""


class RegisterOptions(TypedDict, total=False):
    """Options that stay fixed for the activity's life."""

    catch_up: bool
    """Sends the newest content to a device that syncs after an update."""
    activity_id_attribute: str
    """The key under which starts add the activity's id to `attributes`."""
    min_update_interval: int
    """The seconds between two updates to the whole segment."""
    channel: Literal["auto", "required", "never"]
    """The use of a broadcast channel on iOS 18 and later."""
    channel_storage: Literal["newest", "none"]
    """The channel's push that the provider stores for phones that are off."""
    heal: Literal["never", "dead_token"]
    """The cases in which the gateway restarts a lost Live Activity."""
    heal_limit: int
    """The maximum number of starts per device after its first one."""


class TopicOptions(TypedDict, total=False):
    """Delivery and presentation of a topic."""

    activity_id_attribute: str
    """Works as in RegisterOptions."""
    channel: Literal["auto", "required", "never"]
    """Works as in RegisterOptions."""
    channel_storage: Literal["newest", "none"]
    """Works as in RegisterOptions."""
    priority: Literal[5, 10]
    """The priority of pushes to the whole segment: 10 delivers at once, 5 may wait to save battery."""
    stale_date: Instant
    """The time at which the content becomes stale."""
    dismissal_date: Instant
    """The removal of the ended Live Activity from the lock screen."""
    relevance_score: float
    """The rank among the app's Live Activities. The highest is first."""
    sound: str
    """A sound file of the app, or `default`. Requires a `title` or `message`."""
