"""Going through the pages of a listing."""

from __future__ import annotations

from .errors import UnexpectedReply


def next_cursor(cursor: str | None, before: str | None) -> str | None:
    """Where the next page begins; None at the end. Raises UnexpectedReply for the cursor that led here: the same page would
    come for ever."""
    if cursor is not None and cursor == before:
        raise UnexpectedReply("a page names itself as the next one")
    return cursor
