"""Stored segments: lists of users of any size."""

from __future__ import annotations

from collections.abc import AsyncIterator

from ..arguments import Seconds, Text
from ..paging import next_cursor
from ..replies.reading import Meta
from ..replies.segments import GrownSegment, Segment, SegmentPage, SegmentSummary, ShrunkSegment
from ..replies.users import Success
from ..request import delete, get, segment_of_path, upload
from ..users_body import AsyncUserIds
from .base import AsyncRoutes


class AsyncSegments(AsyncRoutes):
    """The routes under `/api/v1/segments`.

    The client streams users from their source in bounded memory. If the source raises an error, the call raises it and
    changes nothing. The client repeats an interrupted upload if its source is reusable, for example a list.
    `timeout` is in seconds. Default: the client's `upload_timeout`.
    """

    async def put_segment(self, name: Text, insider_ids: AsyncUserIds, *, timeout: Seconds | None = None) -> Segment:
        """Creates or replaces a segment, in one step after the whole upload."""
        return await self._upload(upload(Segment, "PUT", _path(name)), insider_ids, timeout)

    async def add_segment_users(
        self,
        name: Text,
        insider_ids: AsyncUserIds,
        *,
        timeout: Seconds | None = None,
        idempotency_key: Text | None = None,
    ) -> GrownSegment:
        """Adds users. Ignores users that are already in the segment."""
        call = upload(GrownSegment, "POST", f"{_path(name)}/users", keyed=True, key=idempotency_key)
        return await self._upload(call, insider_ids, timeout)

    async def remove_segment_users(
        self, name: Text, insider_ids: AsyncUserIds, *, timeout: Seconds | None = None
    ) -> ShrunkSegment:
        """Removes users. Ignores users that are not in the segment."""
        return await self._upload(upload(ShrunkSegment, "DELETE", f"{_path(name)}/users"), insider_ids, timeout)

    async def get_segment(self, name: Text) -> Segment:
        """Returns a segment with its number of users."""
        return await self._call(get(Segment, _path(name)))

    async def delete_segment(self, name: Text) -> Success:
        """Deletes a segment. Activities registered with it keep their users."""
        return await self._call(delete(Success, _path(name), _deleted))

    async def list_segments(self, *, limit: int | None = None, cursor: Text | None = None) -> SegmentPage:
        """Returns a page of segments, by name."""
        return await self._call(get(SegmentPage, "/api/v1/segments", limit=limit, cursor=cursor))

    async def segments(self, *, page_size: int | None = None) -> AsyncIterator[SegmentSummary]:
        """Iterates over all segments, and requests pages as needed."""
        cursor: str | None = None
        while True:
            page = await self.list_segments(limit=page_size, cursor=cursor)
            for segment in page.segments:
                yield segment
            if (cursor := next_cursor(page.cursor, cursor)) is None:
                return


def _path(name: Text) -> str:
    return f"/api/v1/segments/{segment_of_path(name)}"


def _deleted(meta: Meta) -> Success:
    return Success(meta=meta)
