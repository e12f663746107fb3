"""The form of devices and users in bodies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from .arguments import Text, text
from .device_key import DeviceKey

Device = DeviceKey | tuple[Text, Text] | Mapping[str, str]
"""A device: a pair of an insider_id and a udid, or a mapping with both, as in replies."""

Devices = Iterable[Device] | Device
"""Devices, or a single one."""


def devices_body(devices: Devices | None) -> list[dict[str, str]] | None:
    """Returns devices in the form of bodies.

    Raises TypeError for an invalid device. Raises ValueError for an empty list, because the gateway would address the
    whole segment.
    """
    if devices is None:
        return None
    is_single = isinstance(devices, Mapping) or (
        isinstance(devices, tuple) and len(devices) == 2 and not isinstance(devices[0], (tuple, list, Mapping))
    )
    several = [devices] if is_single else devices
    if isinstance(several, (str, bytes)) or not isinstance(several, Iterable):
        raise TypeError(f"target_devices are pairs of an insider_id and a udid, not {type(several).__name__}")
    named = [_device(device) for device in several]
    if not named:
        raise ValueError("target_devices names no device; leave it out to mean the whole segment")
    return named


def _device(device: object) -> dict[str, str]:
    if isinstance(device, Mapping):
        if set(device) != {"insider_id", "udid"}:
            raise TypeError("a device has an insider_id and a udid, and nothing else")
        device = (device["insider_id"], device["udid"])
    if not isinstance(device, (tuple, list)) or len(device) != 2:
        raise TypeError(f"a device is a pair of an insider_id and a udid, not {type(device).__name__}")
    return {"insider_id": text(device[0], "insider_id"), "udid": text(device[1], "udid")}


def users_body(insider_ids: Iterable[Text] | None) -> Sequence[str] | None:
    """Returns users in the form of bodies. Raises the TypeError of `user_ids`."""
    return None if insider_ids is None else list(user_ids(insider_ids))


def checked_users(insider_ids: object) -> None:
    """Raises TypeError for a single text or a mapping, because its parts would count as users."""
    if isinstance(insider_ids, (str, bytes, Mapping)):
        raise TypeError(f"insider_ids are several texts, not {type(insider_ids).__name__}")


def user_ids(insider_ids: Iterable[Text]) -> Iterator[str]:
    """Returns the users without a text file's line ends and byte order mark. Skips empty lines.

    Raises TypeError for a single text and for an invalid user.
    """
    checked_users(insider_ids)
    for index, given in enumerate(insider_ids):
        if (user := user_id(given, is_first=index == 0)) is not None:
            yield user


def user_id(given: object, *, is_first: bool) -> str | None:
    """Returns a user, or None for an empty line of a text file. Raises TypeError."""
    whole = text(given, "an insider_id")
    user = whole.removeprefix("\ufeff") if is_first else whole
    user = user.removesuffix("\n").removesuffix("\r")
    return None if not user and whole else user
