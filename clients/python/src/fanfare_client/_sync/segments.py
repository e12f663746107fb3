"""Stored segments: lists of users of any size."""

from __future__ import annotations

from collections.abc import Iterator

from ..arguments import Seconds, Text
from ..paging import next_cursor
from ..replies.reading import Meta
from ..replies.segments import GrownSegment, Segment, SegmentPage, SegmentSummary, ShrunkSegment
from ..replies.users import Success
from ..request import delete, get, segment_of_path, upload
from ..users_body import UserIds
from .base import Routes


class Segments(Routes):
    """The routes under `/api/v1/segments`.

    The client streams users from their source in bounded memory. If the source raises an error, the call raises it and
    changes nothing. The client repeats an interrupted upload if its source is reusable, for example a list.
    `timeout` is in seconds. Default: the client's `upload_timeout`.
    """

    def put_segment(self, name: Text, insider_ids: UserIds, *, timeout: Seconds | None = None) -> Segment:
        """Creates or replaces a segment, in one step after the whole upload."""
        return self._upload(upload(Segment, "PUT", _path(name)), insider_ids, timeout)

    def add_segment_users(
        self,
        name: Text,
        insider_ids: UserIds,
        *,
        timeout: Seconds | None = None,
        idempotency_key: Text | None = None,
    ) -> GrownSegment:
        """Adds users. Ignores users that are already in the segment."""
        call = upload(GrownSegment, "POST", f"{_path(name)}/users", keyed=True, key=idempotency_key)
        return self._upload(call, insider_ids, timeout)

    def remove_segment_users(
        self, name: Text, insider_ids: UserIds, *, timeout: Seconds | None = None
    ) -> ShrunkSegment:
        """Removes users. Ignores users that are not in the segment."""
        return self._upload(upload(ShrunkSegment, "DELETE", f"{_path(name)}/users"), insider_ids, timeout)

    def get_segment(self, name: Text) -> Segment:
        """Returns a segment with its number of users."""
        return self._call(get(Segment, _path(name)))

    def delete_segment(self, name: Text) -> Success:
        """Deletes a segment. Activities registered with it keep their users."""
        return self._call(delete(Success, _path(name), _deleted))

    def list_segments(self, *, limit: int | None = None, cursor: Text | None = None) -> SegmentPage:
        """Returns a page of segments, by name."""
        return self._call(get(SegmentPage, "/api/v1/segments", limit=limit, cursor=cursor))

    def segments(self, *, page_size: int | None = None) -> Iterator[SegmentSummary]:
        """Iterates over all segments, and requests pages as needed."""
        cursor: str | None = None
        while True:
            page = self.list_segments(limit=page_size, cursor=cursor)
            for segment in page.segments:
                yield segment
            if (cursor := next_cursor(page.cursor, cursor)) is None:
                return


def _path(name: Text) -> str:
    return f"/api/v1/segments/{segment_of_path(name)}"


def _deleted(meta: Meta) -> Success:
    return Success(meta=meta)
