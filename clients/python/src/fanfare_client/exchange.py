"""The attempts of a call up to its result. Pure: the driver sends, sleeps, draws random numbers and reads the clock."""

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
    """The call succeeded."""

    value: T
    """The call's result."""


@dataclass(frozen=True)
class Pause:
    """The driver must pause and make another attempt."""

    seconds: float
    """The length of the pause; 0 for none."""


@dataclass(frozen=True)
class Failed:
    """The call failed."""

    error: FanfareError
    """The error to raise."""


class Exchange(Generic[T]):
    """The attempts of one call.

    The driver calls `attempt` for the timeout of the next attempt and sends `request`. It reports the outcome with
    `answered` or `broke`, which return the next step. Clock readings are seconds of a monotonic clock.
    """

    def __init__(
        self, call: Call[T], policy: RetryPolicy, *, now: float, key: str, request_id: str, deadline: float | None = None
    ) -> None:
        """- key: a new idempotency key, for a call that needs one and has none."""
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
        """Begins an attempt. Returns its timeout in seconds."""
        self.attempts += 1
        left = self._policy.deadline - (now - self._begin)
        return max(min(self._policy.attempt_timeout, left), 0.001)

    @property
    def end(self) -> float:
        """The time by which the call must end, by the clock of `now`."""
        return self._begin + self._policy.deadline

    def unexpected(self, error: UnexpectedReply) -> UnexpectedReply:
        """Returns the error with the request's idempotency key."""
        error.idempotency_key = self.request.idempotency_key
        return error

    def answered(self, answer: Answer, *, now: float, draw: float, can_repeat: bool = True) -> Done[T] | Pause | Failed:
        """Handles an answer.

        - draw: a random number from 0 to 1.
        - can_repeat: True if the body can be sent again.
        """
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
        """Handles an attempt without an answer.

        - passes: True if another attempt may succeed and the body can be sent again.
        - sent: True if the request may have reached the gateway.
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
        """Returns the pause for devices that have not synced. Only the caller's `wait_for_sync` limits these pauses."""
        seconds = (1.0 if retry_after is None else retry_after) + draw * self._policy.first_pause
        return Pause(seconds) if now - self._begin + seconds < self._call.sync_patience else None
