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
from .base import AsyncRoutes


class AsyncActivities(AsyncRoutes):
    """Routes under `/api/v1/live-activity` that change something."""

    async def register(
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
        """Makes an activity of the eligible devices of these users, or of a stored segment. Nothing is sent yet.

        - activity_type: the name of the app's ActivityAttributes type.
        - ends_at: when it is over, 5 minutes to 7 days from now; a datetime has a time zone.
        - insider_ids: at most 10,000 users. Give this or `segment`.
        - name: a label for people.

        Raises NoEligibleDevice when no device is left; its `skipped` says why.
        """
        body = {
            "activity_type": activity_type,
            "insider_ids": users_body(insider_ids),
            "segment": segment,
            "ends_at": ends_at,
            "name": name,
            "options": options,
        }
        return await self._call(send(Registered, "POST", f"{ACTIVITIES}/register", body, keyed=True, key=idempotency_key))

    async def add_users(
        self,
        *,
        activity_id: Text,
        activity_type: Text,
        insider_ids: Iterable[Text],
        idempotency_key: Text | None = None,
    ) -> AddedUsers:
        """Adds users to an activity that is not started. Who is in it already is passed over, and not counted."""
        body = {"activity_id": activity_id, "activity_type": activity_type, "insider_ids": users_body(insider_ids)}
        return await self._call(send(AddedUsers, "POST", f"{ACTIVITIES}/add-users", body, keyed=True, key=idempotency_key))

    async def remove_users(
        self,
        *,
        activity_id: Text,
        activity_type: Text,
        insider_ids: Iterable[Text],
        idempotency_key: Text | None = None,
    ) -> RemovedUsers:
        """Takes users off an activity that is not started. Who is not in it is passed over."""
        body = {"activity_id": activity_id, "activity_type": activity_type, "insider_ids": users_body(insider_ids)}
        path = f"{ACTIVITIES}/remove-users"
        return await self._call(send(RemovedUsers, "POST", path, body, keyed=True, key=idempotency_key))

    async def start(
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
        """Starts an activity, once, on its whole segment or on the devices named.

        The reply waits for the pushes, up to thirty seconds, or not at all with `respond_async`: `wait` for the
        broadcast then. Raises AlreadyStarted when somebody else came first.
        """
        body = {
            "activity_id": activity_id,
            "activity_type": activity_type,
            "content": content,
            "target_devices": devices_body(target_devices),
            "options": options,
        }
        return await self._call(
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

    async def restart(
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
        """Starts an activity on those whom its start has left out: by state, or as named. Give one of the two.

        - older_than: of `not_synced`, how many seconds ago the start must have been accepted (300).
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
        return await self._call(
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

    async def update(
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
        """Sends new content to the devices that have synced.

        - external_id: in place of activity_id, what devices call an activity that they opened; with insider_id when it
          is that user's own.
        - wait_for_sync: for how many seconds to try again while no device has synced, which happens just after a
          start. Without it that raises DeviceNotSynced.
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
        return await self._call(
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

    async def end(
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
        """Ends an activity, or with `target_devices` the Live Activities of those devices only.

        `content` is the final state. Names and `wait_for_sync` are as in `update`. One that was never started is
        canceled.
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
        return await self._call(
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
