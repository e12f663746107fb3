"""Activities: started once, and never locked with nothing sent; and how the processes behaved."""

from ..evidence import ENDED, Violation


def check_nothing_unsent(rule, evidence):
    for record in evidence.records.values():
        if record.state not in ENDED:
            yield Violation(rule, f"{record} of activity {record.activity} never came to an end",
                            _history(evidence, record.activity))
    for activity in evidence.activities.values():
        calls = evidence.calls_of(activity.id, "start")
        if not any(call.is_acknowledged or _is_locked_out(call) for call in calls):
            continue
        identifiers = {identifier for call in calls for identifier in call.broadcast_ids}
        if evidence.start_locks.get(activity.id):
            identifiers.add(evidence.start_locks[activity.id])
        records = [evidence.records[each] for each in identifiers if each in evidence.records]
        if not records:
            yield Violation(rule, f"activity {activity.id} is started, and no broadcast of its start is known",
                            _history(evidence, activity.id))
        for record in records:
            if (record.state in ENDED and not evidence.pushes_of_broadcast[record.prefix]
                    and not record.failed and not record.skipped):
                yield Violation(rule, f"{record} of activity {activity.id}: nothing was pushed, and it does not say"
                                      " why", _history(evidence, activity.id))


def check_one_start(rule, evidence):
    for activity in evidence.activities.values():
        calls = evidence.calls_of(activity.id, "start")
        identifiers = {identifier for call in calls for identifier in call.broadcast_ids}
        if len(identifiers) > 1:
            yield Violation(rule, f"activity {activity.id} was started more than once: {sorted(identifiers)}",
                            _history(evidence, activity.id))
        lock = evidence.start_locks.get(activity.id)
        if lock and identifiers and lock not in identifiers:
            yield Violation(rule, f"activity {activity.id}: its start lock names {lock}, and callers were told"
                                  f" {sorted(identifiers)}", _history(evidence, activity.id))
        winners = [call for call in calls if call.is_acknowledged and call.key is None]
        if len(winners) > 1:
            yield Violation(rule, f"activity {activity.id}: {len(winners)} starts without a key were told to have won",
                            _history(evidence, activity.id))
        # With everything answered somebody must have won.
        is_all_known = all(attempt.status is not None and attempt.status < 500 or attempt.is_refused
                           for call in calls for attempt in call.attempts)
        if calls and is_all_known and all(_is_locked_out(call) for call in calls):
            yield Violation(rule, f"activity {activity.id}: every start was told that it came second",
                            _history(evidence, activity.id))
        keys = {call.key for call in calls}
        if len(keys) == 1 and None not in keys and any(_is_locked_out(call) for call in calls):
            yield Violation(rule, f"activity {activity.id}: a start with Idempotency-Key {keys.pop()} was told that it"
                                  " came second, and there was no start without that key",
                            _history(evidence, activity.id))


def _is_locked_out(call):
    return any(attempt.status == 409 and attempt.code == "ALREADY_STARTED" for attempt in call.attempts)


def _history(evidence, activity):
    lines = [f"start lock: {evidence.start_locks.get(activity)}"]
    for call in evidence.calls:
        if call.activity == activity:
            lines += [f"call {call.number} {call.kind} key {call.key} {attempt}" for attempt in call.attempts]
    lines += [str(record) for record in evidence.records_of_activity[activity]]
    return tuple(lines[:30])


def check_conduct(rule, evidence):
    for text in [*evidence.misdeeds, *evidence.oddities]:
        yield Violation(rule, text)
