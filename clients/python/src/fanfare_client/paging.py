"""Iteration over the pages of a listing."""

from __future__ import annotations

from .errors import UnexpectedReply


def next_cursor(cursor: str | None, before: str | None) -> str | None:
    """Returns the cursor of the next page, or None at the end.

    Raises UnexpectedReply for the cursor of this page, because the iteration would never end.
    """
    if cursor is not None and cursor == before:
        raise UnexpectedReply("a page names itself as the next one")
    return cursor
