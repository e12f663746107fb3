"""Replies about users, their devices, and the tenant's limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from .reading import Reply


@dataclass(frozen=True, kw_only=True)
class Erased(Reply):
    """The outcome of an erasure."""

    complete: bool
    """False if gateways still erase the rest."""
    removed: Mapping[str, int] = field(default_factory=dict)
    """The number of erased records by kind."""


@dataclass(frozen=True, kw_only=True)
class KnownToken:
    """A token that a device has reported."""

    kind: str
    """`push_to_start` or `registration`."""
    state: str
    """`usable`, `elsewhere` (reported later by another login) or `refused` (by the provider)."""
    reported_at: datetime
    """The time of the report."""
    ends_with: str
    """The last characters of the token."""
    activity_type: str | None = None
    """The only activity type that the token starts. Absent for any type."""


@dataclass(frozen=True, kw_only=True)
class DeviceActivity:
    """A device's state in an activity."""

    activity_id: str
    """The activity's id."""
    activity_type: str
    """The activity's type."""
    device_state: str | None = None
    """The device's state; see `ListedDevice`."""


@dataclass(frozen=True, kw_only=True)
class KnownDevice:
    """A device of a user. One that has reported only a token has no other fields."""

    udid: str
    """The device's id."""
    platform: str | None = None
    """`ios` or `android`."""
    os_version: str | None = None
    """The version of the operating system, for example `18.1`."""
    app_version: str | None = None
    """The version of the app."""
    push_opt_in: bool | None = None
    """True if the user allows notifications."""
    gdpr_consent: bool | None = None
    """True if the user consents to the processing of personal data."""
    frequent_pushes: bool | None = None
    """True if the user allows more frequent updates of Live Activities."""
    environment: str | None = None
    """`production` or `sandbox`."""
    last_reported_at: datetime | None = None
    """The time of the last report."""
    tokens: tuple[KnownToken, ...] = ()
    """The reported tokens."""
    activities: tuple[DeviceActivity, ...] = ()
    """The device's activities."""


@dataclass(frozen=True, kw_only=True)
class UserDevices(Reply):
    """A user's devices."""

    devices: tuple[KnownDevice, ...]
    """All devices of the user."""


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A limit of the tenant."""

    name: str
    """The limit's name in refusals and events."""
    default: bool
    """True if the operator has set no other value for the tenant."""
    limit: int | None = None
    """The maximum. Absent if unlimited."""
    used: int | None = None
    """The tenant's use. Absent for limits per user or device."""


@dataclass(frozen=True, kw_only=True)
class Share:
    """The tenant's part of a shared resource."""

    name: str
    """The name of the resource."""
    limit: int
    """The tenant's part while other tenants are idle."""
    used: int
    """This tenant's use."""


@dataclass(frozen=True, kw_only=True)
class Limits(Reply):
    """The tenant's limits and use."""

    limits: tuple[Limit, ...]
    """The limits of this tenant."""
    shares: tuple[Share, ...] = ()
    """The tenant's parts of shared resources."""


@dataclass(frozen=True, kw_only=True)
class Success(Reply):
    """A success without data."""
