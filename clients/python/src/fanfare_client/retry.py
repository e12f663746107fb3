"""The rules for retries. Pure: time and randomness are arguments."""

from __future__ import annotations

from dataclasses import dataclass

RETRIED_STATUSES = frozenset({429, 502, 503, 504})
"""The statuses of temporary refusals."""


@dataclass(frozen=True)
class RetryPolicy:
    """The limits of attempts and pauses of a call. Times are seconds.

    The pause before attempt n + 1 is random between 0 and `first_pause` * 2^(n-1), at most `longest_pause` (capped
    exponential backoff with full jitter). If the gateway sends `Retry-After`, the client adds this pause to it.
    """

    attempts: int = 6
    """The maximum number of attempts. 1 disables retries."""
    deadline: float = 120.0
    """The maximum time of a call, including pauses. The client begins no pause that would end later."""
    attempt_timeout: float = 60.0
    """The maximum time of one attempt. A start waits up to 30 seconds for its pushes, so use a higher value."""
    connect_timeout: float = 10.0
    """The maximum time to get a connection."""
    first_pause: float = 0.25
    """The maximum length of the first pause."""
    longest_pause: float = 8.0
    """The maximum length of a pause without `Retry-After`."""

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError("attempts must be at least 1")
        times = (self.deadline, self.attempt_timeout, self.connect_timeout, self.longest_pause)
        if min(times) <= 0 or self.first_pause < 0:
            raise ValueError("times must be above 0")

    def backoff(self, failures: int, draw: float) -> float:
        """Returns the pause after 1 or more consecutive failures.

        - draw: a random number from 0 to 1.
        """
        doublings = min(max(failures, 1) - 1, 32)
        return draw * min(self.longest_pause, self.first_pause * float(2**doublings))

    def pause(self, failures: int, elapsed: float, retry_after: float | None, draw: float) -> float | None:
        """Returns the seconds until the next attempt, or None if attempts or time are used up.

        - failures: the number of failed attempts, including this one.
        - elapsed: the seconds since the start of the call.
        """
        if failures >= self.attempts:
            return None
        pause = (retry_after or 0.0) + self.backoff(failures, draw)
        return pause if elapsed + pause < self.deadline else None
