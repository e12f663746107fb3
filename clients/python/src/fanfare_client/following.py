"""The decisions while following a broadcast: to stream, to poll or to stop. Pure."""

from __future__ import annotations

import json

from .errors import UnexpectedReply, WaitTimeout
from .replies.broadcasts import Broadcast
from .replies.reading import Meta, read_reply
from .retry import RetryPolicy
from .sse import ServerSentEvent

SILENCE = 20.0
"""The seconds of silence after which a stream counts as broken. The gateway sends a comment every 15 seconds."""

LONGEST_ASKING = 1.0
"""The longest pause in seconds between two polls without a stream."""

SHORTEST_AFTER_LOSS = 1.0
"""The shortest pause in seconds before reopening a stream. It keeps an unstable stream from using up the key's rate."""


class Following:
    """The state of following a broadcast until it ends. Clock readings are seconds."""

    def __init__(self, broadcast_id: str, policy: RetryPolicy, *, now: float, timeout: float) -> None:
        self.last_event_id = ""
        """The value to send as `Last-Event-ID`."""
        self.broadcast: Broadcast | None = None
        """The latest state of the broadcast."""
        self.stay_away: float | None = None
        """The seconds that the gateway requests before the stream is reopened."""
        self._id = broadcast_id
        self._policy = policy
        self._end = now + timeout
        self._losses = 0
        self._questions = 0

    def left(self, now: float) -> float:
        """Returns the seconds left to wait. Raises WaitTimeout if none are left."""
        left = self._end - now
        if left > 0:
            return left
        known = f": {self.broadcast.state}, {self.broadcast.accepted} accepted" if self.broadcast else ""
        raise WaitTimeout(f"broadcast {self._id} had not ended in time{known}")

    def wants_stream(self, now: float) -> bool:
        """Returns True to stream, or False to poll. Near the timeout, a silent stream would exceed it."""
        return self.left(now) > SILENCE

    def heard(self, event: ServerSentEvent, meta: Meta) -> Broadcast | None:
        """Returns the broadcast in an event. Raises UnexpectedReply for other data."""
        self.last_event_id = event.id if event.id.isascii() and event.id.isprintable() and len(event.id) <= 255 else ""
        if event.event not in ("progress", "end"):
            return None
        try:
            body = json.loads(event.data)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise UnexpectedReply("an event of the stream is no JSON object")
        self._losses = 0
        return self.learned(read_reply(Broadcast, body, meta))

    def learned(self, broadcast: Broadcast) -> Broadcast:
        """Stores and returns the latest state. Raises UnexpectedReply for another broadcast."""
        if broadcast.broadcast_id.lower() != self._id.lower():
            raise UnexpectedReply(f"broadcast {broadcast.broadcast_id} was answered in place of {self._id}")
        self.broadcast = broadcast
        return broadcast

    def pause_after_loss(self, now: float, draw: float) -> float:
        """Returns the seconds until the stream is reopened after it was interrupted or refused."""
        self._losses += 1
        pause = max(self.stay_away or 0.0, SHORTEST_AFTER_LOSS, self._policy.backoff(self._losses, draw))
        return min(pause, self.left(now))

    def pause_between_questions(self, now: float) -> float:
        """Returns the seconds until the next poll: 0.1 at first, doubled each time, at most 1."""
        self._questions += 1
        return min(0.1 * float(2 ** min(self._questions - 1, 8)), LONGEST_ASKING, self.left(now))
