"""Following a broadcast: when to stream, when to ask, when to give up. Pure."""

from __future__ import annotations

import json

from .errors import UnexpectedReply, WaitTimeout
from .replies.broadcasts import Broadcast
from .replies.reading import Meta, read_reply
from .retry import RetryPolicy
from .sse import ServerSentEvent

SILENCE = 20.0
"""A stream from which nothing has come for so many seconds is broken: the gateway sends a comment every 15."""

LONGEST_ASKING = 1.0
"""The longest pause between two questions when there is no stream."""

SHORTEST_AFTER_LOSS = 1.0
"""The shortest pause before a stream is opened again: one that breaks off after each event would else use up the key's rate."""


class Following:
    """Where somebody stands who follows a broadcast until it ends. Clock readings are seconds."""

    def __init__(self, broadcast_id: str, policy: RetryPolicy, *, now: float, timeout: float) -> None:
        self.last_event_id = ""
        """What to send as `Last-Event-ID`."""
        self.broadcast: Broadcast | None = None
        """What was heard last."""
        self.stay_away: float | None = None
        """Seconds that the gateway has asked for before the stream is opened again."""
        self._id = broadcast_id
        self._policy = policy
        self._end = now + timeout
        self._losses = 0
        self._questions = 0

    def left(self, now: float) -> float:
        """Seconds that there are left to wait. Raises WaitTimeout when there are none."""
        left = self._end - now
        if left > 0:
            return left
        known = f": {self.broadcast.state}, {self.broadcast.accepted} accepted" if self.broadcast else ""
        raise WaitTimeout(f"broadcast {self._id} had not ended in time{known}")

    def wants_stream(self, now: float) -> bool:
        """Whether to stream, or to ask again and again. Near the end of the time a stream, which may be silent for
        long, would overstep it."""
        return self.left(now) > SILENCE

    def heard(self, event: ServerSentEvent, meta: Meta) -> Broadcast | None:
        """What an event says. Raises UnexpectedReply when it says something else."""
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
        """The newest that is known. Raises UnexpectedReply when it is of another broadcast."""
        if broadcast.broadcast_id.lower() != self._id.lower():
            raise UnexpectedReply(f"broadcast {broadcast.broadcast_id} was answered in place of {self._id}")
        self.broadcast = broadcast
        return broadcast

    def pause_after_loss(self, now: float, draw: float) -> float:
        """Seconds until the stream is opened again, after it broke off or was refused."""
        self._losses += 1
        pause = max(self.stay_away or 0.0, SHORTEST_AFTER_LOSS, self._policy.backoff(self._losses, draw))
        return min(pause, self.left(now))

    def pause_between_questions(self, now: float) -> float:
        """Seconds until the next question: 0.1 first, twice as much each time, up to a second."""
        self._questions += 1
        return min(0.1 * float(2 ** min(self._questions - 1, 8)), LONGEST_ASKING, self.left(now))
