"""Updates and ends: what a phone shows in the end is the newest state, and no Live Activity stays for ever."""

import collections

from ..evidence import ENDED, Violation

#: Whoever is stopped, or cannot ask Redis what is newest, or whose packets are held up, may send what is older.
_HOLD_UP = ("stop gateway", "cut off gateway", "kill redis", "slow redis", "slow disk", "full redis",
            "black hole")
#: How much later an older push may reach the provider than a newer one: it was on its way, or waited for an answer.
OVERTAKING_GRACE = 5.0


def check_newest_wins(rule, evidence):
    for activity in evidence.activities.values():
        missing = collections.defaultdict(list)
        for sync in first_syncs(evidence, activity.id):
            newest = newest_for(evidence, activity.id, sync)
            pushes = evidence.pushes_to_token[sync.token]
            shown = max((push.timestamp for push in pushes if push.status == 200), default=0)
            if newest is not None and shown < newest.timestamp and not is_dead(pushes):
                missing[newest.id].append((sync, pushes))
        for identifier, devices in missing.items():
            record = evidence.records[identifier]
            # Those the record itself gives up are named there, by number.
            if len(devices) > sum(record.failed.values()):
                yield Violation(
                    rule, f"{record} of activity {activity.id}, timestamp {record.timestamp}: {len(devices)} devices"
                          " that had synced show something older", tuple(_details(devices)))
        yield from _check_overtaken(rule, evidence, activity)


def first_syncs(evidence, activity):
    """The first acknowledged sync of each device."""
    first = {}
    for sync in evidence.syncs:
        if sync.activity == activity and sync.acknowledged_at is not None:
            first.setdefault(sync.device, sync)
    return first.values()


def newest_for(evidence, activity, sync):
    """The newest update or end that surely addressed the device: one whose call was acknowledged, was made after the
    device's sync was, and names the device or nobody. Nothing counts that came after a Live Activity's own end, which may
    have the timestamp of the end of all."""
    newest, ends = None, []
    for record in evidence.records_of_activity[activity]:
        call = evidence.call_of_broadcast.get(record.id)
        if record.kind == "start" or call is None or record.timestamp is None or record.state not in ENDED:
            continue
        if call.kind == "end" and call.targets is not None and sync.device in call.targets:
            ends.append(record)
        if not call.is_acknowledged or call.attempts[0].sent_at < sync.acknowledged_at:
            continue
        if call.targets is not None and sync.device not in call.targets:
            continue
        if newest is None or _rank(evidence, record) > _rank(evidence, newest):
            newest = record
    if newest is not None and any(end is not newest and end.timestamp <= newest.timestamp for end in ends):
        return None
    return newest


def _rank(evidence, record):
    """An update that came late is recorded with the timestamp of the newest one, and is never sent. The end of all may
    have the timestamp of an end of some."""
    return record.timestamp, bool(evidence.pushes_of_broadcast.get(record.prefix)), record.created_at


def is_dead(pushes):
    """The provider has said that the token is no good, so it was dropped."""
    return any(push.status in (400, 410) for push in pushes)


def _details(devices):
    for sync, pushes in devices[:3]:
        yield f"device {sync.device}, token {sync.token[:24]}…, synced {sync.acknowledged_at:.3f}"
        yield from (f"    sync {attempt}" for attempt in sync.attempts)
        yield from (f"    {push}" for push in pushes[-4:])
        if not pushes:
            yield "    no push at all"


def overtaken(evidence):
    """Older pushes that were accepted after a newer one, as the last of a Live Activity: the late push, the newest, seconds."""
    for pushes in evidence.pushes_to_token.values():
        taken = [push for push in pushes if push.status == 200 and push.event != "start"]
        if not taken:
            continue
        newest = max(taken, key=lambda push: push.timestamp)
        # Who syncs while the end is being sent is sent it at once, and then with all others: an end is an end.
        if taken[-1].timestamp < newest.timestamp and (taken[-1].event, newest.event) != ("end", "end"):
            yield taken[-1], newest, taken[-1].time - newest.time


def _check_overtaken(rule, evidence, activity):
    """iOS drops what arrives with an older timestamp, so this is no lost state. But it has no reason either, unless the
    sender was stopped in the middle or could not ask Redis what is newest."""
    late = []
    for push, newest, seconds in overtaken(evidence):
        if push.activity == activity.number and seconds > OVERTAKING_GRACE and not evidence.disturbances(
                _HOLD_UP, newest.time - OVERTAKING_GRACE, push.time):
            late.append((push, newest))
    if late:
        yield Violation(rule, f"activity {activity.id}: {len(late)} Live Activities got an older push more than"
                              f" {OVERTAKING_GRACE:.0f} s after a newer one",
                        tuple(f"{newest}; then {push}" for push, newest in late[:5]))


#: How long after its broadcast's end a push may come: it was written before, or its answer was not waited for.
AFTERMATH = 2.0


def late_pushes(evidence):
    """Pushes that came when their broadcast had ended for a while, by broadcast. The end of a single Live Activity that
    synced behind it comes when it comes: it has another timestamp, or, in the same second as the end of some, a token
    that was reported after that."""
    # A phone that reports again after a relaunch has been known since its first report.
    known_since = {}
    for sync in evidence.syncs:
        if sync.acknowledged_at is not None:
            known_since[sync.token] = min(sync.acknowledged_at, known_since.get(sync.token, sync.acknowledged_at))
    for record in evidence.records.values():
        if record.finished_at is None or record.state not in ENDED:
            continue
        late = [push for push in evidence.pushes_of_broadcast[record.prefix]
                if push.time > record.finished_at + AFTERMATH and push.timestamp == record.timestamp
                and not (push.event == "end" and _is_known_later(known_since.get(push.token), record))]
        if late:
            yield record, late


def _is_known_later(acknowledged_at, record):
    return acknowledged_at is None or acknowledged_at > record.created_at


def check_nothing_after_end(rule, evidence):
    """A gateway that goes on after it was stopped may still have pushes in hand, and so has a network that goes on after
    it held up packets; nobody else has."""
    for record, late in late_pushes(evidence):
        if not evidence.disturbances(("stop gateway", "black hole"), record.created_at, late[-1].time):
            yield Violation(rule, f"{record} of activity {record.activity}: {len(late)} pushes came later than"
                                  f" {AFTERMATH:.0f} s after its end", tuple(str(push) for push in late[:5]))


def check_no_orphan(rule, evidence):
    """Whoever has synced, before or after the end, is sent the end of an activity that has ended."""
    for activity in evidence.activities.values():
        ends = [record for record in evidence.records_of_activity[activity.id]
                if record.kind == "end" and record.state in ENDED and _is_whole(evidence, record)]
        if not ends:
            continue
        orphans = []
        for sync in first_syncs(evidence, activity.id):
            pushes = evidence.pushes_to_token[sync.token]
            if not is_dead(pushes) and not any(push.event == "end" for push in pushes):
                orphans.append((sync, pushes))
        if len(orphans) > sum(sum(record.failed.values()) for record in ends):
            yield Violation(rule, f"activity {activity.id} has ended ({ends[-1]}), and {len(orphans)} devices that had"
                                  " synced were never sent an end", tuple(_details(orphans)))


def _is_whole(evidence, record):
    call = evidence.call_of_broadcast.get(record.id)
    return call is not None and call.targets is None
