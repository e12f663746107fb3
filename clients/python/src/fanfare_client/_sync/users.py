"""Users' devices, erasure of users, and the tenant's limits."""

from __future__ import annotations

from ..arguments import Text
from ..replies.users import Erased, Limits, UserDevices
from ..request import delete, get, segment_of_path
from .base import Routes


class Users(Routes):
    """The routes under `/api/v1/users`, and `/api/v1/limits`."""

    def list_user_devices(self, insider_id: Text) -> UserDevices:
        """Returns a user's devices with their tokens and activities."""
        return self._call(get(UserDevices, f"{_path(insider_id)}/devices"))

    def erase_user(self, insider_id: Text) -> Erased:
        """Erases a user: devices, tokens, topic choices, segment memberships and events.

        Also succeeds for an unknown user. If an answer is lost, the client repeats the call, and the counts are those
        of the repetition.
        """
        return self._call(delete(Erased, _path(insider_id)))

    def erase_user_device(self, insider_id: Text, udid: Text) -> Erased:
        """Erases one device of a user."""
        return self._call(delete(Erased, f"{_path(insider_id)}/devices/{segment_of_path(udid)}"))

    def get_limits(self) -> Limits:
        """Returns the tenant's limits and use."""
        return self._call(get(Limits, "/api/v1/limits"))


def _path(insider_id: Text) -> str:
    return f"/api/v1/users/{segment_of_path(insider_id)}"
