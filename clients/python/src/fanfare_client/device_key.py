"""The name of a device."""

from __future__ import annotations

from typing import NamedTuple


class DeviceKey(NamedTuple):
    """One device of one user. Wherever one is taken, a pair of an insider_id and a udid does as well."""

    insider_id: str
    """The user."""
    udid: str
    """The user's device."""
