"""Lists of users as the body of an upload: streamed, an id a line, in pieces of bounded size."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

UserIds = Iterable[str]
"""insider_ids. A list, or anything else that can be gone through again, lets the upload be repeated when it breaks off;
an iterator is gone through once."""

AsyncUserIds = Iterable[str] | AsyncIterable[str]
"""As `UserIds`, or asynchronous."""

PIECE = 64 * 1024
"""A piece is sent when it has so many bytes."""


class UsersBody:
    """Users on their way out. In memory there is one piece at a time, however many users there are."""

    def __init__(self, users: AsyncUserIds) -> None:
        """Raises TypeError for a single text, whose characters would be taken for users."""
        if isinstance(users, (str, bytes)):
            raise TypeError("insider_ids are several texts, not one")
        self._users = users
        self._begun = False

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
        self._begun = True
        lines: list[bytes] = []
        size = 0
        for user in self._users:
            lines.append(_line(user))
            size += len(lines[-1])
            if size >= PIECE:
                yield b"".join(lines)
                lines, size = [], 0
        yield b"".join(lines)

    async def async_pieces(self) -> AsyncIterator[bytes]:
        """The body, for an asynchronous client. A plain iterable is gone through on the event loop's thread."""
        if isinstance(self._users, Iterable):
            for piece in self.pieces():
                yield piece
            return
        self._begun = True
        lines: list[bytes] = []
        size = 0
        async for user in self._users:
            lines.append(_line(user))
            size += len(lines[-1])
            if size >= PIECE:
                yield b"".join(lines)
                lines, size = [], 0
        yield b"".join(lines)


def _line(user: str) -> bytes:
    if not isinstance(user, str):
        raise TypeError(f"an insider_id is text, not {type(user).__name__}")
    return json.dumps(user, ensure_ascii=False).encode("utf-8") + b"\n"
