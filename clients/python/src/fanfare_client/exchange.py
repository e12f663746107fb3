"""A call on its way to its result, over its attempts. Pure: the driver sends, sleeps, draws and reads the clock."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from .answer import Answer
from .errors import ConnectionFailed, FanfareError, UnexpectedReply, error_class
from .request import Call, Request
from .retry import RETRIED_STATUSES, RetryPolicy

T = TypeVar("T")


@dataclass(frozen=True)
class Done(Generic[T]):
    """The call has succeeded."""

    value: T
    """Its result."""


@dataclass(frozen=True)
class Pause:
    """Sleep so many seconds, and make another attempt."""

    seconds: float
    """How long; 0 for at once."""


@dataclass(frozen=True)
class Failed:
    """The call has failed: raise this."""

    error: FanfareError
    """Why."""


class Exchange(Generic[T]):
    """The attempts of one call.

    The driver asks `attempt` how long the next one may take, sends `request`, and tells what came of it by `answered`
    or `broke`, which say how to go on. Clock readings are seconds of a clock that only goes forward.
    """

    def __init__(
        self, call: Call[T], policy: RetryPolicy, *, now: float, key: str, request_id: str, deadline: float | None = None
    ) -> None:
        """`key` is a fresh idempotency key, for a call that needs one and was given none."""
        request = call.request
        if call.is_keyed and request.idempotency_key is None:
            request = replace(request, idempotency_key=key)
        self.request: Request = request
        self.request_id = request_id
        self.attempts = 0
        self._call = call
        limit = (policy.deadline if deadline is None else deadline) + call.sync_patience
        self._policy = replace(policy, deadline=limit)
        self._failures = 0
        self._begin = now
        self._may_be_done = False

    def attempt(self, now: float) -> float:
        """Begins an attempt. Returns how many seconds it may take."""
        self.attempts += 1
        left = self._policy.deadline - (now - self._begin)
        return max(min(self._policy.attempt_timeout, left), 0.001)

    @property
    def end(self) -> float:
        """When the call must have its result or error, by the clock of `now`."""
        return self._begin + self._policy.deadline

    def unexpected(self, error: UnexpectedReply) -> UnexpectedReply:
        """The error, with the key that the request had."""
        error.idempotency_key = self.request.idempotency_key
        return error

    def answered(self, answer: Answer, *, now: float, draw: float, can_repeat: bool = True) -> Done[T] | Pause | Failed:
        """An answer came. `draw` is random, from 0 to 1; `can_repeat` says whether the body can be sent again."""
        if answer.is_success:
            try:
                return Done(self._call.read(answer.success(), answer.meta()))
            except UnexpectedReply as error:
                return Failed(self.unexpected(error))
        if answer.status < 400:
            text = f"HTTP {answer.status} in place of a reply (request {self.request_id})"
            return Failed(self.unexpected(UnexpectedReply(text)))
        refusal = answer.refusal()
        if answer.status == 404 and self._may_be_done and self._call.absent is not None:
            return Done(self._call.absent(answer.meta()))
        if refusal.code == "DEVICE_NOT_SYNCED":
            patience = self._pause_for_sync(now, refusal.retry_after, draw)
            if patience is not None:
                return patience
        if answer.status in RETRIED_STATUSES and can_repeat:
            pause = self._pause(now, refusal.retry_after, draw)
            if pause is not None:
                self._may_be_done = self._may_be_done or answer.status != 429
                return pause
        kind = error_class(refusal.status, refusal.code)
        return Failed(kind(refusal, attempts=self.attempts, idempotency_key=self.request.idempotency_key))

    def broke(self, reason: str, *, now: float, draw: float, passes: bool = True, sent: bool = True) -> Pause | Failed:
        """No answer came.

        - passes: whether another attempt may fare better, and the body can be sent again.
        - sent: whether the request may have reached the gateway.
        """
        if passes:
            pause = self._pause(now, None, draw)
            if pause is not None:
                self._may_be_done = self._may_be_done or sent
                return pause
        return Failed(
            ConnectionFailed(
                f"{reason} (after {self.attempts} attempts, request {self.request_id})",
                request_id=self.request_id,
                attempts=self.attempts,
                idempotency_key=self.request.idempotency_key,
            )
        )

    def _pause(self, now: float, retry_after: float | None, draw: float) -> Pause | None:
        self._failures += 1
        seconds = self._policy.pause(self._failures, now - self._begin, retry_after, draw)
        return None if seconds is None else Pause(seconds)

    def _pause_for_sync(self, now: float, retry_after: float | None, draw: float) -> Pause | None:
        """Devices take their time, which is no failure: it counts by the caller's patience alone."""
        seconds = (1.0 if retry_after is None else retry_after) + draw * self._policy.first_pause
        return Pause(seconds) if now - self._begin + seconds < self._call.sync_patience else None
