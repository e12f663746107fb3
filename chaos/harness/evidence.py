"""All that the invariants are checked on."""

import collections
import dataclasses

from .ledger import BROADCAST_PREFIX

ENDED = ("done", "superseded", "failed")


@dataclasses.dataclass
class Record:
    """A broadcast as `GET broadcasts/{id}` tells it, and its place among the activity's broadcasts."""
    id: str
    activity: str
    kind: str
    state: str
    accepted: int = 0
    failed: dict = dataclasses.field(default_factory=dict)
    skipped: dict = dataclasses.field(default_factory=dict)
    created_at: float = 0.0
    finished_at: float | None = None
    #: `aps.timestamp` of its pushes; grows with each broadcast of an activity.
    timestamp: int | None = None

    @property
    def prefix(self):
        return self.id[:BROADCAST_PREFIX].lower()

    @property
    def total(self):
        return self.accepted + sum(self.failed.values()) + sum(self.skipped.values())

    def __str__(self):
        finished = f"{self.finished_at:.3f}" if self.finished_at else "never"
        return (f"broadcast {self.id} ({self.kind}, {self.state}, {self.created_at:.3f} to {finished}): accepted"
                f" {self.accepted}, failed {self.failed}, skipped {self.skipped}")


@dataclasses.dataclass(frozen=True)
class Key:
    """A key in Redis. `ttl` in milliseconds, -1 without; `length` and `pending` are a stream's."""
    name: str
    type: str
    ttl: int
    length: int = 0
    pending: int = 0
    #: The first part of a hash's content, where it may tell something.
    content: str = ""


@dataclasses.dataclass
class Evidence:
    activities: dict
    calls: list
    syncs: list
    #: By id.
    records: dict
    pushes: list
    faults: list
    #: The broadcast that holds an activity's start lock, by activity.
    start_locks: dict = dataclasses.field(default_factory=dict)
    keys: list = dataclasses.field(default_factory=list)
    #: What was wrong with processes, and with answers as they came.
    misdeeds: list = dataclasses.field(default_factory=list)
    oddities: list = dataclasses.field(default_factory=list)
    #: A function: the push-to-start token of a device.
    start_token: object = None
    resends: bool = False
    #: Whether Redis was made to throw keys away.
    evicts: bool = False
    #: A function: whether a device can be pushed to at all.
    is_reachable: object = lambda device: True
    #: A gateway's connections to the provider at most.
    connections: int = 3
    gateways: int = 3
    #: Of a connection, streams that may be open at a time.
    streams: int = 0
    #: Which gateway made a connection to the provider.
    gateway_of_connection: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        self.pushes_of_broadcast = collections.defaultdict(list)
        self.pushes_to_token = collections.defaultdict(list)
        for push in self.pushes:
            self.pushes_of_broadcast[push.broadcast].append(push)
            self.pushes_to_token[push.token].append(push)
        #: When a connection broke: its last push has got no answer.
        self.break_of_connection = {}
        for push in self.pushes:
            self.break_of_connection[push.connection] = (
                push.time if push.status is None or not push.answer_sent else None)
        self.records_of_activity = collections.defaultdict(list)
        for record in self.records.values():
            self.records_of_activity[record.activity].append(record)
            if record.timestamp is None:
                stamps = [push.timestamp for push in self.pushes_of_broadcast[record.prefix]]
                record.timestamp = min(stamps, default=None)
        self.call_of_broadcast = {}
        for call in self.calls:
            for identifier in call.broadcast_ids:
                self.call_of_broadcast[identifier] = call
        numbered = {call.number: call for call in self.calls}
        for record in self.records.values():
            pushes = self.pushes_of_broadcast[record.prefix]
            if record.id not in self.call_of_broadcast and pushes and pushes[0].call in numbered:
                self.call_of_broadcast[record.id] = numbered[pushes[0].call]

    def calls_of(self, activity, kind):
        return [call for call in self.calls if call.activity == activity and call.kind == kind]

    def starts_of(self, activity):
        """The activity's starts, the first one first."""
        starts = [record for record in self.records_of_activity[activity] if record.kind == "start"]
        return sorted(starts, key=lambda record: record.created_at)

    def is_first_start(self, record):
        """The others are for those alone whom the first one has left out."""
        return record is self.starts_of(record.activity)[0]

    def disturbances(self, kinds, begin, end):
        """Faults of these kinds that overlap a time."""
        return [fault for fault in self.faults
                if fault.kind in kinds and fault.at <= end and (fault.until is None or fault.until >= begin)]


@dataclasses.dataclass(frozen=True)
class Violation:
    rule: str
    #: What was found, with ids.
    text: str
    #: Lines for those who look into it.
    details: tuple = ()
