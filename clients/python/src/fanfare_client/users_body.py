"""Lists of users as the body of an upload: streamed, an id a line, in pieces of bounded size."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

from .arguments import Text
from .naming import checked_users, user_id

UserIds = Iterable[Text]
"""insider_ids. A list, or anything else that can be gone through again, lets the upload be repeated when it breaks off;
an iterator is gone through once. What gives others the second time, as a file does, fails then and changes nothing.
The ends of a text file's lines are no part of an id, and its empty lines are left out."""

AsyncUserIds = Iterable[Text] | AsyncIterable[Text]
"""As `UserIds`, or asynchronous."""

PIECE = 64 * 1024
"""A piece is sent when it has so many bytes."""


class UsersBody:
    """Users on their way out. In memory there is one piece at a time, however many users there are."""

    def __init__(self, users: AsyncUserIds) -> None:
        """Raises TypeError for a single text, whose characters would be taken for users, and for what has no users."""
        checked_users(users)
        if not isinstance(users, (Iterable, AsyncIterable)):
            raise TypeError(f"insider_ids are several texts, not {type(users).__name__}")
        self._users = users
        self._begun = False
        self._is_first = True
        self._first_piece: bytes | None = None
        self.error: Exception | None = None
        """What the source has raised, whatever the network makes of it."""

    @property
    def can_repeat(self) -> bool:
        """Whether the body can be sent from its beginning (again)."""
        if not self._begun:
            return True
        if isinstance(self._users, AsyncIterable):
            return not isinstance(self._users, AsyncIterator)
        return not isinstance(self._users, Iterator)

    def pieces(self) -> Iterator[bytes]:
        """The body, for a client without asynchrony."""
        if not isinstance(self._users, Iterable):
            raise TypeError("an asynchronous source of users is for AsyncFanfare")
        self._begun = self._is_first = True
        packing = _Packing()
        for user in self._source(self._users):
            if (piece := packing.add(user)) is not None:
                yield self._checked(piece)
        yield self._checked(packing.take())

    async def async_pieces(self) -> AsyncIterator[bytes]:
        """The body, for an asynchronous client. A plain iterable is gone through on the event loop's thread."""
        if isinstance(self._users, Iterable):
            for whole in self.pieces():
                yield whole
            return
        self._begun = self._is_first = True
        packing = _Packing()
        async for user in self._async_source(self._users):
            if (piece := packing.add(user)) is not None:
                yield self._checked(piece)
        yield self._checked(packing.take())

    def _checked(self, piece: bytes) -> bytes:
        """The piece. Raises ValueError when the body begins otherwise than on the attempt before: a source that goes on
        where it was, as a file does, would leave a segment with the rest."""
        if not self._is_first:
            return piece
        self._is_first = False
        if self._first_piece is None:
            self._first_piece = piece
        if piece != self._first_piece:
            raise ValueError("insider_ids gave other users when the upload was repeated: give a list, or an iterator")
        return piece

    def _source(self, users: Iterable[Text]) -> Iterator[Text]:
        try:
            yield from users
        except Exception as error:
            self.error = error
            raise

    async def _async_source(self, users: AsyncIterable[Text]) -> AsyncIterator[Text]:
        try:
            async for user in users:
                yield user
        except Exception as error:
            self.error = error
            raise


class _Packing:
    """Lines that wait until they are a piece."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._size = 0
        self._is_first = True

    def add(self, given: object) -> bytes | None:
        """A piece, when this user fills it. Raises TypeError for what is no user."""
        user = user_id(given, is_first=self._is_first)
        self._is_first = False
        if user is None:
            return None
        self._lines.append(json.dumps(user, ensure_ascii=False).encode("utf-8") + b"\n")
        self._size += len(self._lines[-1])
        return self.take() if self._size >= PIECE else None

    def take(self) -> bytes:
        """What there is."""
        piece = b"".join(self._lines)
        self._lines, self._size = [], 0
        return piece
