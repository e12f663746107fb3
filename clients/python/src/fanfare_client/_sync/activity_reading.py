"""The states of activities and their devices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ..arguments import Text
from ..paging import next_cursor
from ..replies.activities import ActivityDetails, ActivityPage, ActivitySummary, DevicePage, ListedDevice
from ..request import ACTIVITIES, get, segment_of_path
from .base import Routes


class ActivityReading(Routes):
    """The routes under `/api/v1/live-activity` that read activities."""

    def get_activity(self, activity_id: Text) -> ActivityDetails:
        """Returns an activity's state, and the numbers of its devices by state."""
        return self._call(get(ActivityDetails, f"{ACTIVITIES}/{segment_of_path(activity_id)}"))

    def list_activities(
        self,
        *,
        state: Text | None = None,
        activity_type: Text | None = None,
        opened_by: Literal["customer", "device", "any"] | None = None,
        external_id: Text | None = None,
        insider_id: Text | None = None,
        limit: int | None = None,
        cursor: Text | None = None,
    ) -> ActivityPage:
        """Returns a page of activities, newest first."""
        return self._call(
            get(
                ActivityPage,
                ACTIVITIES,
                state=state,
                activity_type=activity_type,
                opened_by=opened_by,
                external_id=external_id,
                insider_id=insider_id,
                limit=limit,
                cursor=cursor,
            )
        )

    def activities(
        self,
        *,
        state: Text | None = None,
        activity_type: Text | None = None,
        opened_by: Literal["customer", "device", "any"] | None = None,
        page_size: int | None = None,
    ) -> Iterator[ActivitySummary]:
        """Iterates over all activities, and requests pages as needed."""
        cursor: str | None = None
        while True:
            page = self.list_activities(
                state=state, activity_type=activity_type, opened_by=opened_by, limit=page_size, cursor=cursor
            )
            for activity in page.activities:
                yield activity
            if (cursor := next_cursor(page.cursor, cursor)) is None:
                return

    def list_activity_devices(
        self, activity_id: Text, *, state: Text | None = None, limit: int | None = None, cursor: Text | None = None
    ) -> DevicePage:
        """Returns a page of an activity's devices, with the outcome of the last push to each."""
        path = f"{ACTIVITIES}/{segment_of_path(activity_id)}/devices"
        return self._call(get(DevicePage, path, state=state, limit=limit, cursor=cursor))

    def devices(
        self, activity_id: Text, *, state: Text | None = None, page_size: int | None = None
    ) -> Iterator[ListedDevice]:
        """Iterates over all devices of an activity, and requests pages as needed."""
        cursor: str | None = None
        while True:
            page = self.list_activity_devices(activity_id, state=state, limit=page_size, cursor=cursor)
            for device in page.devices:
                yield device
            if (cursor := next_cursor(page.cursor, cursor)) is None:
                return
