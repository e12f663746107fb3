"""How bodies name activities and devices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .device_key import DeviceKey

Devices = Iterable[DeviceKey | tuple[str, str]]
"""Devices: pairs of an insider_id and a udid."""


def devices_body(devices: Devices | None) -> list[dict[str, str]] | None:
    """Devices as bodies have them. Raises ValueError for none: to the gateway that would mean the whole segment."""
    if devices is None:
        return None
    named = [{"insider_id": insider_id, "udid": udid} for insider_id, udid in devices]
    if not named:
        raise ValueError("target_devices names no device; leave it out to mean the whole segment")
    return named


def users_body(insider_ids: Iterable[str] | None) -> Sequence[str] | None:
    """Users as bodies have them. Raises TypeError for a single text, whose characters would be taken for users."""
    if isinstance(insider_ids, (str, bytes)):
        raise TypeError("insider_ids are several texts, not one")
    return None if insider_ids is None else list(insider_ids)
