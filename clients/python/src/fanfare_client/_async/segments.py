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
    """Routes under `/api/v1/segments`.

    Users are streamed as they come from their source, in bounded memory. A source that raises changes nothing, and its
    error is raised. An upload that breaks off is repeated when its source can be gone through again, as a list can.
    `timeout` is in seconds; without it the client's `upload_timeout` counts.
    """

    async def put_segment(self, name: Text, insider_ids: AsyncUserIds, *, timeout: Seconds | None = None) -> Segment:
        """Stores a segment, in place of the one before, in one step when all of it has come."""
        return await self._upload(upload(Segment, "PUT", _path(name)), insider_ids, timeout)

    async def add_segment_users(
        self,
        name: Text,
        insider_ids: AsyncUserIds,
        *,
        timeout: Seconds | None = None,
        idempotency_key: Text | None = None,
    ) -> GrownSegment:
        """Adds users. Who is in it already is passed over."""
        call = upload(GrownSegment, "POST", f"{_path(name)}/users", keyed=True, key=idempotency_key)
        return await self._upload(call, insider_ids, timeout)

    async def remove_segment_users(
        self, name: Text, insider_ids: AsyncUserIds, *, timeout: Seconds | None = None
    ) -> ShrunkSegment:
        """Removes users. Who is not in it is passed over."""
        return await self._upload(upload(ShrunkSegment, "DELETE", f"{_path(name)}/users"), insider_ids, timeout)

    async def get_segment(self, name: Text) -> Segment:
        """How many users there are in a segment."""
        return await self._call(get(Segment, _path(name)))

    async def delete_segment(self, name: Text) -> Success:
        """Deletes a segment. Activities that were registered with it keep their users."""
        return await self._call(delete(Success, _path(name), _deleted))

    async def list_segments(self, *, limit: int | None = None, cursor: Text | None = None) -> SegmentPage:
        """A page of segments, by name."""
        return await self._call(get(SegmentPage, "/api/v1/segments", limit=limit, cursor=cursor))

    async def segments(self, *, page_size: int | None = None) -> AsyncIterator[SegmentSummary]:
        """All segments, page by page as they are asked for."""
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
