"""Lists of users as the body of an upload: streamed, one id a line, in chunks of bounded size."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

from .arguments import Text
from .naming import checked_users, user_id

UserIds = Iterable[Text]
"""insider_ids. The client can repeat an interrupted upload of a list or another reusable iterable, but not of an
iterator. A source with other users on the second pass, for example a file, fails and changes nothing.
Line ends of a text file are removed, and its empty lines are skipped."""

AsyncUserIds = Iterable[Text] | AsyncIterable[Text]
"""The same as `UserIds`, or asynchronous."""

PIECE = 64 * 1024
"""The size in bytes at which a chunk is sent."""


class UsersBody:
    """The body of an upload of users. Only one chunk is in memory at a time."""

    def __init__(self, users: AsyncUserIds) -> None:
        """Raises TypeError for a single text, because its characters would count as users, and for non-iterables."""
        checked_users(users)
        if not isinstance(users, (Iterable, AsyncIterable)):
            raise TypeError(f"insider_ids are several texts, not {type(users).__name__}")
        self._users = users
        self._begun = False
        self._is_first = True
        self._first_piece: bytes | None = None
        self.error: Exception | None = None
        """The error that the source raised."""

    @property
    def can_repeat(self) -> bool:
        """True if the body can be sent from its beginning."""
        if not self._begun:
            return True
        if isinstance(self._users, AsyncIterable):
            return not isinstance(self._users, AsyncIterator)
        return not isinstance(self._users, Iterator)

    def pieces(self) -> Iterator[bytes]:
        """Returns the body for the client without asyncio."""
        if not isinstance(self._users, Iterable):
            raise TypeError("an asynchronous source of users is for AsyncFanfare")
        self._begun = self._is_first = True
        packing = _Packing()
        for user in self._source(self._users):
            if (piece := packing.add(user)) is not None:
                yield self._checked(piece)
        yield self._checked(packing.take())

    async def async_pieces(self) -> AsyncIterator[bytes]:
        """Returns the body for the asyncio client. Iterates over a plain iterable on the event loop's thread."""
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
        """Returns the chunk. Raises ValueError if the body begins differently than on the attempt before.

        A source that continues at its position, for example a file, would leave a segment with only the rest."""
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
    """The lines of the next chunk."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._size = 0
        self._is_first = True

    def add(self, given: object) -> bytes | None:
        """Returns a chunk if this user fills it. Raises TypeError for an invalid user."""
        user = user_id(given, is_first=self._is_first)
        self._is_first = False
        if user is None:
            return None
        self._lines.append(json.dumps(user, ensure_ascii=False).encode("utf-8") + b"\n")
        self._size += len(self._lines[-1])
        return self.take() if self._size >= PIECE else None

    def take(self) -> bytes:
        """Returns the lines so far as a chunk."""
        piece = b"".join(self._lines)
        self._lines, self._size = [], 0
        return piece
