"""Starts: every device has one outcome, and no device a second Live Activity."""

from ..evidence import ENDED, Violation

#: Outcomes that the provider has not named: the gateway's own words for "sent, no answer" and "not sent".
UNKNOWN = "unknown"
#: After these a gateway may bring outcomes when the others have ended the broadcast.
LOSE_OUTCOMES = ("stop gateway", "cut off gateway", "kill redis", "slow redis", "slow disk", "full redis",
                 "black hole")


def check_one_outcome(rule, evidence):
    """A start's record adds up to its devices, and agrees with the ledger."""
    for record in evidence.records.values():
        if record.kind != "start" or record.state not in ENDED:
            continue
        activity = evidence.activities.get(record.activity)
        if activity is None:
            continue
        if evidence.is_first_start(record):
            yield from _check_sum(rule, record, activity)
        yield from _check_ledger(rule, evidence, record)
        yield from _check_answers(rule, evidence, record)


def _check_sum(rule, record, activity):
    if not activity.least <= record.total <= activity.most:
        span = str(activity.most) if activity.least == activity.most else f"{activity.least} to {activity.most}"
        yield Violation(rule, f"{record} makes {record.total}, and the start of activity {activity.id} was for {span} devices")


def _check_ledger(rule, evidence, record):
    accepted, answered = set(), {}
    for push in evidence.pushes_of_broadcast[record.prefix]:
        if push.status == 200:
            accepted.add(push.token)
        elif push.reason:
            answered.setdefault(push.reason, set()).add(push.token)
    unknown = record.failed.get(UNKNOWN, 0)
    if len(accepted) < record.accepted:
        yield Violation(rule, f"{record}, but the provider accepted only {len(accepted)} devices")
    if len(accepted) - record.accepted > unknown:
        yield Violation(rule, f"{record}, but the provider accepted {len(accepted)} devices: "
                              f"{len(accepted) - record.accepted} more, and only {unknown} are unknown")
    for reason, count in record.failed.items():
        if reason in answered and len(answered[reason]) < count:
            yield Violation(rule, f"{record}, but the provider said {reason} to {len(answered[reason])} devices only")


def _check_answers(rule, evidence, record):
    """What a call was told with 200 is what the record says; outcomes that came later, from a gateway that was lost for
    a while, may have turned what was unknown into accepted."""
    call = evidence.call_of_broadcast.get(record.id)
    begin, end = record.created_at, record.finished_at or record.created_at
    for attempt in call.attempts if call else ():
        if attempt.status != 200 or attempt.broadcast_id != record.id or attempt.sessions == record.accepted:
            continue
        if attempt.sessions > record.accepted or not evidence.disturbances(LOSE_OUTCOMES, begin, end):
            yield Violation(rule, f"{record}, but call {call.number} was told {attempt.sessions}")


def check_no_second_live_activity(rule, evidence):
    """No device was answered 200 twice for the start of one activity."""
    for activity in evidence.activities.values():
        if evidence.evicts and activity.id not in evidence.start_locks:
            # Nobody knows any more that it was started.
            continue
        doubles = [(device, pushes) for device, pushes in second_live_activities(evidence, activity)
                   if not _may_resend(evidence, pushes)]
        if doubles:
            details = tuple(f"device {device}: {push}" for device, pushes in doubles[:5] for push in pushes)
            yield Violation(rule, f"activity {activity.id} was started twice on {len(doubles)} devices", details)


def second_live_activities(evidence, activity):
    """Devices that accepted the activity's start more than once, with the pushes."""
    for device in activity.devices:
        pushes = [push for push in evidence.pushes_to_token[evidence.start_token(device)]
                  if push.activity == activity.number and push.event == "start" and push.status == 200]
        if len(pushes) > 1:
            yield device, pushes


#: How long a push may be on its way from a gateway that is killed meanwhile.
_ON_ITS_WAY = 2.0


def _may_resend(evidence, pushes):
    """With `on_unknown: resend` a second Live Activity is the price, when a worker was lost between the two pushes."""
    return evidence.resends and bool(evidence.disturbances(
        ("kill gateway", "stop gateway", "terminate gateway", "cut off gateway", "shift clock"), pushes[0].time - _ON_ITS_WAY, pushes[-1].time))
