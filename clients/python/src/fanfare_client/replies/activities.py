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
    """Whom an activity has taken."""

    registered_users: int
    """Users of whom at least one device was taken."""
    registered_devices: int
    """Devices that were taken."""
    partial: bool
    """Whether some ids had no eligible device, or could not be processed."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """How many were passed over, by reason."""
    gdpr_denied_details: tuple[DeviceKey, ...] = ()
    """The devices without consent, at most 1,000."""
    unprocessed_insider_id_count: int = 0
    """Ids that were empty or too long."""


@dataclass(frozen=True, kw_only=True)
class Registered(AddedUsers):
    """An activity that was made."""

    activity_id: str
    """Names the activity."""


@dataclass(frozen=True, kw_only=True)
class RemovedUsers(Reply):
    """Whom an activity has lost."""

    removed_users: int
    """Users that were in the segment and are not any more."""
    removed_devices: int
    """Their devices."""


@dataclass(frozen=True, kw_only=True)
class DeviceCounts:
    """An activity's devices by state."""

    registered: int = 0
    """No start has come to an outcome yet."""
    pending: int = 0
    """The start was accepted, no update token yet."""
    shown: int = 0
    """The device says that the Live Activity is there, and has no update token for it yet."""
    active: int = 0
    """The Live Activity is there, and synced."""
    ended: int = 0
    """The Live Activity is gone."""
    failed: int = 0
    """The provider refused the start."""
    unknown: int = 0
    """The start may have reached the device; nobody knows."""
    unsent: int = 0
    """A start is over and did not come to the device."""
    ended_by: Mapping[str, int] = field(default_factory=dict)
    """Those that ended, by reason."""


@dataclass(frozen=True, kw_only=True)
class TimeToSync:
    """How long after their start devices have synced."""

    within: Mapping[str, int] = field(default_factory=dict)
    """How many had synced so many seconds after their start."""
    p50: float | None = None
    """Seconds within which half of those that have synced did. Absent while none has."""
    p90: float | None = None
    """Likewise, nine of ten."""
    p99: float | None = None
    """Likewise, 99 of a hundred."""


@dataclass(frozen=True, kw_only=True)
class ActivitySummary:
    """An activity in a listing."""

    activity_id: str
    """Names the activity."""
    activity_type: str
    """As registered."""
    state: str
    """`REGISTERED`, `STARTED`, or `DEAD`, which can be read for 24 hours."""
    created_at: datetime
    """When it was registered."""
    ends_at: datetime
    """When it is over."""
    users: int
    """Users of the segment."""
    devices: int
    """Devices of the segment."""
    name: str | None = None
    """The customer's label for people."""
    external_id: str | None = None
    """What devices call it, if they opened it."""
    insider_id: str | None = None
    """Whose own the external_id is, if it is a user's own."""
    started_at: datetime | None = None
    """When it was started; absent until then."""
    ended_at: datetime | None = None
    """When it ended; absent until then."""
    end_reason: str | None = None
    """`ended_by_api`, `expired`, `lifetime`, `match_end` and others."""


@dataclass(frozen=True, kw_only=True)
class ActivityPage(Reply):
    """A page of activities, the newest first. It may be short, or empty, and there may be more all the same."""

    activities: tuple[ActivitySummary, ...]
    """The newest first."""
    cursor: str | None = None
    """For the next page; absent at the end."""


@dataclass(frozen=True, kw_only=True)
class ActivityDetails(ActivitySummary, Reply):
    """An activity: its state, and what became of its devices."""

    counts: DeviceCounts
    """Its devices by state."""
    updates_this_hour: int = 0
    """Updates in the running hour."""
    taps: int = 0
    """Taps on its Live Activities that devices have reported."""
    dismissals: int = 0
    """Its Live Activities that devices have reported as dismissed."""
    cohorts: Mapping[str, DeviceCounts] = field(default_factory=dict)
    """The counts by kind of destination: `apns`, `channel`, `fcm`."""
    time_to_sync: TimeToSync | None = None
    """Absent for activities that devices opened by themselves."""
    options: Mapping[str, object] = field(default_factory=dict)
    """What it was registered with."""
    broadcasts: tuple[BroadcastSummary, ...] = ()
    """The newest ones."""


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
    """Why its Live Activity ended."""
    last_outcome: str | None = None
    """What the last push to it came to: `accepted`, or the provider's reason."""
    last_outcome_at: datetime | None = None
    """When that was."""


@dataclass(frozen=True, kw_only=True)
class DevicePage(Reply):
    """A page of an activity's devices. It may be short, or empty, and there may be more all the same."""

    devices: tuple[ListedDevice, ...]
    """In no order."""
    cursor: str | None = None
    """For the next page; absent at the end."""
