"""Sends requests. `exchange` has the decisions; this module has the socket, the clock and randomness."""

from __future__ import annotations

import random
import time
import uuid
from contextlib import contextmanager
from collections.abc import Iterator
from typing import TypeVar

import httpx

from ..errors import UnexpectedReply
from ..exchange import Done, Exchange, Failed, Pause
from ..request import Call, Request
from ..settings import LONGEST_REPLY, Settings, answer_of, is_readable, may_have_arrived, may_pass, reason_of
from ..users_body import UserIds, UsersBody

T = TypeVar("T")


class Transport:
    """Executes calls over a pool of open connections."""

    def __init__(self, settings: Settings, http: httpx.Client | None) -> None:
        self.settings = settings
        self._owned = http is None
        self._http = http or httpx.Client(follow_redirects=False)

    def close(self) -> None:
        """Closes the connections, unless the caller passed the HTTP client."""
        if self._owned:
            self._http.close()

    def call(self, call: Call[T], deadline: float | None = None) -> T:
        """Returns the result of a call after one or more attempts. Raises FanfareError."""
        return self._carry_out(call, None, deadline)

    def upload(self, call: Call[T], users: UserIds, deadline: float) -> T:
        """Returns the result of a call whose body is a list of users."""
        return self._carry_out(call, UsersBody(users), deadline)

    def _carry_out(self, call: Call[T], users: UsersBody | None, deadline: float | None) -> T:
        exchange = Exchange(
            call,
            self.settings.policy,
            now=time.monotonic(),
            key=str(uuid.uuid4()),
            request_id=str(uuid.uuid4()),
            deadline=deadline,
        )
        while True:
            step: Done[T] | Pause | Failed
            timeout = exchange.attempt(time.monotonic())
            # The source limits the speed of an upload, so only other requests have a limit for the whole attempt.
            end = exchange.end if users is not None else time.monotonic() + timeout
            try:
                with self._open(exchange.request, exchange.request_id, timeout, users) as response:
                    body = self._read(response, end)
            except UnexpectedReply as error:
                raise exchange.unexpected(error) from None
            except (httpx.InvalidURL, UnicodeError) as error:
                if users is not None:
                    raise
                raise exchange.unexpected(UnexpectedReply("a redirect to what is no URL")) from error
            except httpx.RequestError as error:
                if users is not None and users.error is not None:
                    raise users.error
                step = exchange.broke(
                    reason_of(error),
                    now=time.monotonic(),
                    draw=random.random(),
                    passes=may_pass(error) and (users is None or users.can_repeat),
                    sent=may_have_arrived(error),
                )
                if isinstance(step, Failed):
                    raise step.error from error
            else:
                step = exchange.answered(
                    answer_of(response, body),
                    now=time.monotonic(),
                    draw=random.random(),
                    can_repeat=users is None or users.can_repeat,
                )
            if isinstance(step, Done):
                return step.value
            if isinstance(step, Failed):
                raise step.error
            time.sleep(step.seconds)

    @contextmanager
    def stream(self, request: Request, timeout: float, headers: dict[str, str]) -> Iterator[httpx.Response]:
        """Makes one attempt of a request with a streamed reply. Raises httpx.RequestError."""
        with self._open(request, str(uuid.uuid4()), timeout, None, headers) as response:
            yield response

    @contextmanager
    def _open(
        self,
        request: Request,
        request_id: str,
        timeout: float,
        users: UsersBody | None,
        more_headers: dict[str, str] | None = None,
    ) -> Iterator[httpx.Response]:
        headers = self.settings.headers(request, request_id) | (more_headers or {})
        with self._http.stream(
            request.method,
            self.settings.target(request),
            headers=headers,
            content=request.body if users is None else users.pieces(),
            timeout=self.settings.timeout(timeout),
            follow_redirects=False,
        ) as response:
            yield response

    def _read(self, response: httpx.Response, end: float) -> bytes:
        """Returns the whole body, within limits of size and time. Returns nothing if its coding was not requested.

        Raises httpx.RequestError.
        """
        if not is_readable(response):
            return b""
        timeouts = response.request.extensions["timeout"]
        timeouts["read"] = max(min(timeouts["read"], end - time.monotonic()), 0.001)
        pieces: list[bytes] = []
        size = 0
        for piece in response.iter_bytes():
            size += len(piece)
            if size > LONGEST_REPLY:
                raise UnexpectedReply(f"a reply has more than {LONGEST_REPLY} bytes")
            if time.monotonic() > end:
                raise httpx.ReadTimeout("the reply did not end in time", request=response.request)
            pieces.append(piece)
        return b"".join(pieces)
