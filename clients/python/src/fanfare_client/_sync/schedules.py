"""Scheduled starts, updates and ends."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Literal

from ..arguments import Text, Time
from ..bodies import ScheduleOptions, StartContent, UpdateContent
from ..naming import Devices, devices_body
from ..replies.schedules import CanceledSchedules, Scheduled, ScheduleList
from ..request import ACTIVITIES, get, send
from .base import Routes


class Schedules(Routes):
    """The routes under `/api/v1/live-activity/schedule`. Activities are named as in `update`."""

    def schedule(
        self,
        *,
        event: Literal["start", "update", "end"],
        activity_id: Text | None = None,
        external_id: Text | None = None,
        insider_id: Text | None = None,
        activity_type: Text | None = None,
        offset: int | timedelta | None = None,
        deliver_at: Time | None = None,
        content: StartContent | UpdateContent | Mapping[str, object] | None = None,
        target_devices: Devices | None = None,
        options: ScheduleOptions | Mapping[str, object] | None = None,
        name: Text | None = None,
        idempotency_key: Text | None = None,
    ) -> Scheduled:
        """Schedules a start, update or end.

        - offset: the seconds from now, by the gateway's clock. Pass either this or `deliver_at`.
        - deliver_at: the due time. A datetime needs a time zone.
        - name: a label for people.
        """
        body = {
            "activity_id": activity_id,
            "external_id": external_id,
            "insider_id": insider_id,
            "activity_type": activity_type,
            "event": event,
            "offset": offset,
            "deliver_at": deliver_at,
            "content": content,
            "target_devices": devices_body(target_devices),
            "options": options,
            "name": name,
        }
        return self._call(send(Scheduled, "POST", f"{ACTIVITIES}/schedule", body, keyed=True, key=idempotency_key))

    def cancel_schedules(
        self,
        *,
        activity_id: Text | None = None,
        external_id: Text | None = None,
        insider_id: Text | None = None,
        activity_type: Text | None = None,
        schedule_id: Text | None = None,
        target_devices: Devices | None = None,
        idempotency_key: Text | None = None,
    ) -> CanceledSchedules:
        """Cancels an activity's pending schedules: all, one schedule, or those for these devices."""
        body = {
            "activity_id": activity_id,
            "external_id": external_id,
            "insider_id": insider_id,
            "activity_type": activity_type,
            "schedule_id": schedule_id,
            "target_devices": devices_body(target_devices),
        }
        path = f"{ACTIVITIES}/schedule/cancel"
        return self._call(send(CanceledSchedules, "POST", path, body, keyed=True, key=idempotency_key))

    def list_schedules(
        self,
        *,
        activity_id: Text | None = None,
        external_id: Text | None = None,
        activity_type: Text | None = None,
        insider_id: Text | None = None,
    ) -> ScheduleList:
        """Returns an activity's pending and finished schedules."""
        return self._call(
            get(
                ScheduleList,
                f"{ACTIVITIES}/schedule",
                activity_id=activity_id,
                external_id=external_id,
                activity_type=activity_type,
                insider_id=insider_id,
            )
        )
