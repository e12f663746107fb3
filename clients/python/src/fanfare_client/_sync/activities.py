"""The life of an activity: register, start, update, end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Literal

from ..arguments import Seconds, Text, Time
from ..bodies import (
    BroadcastOptions,
    EndOptions,
    RegisterOptions,
    RestartOptions,
    StartContent,
    UpdateContent,
    UpdateOptions,
)
from ..naming import Devices, devices_body, users_body
from ..replies.activities import AddedUsers, Registered, RemovedUsers
from ..replies.broadcasts import BroadcastReply, UpdateReply
from ..request import ACTIVITIES, send
from .base import Routes


class Activities(Routes):
    """The routes under `/api/v1/live-activity` that change activities."""

    def register(
        self,
        *,
        activity_type: Text,
        ends_at: Time,
        insider_ids: Iterable[Text] | None = None,
        segment: Text | None = None,
        name: Text | None = None,
        options: RegisterOptions | Mapping[str, object] | None = None,
        idempotency_key: Text | None = None,
    ) -> Registered:
        """Registers an activity for the eligible devices of these users, or of a stored segment. Sends nothing.

        - activity_type: the name of the app's ActivityAttributes type.
        - ends_at: the latest end, 5 minutes to 7 days from now. A datetime needs a time zone.
        - insider_ids: at most 10,000 users. Pass either this or `segment`.
        - name: a label for people.

        Raises NoEligibleDevice if no device is left. Its `skipped` has the reasons.
        """
        body = {
            "activity_type": activity_type,
            "insider_ids": users_body(insider_ids),
            "segment": segment,
            "ends_at": ends_at,
            "name": name,
            "options": options,
        }
        return self._call(send(Registered, "POST", f"{ACTIVITIES}/register", body, keyed=True, key=idempotency_key))

    def add_users(
        self,
        *,
        activity_id: Text,
        activity_type: Text,
        insider_ids: Iterable[Text],
        idempotency_key: Text | None = None,
    ) -> AddedUsers:
        """Adds users to an activity before its start. Ignores users that are already in it."""
        body = {"activity_id": activity_id, "activity_type": activity_type, "insider_ids": users_body(insider_ids)}
        return self._call(send(AddedUsers, "POST", f"{ACTIVITIES}/add-users", body, keyed=True, key=idempotency_key))

    def remove_users(
        self,
        *,
        activity_id: Text,
        activity_type: Text,
        insider_ids: Iterable[Text],
        idempotency_key: Text | None = None,
    ) -> RemovedUsers:
        """Removes users from an activity before its start. Ignores users that are not in it."""
        body = {"activity_id": activity_id, "activity_type": activity_type, "insider_ids": users_body(insider_ids)}
        path = f"{ACTIVITIES}/remove-users"
        return self._call(send(RemovedUsers, "POST", path, body, keyed=True, key=idempotency_key))

    def start(
        self,
        *,
        activity_id: Text,
        activity_type: Text,
        content: StartContent | Mapping[str, object],
        target_devices: Devices | None = None,
        options: BroadcastOptions | Mapping[str, object] | None = None,
        respond_async: bool = False,
        idempotency_key: Text | None = None,
    ) -> BroadcastReply:
        """Starts an activity once, on its whole segment or on the named devices.

        The reply waits up to 30 seconds for the pushes. With `respond_async` it does not wait; call `wait` with the
        reply. Raises AlreadyStarted if the activity has already been started.
        """
        body = {
            "activity_id": activity_id,
            "activity_type": activity_type,
            "content": content,
            "target_devices": devices_body(target_devices),
            "options": options,
        }
        return self._call(
            send(
                BroadcastReply,
                "POST",
                f"{ACTIVITIES}/start",
                body,
                keyed=True,
                key=idempotency_key,
                prefers_async=respond_async,
            )
        )

    def restart(
        self,
        *,
        activity_id: Text,
        activity_type: Text,
        content: StartContent | Mapping[str, object],
        devices: Literal["unsent", "failed", "unknown", "not_synced"] | None = None,
        older_than: int | timedelta | None = None,
        target_devices: Devices | None = None,
        options: RestartOptions | Mapping[str, object] | None = None,
        respond_async: bool = False,
        idempotency_key: Text | None = None,
    ) -> BroadcastReply:
        """Starts devices that the start missed. Pass either `devices` or `target_devices`.

        - older_than: for `not_synced`, the minimum age of the accepted start in seconds. Default: 300.
        """
        body = {
            "activity_id": activity_id,
            "activity_type": activity_type,
            "content": content,
            "devices": devices,
            "older_than": older_than,
            "target_devices": devices_body(target_devices),
            "options": options,
        }
        return self._call(
            send(
                BroadcastReply,
                "POST",
                f"{ACTIVITIES}/restart",
                body,
                keyed=True,
                key=idempotency_key,
                prefers_async=respond_async,
            )
        )

    def update(
        self,
        *,
        activity_type: Text,
        content: UpdateContent | Mapping[str, object],
        activity_id: Text | None = None,
        external_id: Text | None = None,
        insider_id: Text | None = None,
        target_devices: Devices | None = None,
        options: UpdateOptions | Mapping[str, object] | None = None,
        respond_async: bool = False,
        wait_for_sync: Seconds | None = None,
        idempotency_key: Text | None = None,
    ) -> UpdateReply:
        """Sends new content to the synced devices.

        - external_id: the devices' name of a device-initiated activity, in place of activity_id. Pass insider_id as
          well for a user's own activity.
        - wait_for_sync: the seconds for which to retry while no device has synced, for example just after a start.
          Without it, the call raises DeviceNotSynced.
        """
        body = {
            "activity_id": activity_id,
            "external_id": external_id,
            "insider_id": insider_id,
            "activity_type": activity_type,
            "content": content,
            "target_devices": devices_body(target_devices),
            "options": options,
        }
        return self._call(
            send(
                UpdateReply,
                "POST",
                f"{ACTIVITIES}/update",
                body,
                keyed=True,
                key=idempotency_key,
                prefers_async=respond_async,
                sync_patience=wait_for_sync,
            )
        )

    def end(
        self,
        *,
        activity_type: Text,
        activity_id: Text | None = None,
        external_id: Text | None = None,
        insider_id: Text | None = None,
        content: UpdateContent | Mapping[str, object] | None = None,
        target_devices: Devices | None = None,
        options: EndOptions | Mapping[str, object] | None = None,
        respond_async: bool = False,
        wait_for_sync: Seconds | None = None,
        idempotency_key: Text | None = None,
    ) -> BroadcastReply:
        """Ends an activity, or with `target_devices` only the Live Activities of those devices.

        `content` is the final state. Names and `wait_for_sync` work as in `update`. An activity that was never started
        is cancelled.
        """
        body = {
            "activity_id": activity_id,
            "external_id": external_id,
            "insider_id": insider_id,
            "activity_type": activity_type,
            "content": content,
            "target_devices": devices_body(target_devices),
            "options": options,
        }
        return self._call(
            send(
                BroadcastReply,
                "POST",
                f"{ACTIVITIES}/end",
                body,
                keyed=True,
                key=idempotency_key,
                prefers_async=respond_async,
                sync_patience=wait_for_sync,
            )
        )
