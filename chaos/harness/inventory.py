"""What Redis holds in the end: keys with their life, the records' order, and who holds the start locks."""

import dataclasses
import re
import uuid

from .invariants import leftovers
from .evidence import Key
from .resp import Redis, RedisError

_RECORD = re.compile(r"^fanfare:\{\d+\}:a:([0-9a-fA-F-]{36}):b:([0-9a-fA-F-]{36})$")
_ACTIVITY = re.compile(r"^fanfare:\{\d+\}:a:([0-9a-fA-F-]{36})$")
#: The field of a broadcast in its activity's hash: the last group of its id.
_ENDED_FIELD = re.compile(r"^[0-9a-f]{12}$")
_ENDED = re.compile(r"^fanfare:\{\d+\}:a:([0-9a-fA-F-]{36}):ended$")
_LOCK = re.compile(r"^fanfare:\{\d+\}:a:([0-9a-fA-F-]{36}):start$")


class Inventory:
    """Read from every master, so it is the whole, cluster or not."""

    def __init__(self, redis_servers):
        self.keys = []
        #: Fields of the records of broadcasts, by id, with the activity.
        self.records = {}
        #: Who has, or had, an activity's start lock: that is given back when its start is over, the first of the activity.
        self.start_locks = {}
        for port in redis_servers.master_ports():
            with Redis(port) as redis:
                for name in redis.keys("fanfare:*"):
                    self._read(redis, name)
        for activity, identifier in first_starts(self.records).items():
            self.start_locks.setdefault(activity, identifier)

    def _read(self, redis, name):
        kind = redis.text("TYPE", name)
        ttl = redis.call("PTTL", name)
        if ttl == -2:
            return
        length = pending = 0
        if kind == "stream":
            length, pending = redis.call("XLEN", name), _pending(redis, name)
        key = Key(name, kind, ttl, length, pending)
        if kind == "hash" and leftovers.problem(key):
            fields = redis.fields(name)
            key = dataclasses.replace(key, content=", ".join(
                f"{field}={value[:60]!r}" for field, value in list(fields.items())[:8]))
        self.keys.append(key)
        if match := _RECORD.match(name):
            fields = redis.fields(name)
            self.records[match.group(2)] = {"activity": match.group(1)} | {
                field: fields[field].decode(errors="replace") for field in
                ("kind", "state", "timestamp", "order", "created_at", "finished_at") if field in fields}
        elif match := _ACTIVITY.match(name):
            self.records |= ended_in_activity(match.group(1), redis.fields(name))
        elif match := _ENDED.match(name):
            flat = redis.call("HGETALL", name)
            for identifier, value in zip(flat[::2], flat[1::2]):
                self.records[str(uuid.UUID(bytes=identifier))] = {"activity": match.group(1)} | read_ended(value)
        elif match := _LOCK.match(name):
            self.start_locks[match.group(1)] = redis.text("GET", name)


def ended_in_activity(activity, fields):
    """The broadcasts that are kept in their activity's hash, by id."""
    return {activity[:24] + field: {"activity": activity} | read_ended(value, int(fields["created_at"]))
            for field, value in fields.items() if _ENDED_FIELD.match(field)}


def read_ended(value, made_at=0):
    """What the field says that takes the place of a broadcast's record (`ended-broadcasts.lua`), as the record said it.

    `made_at`: when the activity was made, in epoch milliseconds; a time with a sign counts from there.
    """
    parts = value.decode(errors="replace").split(" ", 10)
    parts += [""] * (4 - len(parts))
    created = int(parts[0][2:]) + (made_at if parts[0][2] in "+-" else 0)
    record = {"kind": {"s": "start", "u": "update", "e": "end"}[parts[0][0]],
              "state": {"d": "done", "s": "superseded", "f": "failed"}[parts[0][1]],
              "created_at": str(created), "timestamp": str(created // 1000 + int(parts[3] or 0))}
    return record | ({"finished_at": str(created + int(parts[2]))} if parts[2] else {})


def first_starts(records):
    """By activity, the start that was recorded first."""
    first = {}
    for identifier, record in records.items():
        if record.get("kind") != "start" or "created_at" not in record:
            continue
        known = first.get(record["activity"])
        if known is None or int(record["created_at"]) < int(records[known]["created_at"]):
            first[record["activity"]] = identifier
    return first


def _pending(redis, stream):
    total = 0
    try:
        for group in redis.call("XINFO", "GROUPS", stream):
            fields = {group[i]: group[i + 1] for i in range(0, len(group), 2)}
            total += fields.get(b"pending", 0)
    except RedisError:
        return 0
    return total
