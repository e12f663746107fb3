"""How long it takes: broadcasts end soon after the faults do, and nobody waits long for the newest state."""

import dataclasses

from ..evidence import ENDED, Violation
from . import order
from .times import undisturbed

#: Seconds without any fault in which a broadcast must come to its end.
DONE_WITHIN = 30.0
#: And in which a device must have what an update brought, or something newer.
NEWEST_WITHIN = 20.0


def check_done(rule, evidence):
    for record in evidence.records.values():
        if record.state not in ENDED or record.finished_at is None:
            continue
        seconds = undisturbed(evidence.faults, record.created_at, record.finished_at)
        if seconds > DONE_WITHIN:
            yield Violation(rule, f"{record} of activity {record.activity} took {seconds:.0f} s beside all faults")


@dataclasses.dataclass(frozen=True)
class Wait:
    """Of a device whose Live Activity did not show what was newest."""
    record: object
    device: int
    begin: float
    end: float


def waits(evidence):
    """For each device and each update that it was to get: from its call until the device accepted it or something
    newer. Those that never did are the concern of `order`."""
    for activity in evidence.activities:
        updates = sorted((record for record in evidence.records_of_activity[activity] if _is_told(evidence, record)),
                         key=lambda record: record.timestamp)
        for sync in order.first_syncs(evidence, activity) if updates else ():
            accepted = sorted((push.time, push.timestamp) for push in evidence.pushes_to_token[sync.token]
                              if push.status == 200)
            for record in updates:
                call = evidence.call_of_broadcast[record.id]
                if (call.attempts[0].sent_at < sync.acknowledged_at
                        or call.targets is not None and sync.device not in call.targets):
                    continue
                # By the clock of the harness: a gateway's own may be wrong.
                told = next(each.sent_at for each in call.attempts if each.status in (200, 202))
                arrival = next((time for time, timestamp in accepted if timestamp >= record.timestamp), None)
                if arrival is not None:
                    yield Wait(record, sync.device, told, max(arrival, told))


def _is_told(evidence, record):
    call = evidence.call_of_broadcast.get(record.id)
    return (record.kind != "start" and record.state in ENDED and record.timestamp is not None and call is not None
            and call.is_acknowledged)


def device_seconds(found):
    """How long devices were without the newest state, all together: waits of one device that overlap count once."""
    total, until = 0.0, {}
    for wait in sorted(found, key=lambda wait: wait.begin):
        key = (wait.record.activity, wait.device)
        total += max(0.0, wait.end - max(wait.begin, until.get(key, 0.0)))
        until[key] = max(wait.end, until.get(key, 0.0))
    return total


def check_newest_soon(rule, evidence):
    late = {}
    for wait in waits(evidence):
        seconds = undisturbed(evidence.faults, wait.begin, wait.end)
        if seconds > NEWEST_WITHIN:
            late.setdefault(wait.record.id, []).append((seconds, wait.device))
    for identifier, devices in late.items():
        record = evidence.records[identifier]
        yield Violation(rule, f"{record} of activity {record.activity}: {len(devices)} devices waited up to"
                              f" {max(devices)[0]:.0f} s for it, or for something newer, beside all faults",
                        tuple(f"device {device}: {seconds:.1f} s" for seconds, device in sorted(devices)[-5:]))
