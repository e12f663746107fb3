"""The name of a device."""

from __future__ import annotations

from typing import NamedTuple


class DeviceKey(NamedTuple):
    """A device of a user. Methods also accept a pair of an insider_id and a udid."""

    insider_id: str
    """The user."""
    udid: str
    """The user's device."""
