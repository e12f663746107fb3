"""What was asked and answered. The checks know this, the provider's ledger and what is kept in the end, and nothing else."""

import dataclasses
import itertools
import math
import threading

from harness.ledger import BROADCAST_PREFIX

DONE = (200, 202)


def prefix_of(identifier):
    """As much of a broadcast's id as its pushes show."""
    return identifier[:BROADCAST_PREFIX].lower()


@dataclasses.dataclass
class Attempt:
    """One request with an API key. Times are seconds since 1970."""
    gateway: int
    sent_at: float
    answered_at: float | None = None
    #: None: no answer.
    status: int | None = None
    body: dict = dataclasses.field(default_factory=dict)

    def answered(self, at, status, body):
        self.answered_at, self.status, self.body = at, status, body

    @property
    def code(self):
        return self.body.get("code")

    @property
    def broadcast(self):
        """The id that it was told."""
        return self.body.get("broadcast_id") if self.status in DONE else None

    def __str__(self):
        answered = "never" if self.answered_at is None else f"{self.answered_at:.3f}"
        return (f"at gateway-{self.gateway}, {self.sent_at:.3f} to {answered}: {self.status or 'no answer'}"
                f" {self.code or self.broadcast or ''}".rstrip())


@dataclasses.dataclass
class Activity:
    id: str
    #: Of the run, in the content of its pushes.
    number: int
    tenant: int
    #: Of its devices: their names as calls give them, what starts go to, and what updates go to. Of an activity that nobody
    #: updates there are none of these.
    devices: list
    start_tokens: list
    tokens: list
    #: Whether its updates leave a second apart.
    is_paced: bool = False


@dataclasses.dataclass
class Call:
    """An update, with all attempts."""
    #: In its content. It rises with each call, of an activity and of the run.
    number: int
    activity: str
    #: Of the devices that it is for.
    tokens: list
    key: str | None = None
    #: How it is sent.
    manner: str = "plain"
    attempts: list = dataclasses.field(default_factory=list)

    @property
    def broadcasts(self):
        return {each.broadcast for each in self.attempts if each.broadcast}

    @property
    def begun_at(self):
        """It was not recorded before."""
        return self.attempts[0].sent_at if self.attempts else math.inf

    @property
    def known_at(self):
        """It was recorded by then, and will not be once more."""
        return min((each.answered_at for each in self.attempts if each.broadcast), default=math.inf)

    @property
    def may_be_recorded(self):
        """Whether any attempt got through, got no answer, or failed at a moment that nobody knows."""
        return any(each.status is None or each.status in DONE or each.status >= 500 for each in self.attempts)

    def __str__(self):
        return (f"update {self.number} of {self.activity} ({self.manner}; "
                + "; ".join(str(each) for each in self.attempts) + ")")


@dataclasses.dataclass
class Start:
    """A start, asked for once."""
    activity: str
    attempt: Attempt


class Journal:
    """Of all threads of a run."""

    def __init__(self):
        self.activities, self.calls, self.starts, self.oddities = {}, [], [], []
        #: For each tenant, all requests with its API key.
        self.requests = {}
        self._numbers, self._lock = itertools.count(1), threading.Lock()

    def add_call(self, activity, tokens, manner, key=None):
        with self._lock:
            call = Call(next(self._numbers), activity.id, tokens, key, manner)
            self.calls.append(call)
            return call

    def attempt(self, tenant, gateway, now):
        attempt = Attempt(gateway, now)
        self.requests.setdefault(tenant, []).append(attempt)
        return attempt

    def add_start(self, activity, attempt):
        self.starts.append(Start(activity.id, attempt))

    def odd(self, sentence):
        self.oddities.append(sentence)
