"""Replies about activities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ..device_key import DeviceKey
from .broadcasts import BroadcastSummary
from .reading import Reply


@dataclass(frozen=True, kw_only=True)
class AddedUsers(Reply):
    """The users and devices added to an activity."""

    registered_users: int
    """Users with at least one registered device."""
    registered_devices: int
    """Registered devices."""
    partial: bool
    """True if some ids had no eligible device or were not processed."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """The number of skipped devices or users by reason."""
    gdpr_denied_details: tuple[DeviceKey, ...] = ()
    """The devices without consent, at most 1,000."""
    unprocessed_insider_id_count: int = 0
    """Ids that were empty, `.`, `..` or too long."""


@dataclass(frozen=True, kw_only=True)
class Registered(AddedUsers):
    """A new activity."""

    activity_id: str
    """The activity's id."""


@dataclass(frozen=True, kw_only=True)
class RemovedUsers(Reply):
    """The users and devices removed from an activity."""

    removed_users: int
    """Users removed from the segment."""
    removed_devices: int
    """Their devices."""


@dataclass(frozen=True, kw_only=True)
class DeviceCounts:
    """An activity's devices by state."""

    registered: int = 0
    """No start has an outcome."""
    pending: int = 0
    """The provider accepted the start; no update token reported."""
    shown: int = 0
    """The device reported the Live Activity, but no update token."""
    active: int = 0
    """The device shows the Live Activity and has reported its update token."""
    ended: int = 0
    """The Live Activity is over."""
    failed: int = 0
    """The provider refused the start."""
    unknown: int = 0
    """The start may have reached the device."""
    unsent: int = 0
    """A start ended without a push to the device."""
    ended_by: Mapping[str, int] = field(default_factory=dict)
    """The ended devices by `end_reason`."""


@dataclass(frozen=True, kw_only=True)
class TimeToSync:
    """The time from each device's start to its first sync."""

    within: Mapping[str, int] = field(default_factory=dict)
    """The number of synced devices by seconds after their start."""
    p50: float | None = None
    """The seconds within which half of the synced devices synced. Absent if none has."""
    p90: float | None = None
    """The seconds for nine of ten."""
    p99: float | None = None
    """The seconds for 99 of 100. At most 7,200."""


@dataclass(frozen=True, kw_only=True)
class ActivitySummary:
    """An activity in a listing."""

    activity_id: str
    """The activity's id."""
    activity_type: str
    """The registered type."""
    state: str
    """`REGISTERED`, `STARTED` or `DEAD`. A `DEAD` activity stays readable for 24 hours."""
    created_at: datetime
    """The time of registration."""
    ends_at: datetime
    """The latest time at which it ends."""
    users: int
    """Users of the segment."""
    devices: int
    """Devices of the segment."""
    name: str | None = None
    """The customer's label for people."""
    external_id: str | None = None
    """The devices' name for it, if device-initiated."""
    insider_id: str | None = None
    """The user, if `external_id` is a user's own."""
    started_at: datetime | None = None
    """The time of the start. Absent before."""
    ended_at: datetime | None = None
    """The time of the end. Absent before."""
    end_reason: str | None = None
    """`ended_by_api`, `expired`, `lifetime`, `match_end` and others."""


@dataclass(frozen=True, kw_only=True)
class ActivityPage(Reply):
    """A page of activities, newest first. A short or empty page may have a cursor."""

    activities: tuple[ActivitySummary, ...]
    """The activities, newest first."""
    cursor: str | None = None
    """The cursor of the next page. Absent on the last page."""


@dataclass(frozen=True, kw_only=True)
class ActivityDetails(ActivitySummary, Reply):
    """An activity with its state and the numbers of its devices."""

    counts: DeviceCounts
    """The numbers of devices by state."""
    updates_this_hour: int = 0
    """The updates of the running hour."""
    taps: int = 0
    """Taps that devices reported."""
    dismissals: int = 0
    """Live Activities that devices reported as dismissed before their end."""
    cohorts: Mapping[str, DeviceCounts] = field(default_factory=dict)
    """The numbers by kind of destination: `apns`, `channel`, `fcm`."""
    time_to_sync: TimeToSync | None = None
    """The time to sync. Absent for device-initiated activities."""
    options: Mapping[str, object] = field(default_factory=dict)
    """The options of `register`."""
    broadcasts: tuple[BroadcastSummary, ...] = ()
    """The latest broadcasts, newest first."""


@dataclass(frozen=True, kw_only=True)
class ListedDevice:
    """A device of an activity."""

    insider_id: str
    """The user."""
    udid: str
    """The user's device."""
    state: str
    """`registered`, `pending`, `shown`, `active`, `ended`, `failed`, `unknown` or `unsent`."""
    cohort: str | None = None
    """The kind of destination: `apns`, `channel` or `fcm`."""
    end_reason: str | None = None
    """The reason for the end of its Live Activity."""
    last_outcome: str | None = None
    """The outcome of the last push: `accepted`, or the provider's reason."""
    last_outcome_at: datetime | None = None
    """The time of that outcome."""


@dataclass(frozen=True, kw_only=True)
class DevicePage(Reply):
    """A page of an activity's devices. A short or empty page may have a cursor."""

    devices: tuple[ListedDevice, ...]
    """The devices, in no order."""
    cursor: str | None = None
    """The cursor of the next page. Absent on the last page."""
