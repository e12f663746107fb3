"""What is known of users, the right to erasure, and the tenant's limits."""

from __future__ import annotations

from ..arguments import Text
from ..replies.users import Erased, Limits, UserDevices
from ..request import delete, get, segment_of_path
from .base import Routes


class Users(Routes):
    """Routes under `/api/v1/users`, and `/api/v1/limits`."""

    def list_user_devices(self, insider_id: Text) -> UserDevices:
        """What is known of a user's devices: tokens, and what they show."""
        return self._call(get(UserDevices, f"{_path(insider_id)}/devices"))

    def erase_user(self, insider_id: Text) -> Erased:
        """Forgets a user: devices, tokens, wishes, places in segments, events. Also when there is nothing to forget.

        After an answer was lost the call is repeated, and then counts what the repetition has found.
        """
        return self._call(delete(Erased, _path(insider_id)))

    def erase_user_device(self, insider_id: Text, udid: Text) -> Erased:
        """Forgets one device of a user."""
        return self._call(delete(Erased, f"{_path(insider_id)}/devices/{segment_of_path(udid)}"))

    def get_limits(self) -> Limits:
        """How much the tenant may use, and does."""
        return self._call(get(Limits, "/api/v1/limits"))


def _path(insider_id: Text) -> str:
    return f"/api/v1/users/{segment_of_path(insider_id)}"
