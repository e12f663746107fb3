"""Replies about users, their devices, and the tenant's limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from .reading import Reply


@dataclass(frozen=True, kw_only=True)
class Erased(Reply):
    """What was forgotten of a user or a device."""

    complete: bool
    """False: the gateways go on by themselves with what is left."""
    removed: Mapping[str, int] = field(default_factory=dict)
    """How much was there, by kind."""


@dataclass(frozen=True, kw_only=True)
class KnownToken:
    """A token that a device has reported."""

    kind: str
    """`push_to_start` or `registration`."""
    state: str
    """`usable`, `elsewhere` (another login or device reported it since) or `refused`."""
    reported_at: datetime
    """When it was reported."""
    ends_with: str
    """Its last characters."""
    activity_type: str | None = None
    """The type that it is for; absent for any."""


@dataclass(frozen=True, kw_only=True)
class DeviceActivity:
    """What a device shows of an activity."""

    activity_id: str
    """The activity."""
    activity_type: str
    """The activity's type."""
    device_state: str | None = None
    """As of `ListedDevice`."""


@dataclass(frozen=True, kw_only=True)
class KnownDevice:
    """A device of a user. One that has reported a token and not yet itself has no more than that."""

    udid: str
    """The device."""
    platform: str | None = None
    """`ios` or `android`."""
    os_version: str | None = None
    """Such as `18.1`."""
    app_version: str | None = None
    """The app's."""
    push_opt_in: bool | None = None
    """Whether the user allows notifications."""
    gdpr_consent: bool | None = None
    """Whether the user has consented."""
    frequent_pushes: bool | None = None
    """Whether the user allows more frequent updates."""
    environment: str | None = None
    """`production` or `sandbox`."""
    last_reported_at: datetime | None = None
    """When it was last heard of."""
    tokens: tuple[KnownToken, ...] = ()
    """What it has reported."""
    activities: tuple[DeviceActivity, ...] = ()
    """What it shows."""


@dataclass(frozen=True, kw_only=True)
class UserDevices(Reply):
    """What is known of a user's devices."""

    devices: tuple[KnownDevice, ...]
    """All of them."""


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A limit of the tenant's."""

    name: str
    """What refusals and events call it."""
    default: bool
    """Whether it is the gateway's own, and not set for the tenant."""
    limit: int | None = None
    """Absent where there is none."""
    used: int | None = None
    """How much of it is; absent for limits of one user or device."""


@dataclass(frozen=True, kw_only=True)
class Share:
    """The tenant's part of what tenants share."""

    name: str
    """What is shared."""
    limit: int
    """What the tenant can have while others use nothing."""
    used: int
    """By this tenant alone."""


@dataclass(frozen=True, kw_only=True)
class Limits(Reply):
    """How much the tenant may use, and does."""

    limits: tuple[Limit, ...]
    """What only this tenant uses."""
    shares: tuple[Share, ...] = ()
    """What tenants share."""


@dataclass(frozen=True, kw_only=True)
class Success(Reply):
    """It is done, and there is nothing more to say."""
