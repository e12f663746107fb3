"""What the harness did and was answered. The invariants are checked against this alone, and the provider's ledger."""

import dataclasses
import itertools
import threading
import time


@dataclasses.dataclass
class Attempt:
    """One request of a call. Times are seconds since 1970."""
    gateway: int
    sent_at: float
    answered_at: float | None = None
    #: None: no answer. Whether it was carried out is then not known, unless `is_refused`.
    status: int | None = None
    code: str | None = None
    broadcast_id: str | None = None
    sessions: int | None = None
    #: The connection was refused: nobody has seen the request.
    is_refused: bool = False

    def __str__(self):
        answered = f"{self.answered_at:.3f}" if self.answered_at else "never"
        return (f"at gateway-{self.gateway}, {self.sent_at:.3f} to {answered}: {self.status or 'no answer'}"
                f" {self.code or ''} {self.broadcast_id or ''}".rstrip())


@dataclasses.dataclass
class Call:
    """A start, update or end, with all its attempts."""
    number: int
    kind: str
    activity: str
    #: The devices it names; None for the whole segment.
    targets: list[int] | None = None
    key: str | None = None
    is_async: bool = False
    #: When its content is stale, in seconds since 1970; None: later than a run lasts.
    expires_at: int | None = None
    attempts: list[Attempt] = dataclasses.field(default_factory=list)

    @property
    def outcome(self):
        """Of the last attempt: a status with its code, or that there was no answer."""
        if not self.attempts or self.attempts[-1].status is None:
            return "no answer"
        last = self.attempts[-1]
        return f"{last.status} {last.code}" if last.code else str(last.status)

    @property
    def broadcast_ids(self):
        return {each.broadcast_id for each in self.attempts if each.broadcast_id}

    @property
    def is_acknowledged(self):
        return any(each.status in (200, 202) for each in self.attempts)


@dataclasses.dataclass
class Sync:
    """The report of a Live Activity's update token by a device; acknowledged when the gateway answered 200."""
    activity: str
    device: int
    token: str
    sent_at: float
    acknowledged_at: float | None = None
    outcome: str = "no answer"
    #: The way in which the report names the activity: `id` or `type`.
    way: str = "id"
    #: The activity that the gateway took it for.
    answered_activity: str | None = None
    attempts: list[Attempt] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Activity:
    id: str
    number: int
    #: The devices of its segment, as far as they could be eligible: dead tokens go with the first answer that says so.
    devices: list[int]
    #: The devices that its start is for.
    started_devices: list[int]
    #: How many devices the start must account for; the two differ when an answer of add-users was lost.
    least: int = 0
    most: int = 0
    #: Whether its end was asked for, and the devices whose Live Activity alone was.
    may_be_over: bool = False
    ended_live_activities: set[int] = dataclasses.field(default_factory=set)


@dataclasses.dataclass
class Fault:
    """What was done to whom, and until when it lasted."""
    kind: str
    target: str
    at: float
    until: float | None = None
    #: The number of the gateway that it was done to; None when it concerns all.
    gateway: int | None = None
    #: When the same gateway was lost once more.
    lost_again: float | None = None


class Journal:
    """Written by many threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.activities = {}
        self.calls = []
        self.syncs = []
        self.faults = []
        self.oddities = []
        self.numbers = itertools.count(1)

    def call(self, kind, activity, **more):
        with self.lock:
            call = Call(next(self.numbers), kind, activity, **more)
            self.calls.append(call)
            return call

    def add(self, record):
        with self.lock:
            if isinstance(record, Activity):
                self.activities[record.id] = record
            elif isinstance(record, Sync):
                self.syncs.append(record)
            else:
                self.faults.append(record)

    def odd(self, text):
        """An answer that must not be, seen as it came."""
        with self.lock:
            self.oddities.append(text)


def now():
    return time.time()
