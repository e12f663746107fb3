"""When a request is sent again, and after how long. Pure: time and randomness come in as arguments."""

from __future__ import annotations

from dataclasses import dataclass

RETRIED_STATUSES = frozenset({429, 502, 503, 504})
"""Refusals that pass by themselves."""


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long a call is tried. Times are seconds.

    The pause before attempt n + 1 is drawn evenly from 0 to `first_pause` * 2^(n-1), at most `longest_pause` (capped
    exponential backoff with full jitter). A `Retry-After` of the gateway is kept to in full, and such a pause added.
    """

    attempts: int = 6
    """How many times a request is sent at most. 1 switches retries off."""
    deadline: float = 120.0
    """From the call to its result or error, pauses included. A pause that would end later is not begun."""
    attempt_timeout: float = 60.0
    """How long one attempt may take. A start waits up to 30 s for its pushes, so less would break it off."""
    connect_timeout: float = 10.0
    """How long it may take to get a connection."""
    first_pause: float = 0.25
    """The longest that the first pause can be."""
    longest_pause: float = 8.0
    """The longest that any pause can be, without a `Retry-After`."""

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError("attempts must be at least 1")
        times = (self.deadline, self.attempt_timeout, self.connect_timeout, self.longest_pause)
        if min(times) <= 0 or self.first_pause < 0:
            raise ValueError("times must be above 0")

    def backoff(self, failures: int, draw: float) -> float:
        """The pause after so many failures in a row (1 or more); `draw` is random, from 0 to 1."""
        doublings = min(max(failures, 1) - 1, 32)
        return draw * min(self.longest_pause, self.first_pause * float(2**doublings))

    def pause(self, failures: int, elapsed: float, retry_after: float | None, draw: float) -> float | None:
        """Seconds until the next attempt, or None when there is none: attempts or time are used up.

        - failures: how many attempts have failed, this one included.
        - elapsed: seconds since the call began.
        """
        if failures >= self.attempts:
            return None
        pause = (retry_after or 0.0) + self.backoff(failures, draw)
        return pause if elapsed + pause < self.deadline else None
