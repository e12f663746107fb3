"""Content: each phone shows, at the end, the content that its customer last asked for."""

import collections

from ..evidence import Violation
from ..phone import AppType, Crowd, Message
from . import order

#: The app's types, as customers.py fills them.
APP_TYPE = AppType("MatchAttributes", {"match": int}, {"activity": int, "call": int, "text": str})


def check(rule, evidence):
    crowd = _play(evidence)
    yield from _check_drops(rule, evidence, crowd)
    yield from _check_reports(rule, evidence)
    for activity in evidence.activities.values():
        wrong, stale = [], collections.defaultdict(list)
        for sync in order.first_syncs(evidence, activity.id):
            if order.is_dead(evidence.pushes_to_token[sync.token]):
                continue
            newest = order.newest_for(evidence, activity.id, sync)
            phone = crowd.phone(evidence.start_token(sync.device))
            live_activity = phone.live_activity_of(sync.token)
            wanted = f"the customer asked for {_content(evidence, activity, newest)}"
            if live_activity is None:
                wrong.append(f"device {sync.device} shows no Live Activity; {wanted}")
                continue
            state = live_activity.state
            text = f"device {sync.device} shows call {state['call']} of activity {state['activity']}; {wanted}"
            if state["activity"] != activity.number:
                wrong.append(text)
            elif newest is not None and live_activity.timestamp < newest.timestamp:
                stale[newest.id].append(text)
            elif newest is not None and live_activity.timestamp == newest.timestamp:
                if not _is_right(evidence, state["call"], newest):
                    wrong.append(text)
        if wrong:
            yield Violation(rule, f"activity {activity.id}: {len(wrong)} wrong Live Activities", tuple(wrong[:5]))
        for identifier, devices in stale.items():
            # The record gives these up itself, by number.
            if len(devices) > sum(evidence.records[identifier].failed.values()):
                yield Violation(rule, f"activity {activity.id}: {len(devices)} Live Activities are older than broadcast"
                                      f" {identifier}", tuple(devices[:5]))


def _is_right(evidence, shown, newest):
    """An update that came late has the timestamp of the newest one, whose call may have got no answer. An update that was
    superseded before it left gives its timestamp to the next one, which may be an older call that was repeated. Neither
    is ever sent."""
    number = evidence.call_of_broadcast[newest.id].number
    if shown == number or evidence.pushes_of_broadcast.get(newest.prefix):
        return shown == number
    return shown > number or any(
        record.created_at > newest.created_at for record in evidence.records_of_activity[newest.activity]
        if record.id in evidence.call_of_broadcast and evidence.call_of_broadcast[record.id].number == shown)


def _content(evidence, activity, newest):
    if newest is None:
        return f"activity {activity.number}"
    return f"call {evidence.call_of_broadcast[newest.id].number} of activity {activity.number}"


def _check_drops(rule, evidence, crowd):
    devices = {evidence.start_token(device): device for activity in evidence.activities.values()
               for device in activity.devices}
    drops = [f"device {devices[token]} dropped a {reason}" for token, phone in crowd.phones.items()
             for reason in phone.drops]
    if drops:
        yield Violation(rule, f"{len(drops)} accepted pushes did not decode", tuple(drops[:5]))


def _check_reports(rule, evidence):
    """A report by type alone is answered with the activity that its Live Activity is of, or with none."""
    for sync in evidence.syncs:
        if sync.answered_activity not in (None, sync.activity):
            yield Violation(rule, f"device {sync.device} reported {sync.token[:24]}… of activity {sync.activity} by"
                                  f" {sync.way}, and the gateway took it for activity {sync.answered_activity}",
                            tuple(str(attempt) for attempt in sync.attempts))


def _play(evidence):
    """The phones after all pushes of the ledger, in its order."""
    crowd = Crowd(APP_TYPE)
    devices = {evidence.start_token(device) for activity in evidence.activities.values()
               for device in activity.devices}
    numbers = {activity.id: activity.number for activity in evidence.activities.values()}
    for sync in evidence.syncs:
        if sync.activity in numbers:
            crowd.own(sync.token, evidence.start_token(sync.device), match=numbers[sync.activity])
    for push in evidence.pushes:
        message = Message.of_apns(push.aps)
        # A start without an answer may have arrived, and its phone reports it.
        if push.event == "start":
            if push.token in devices and push.may_be_delivered:
                crowd.start(push.token, message)
        elif push.status == 200:
            crowd.push(push.token, message)
    crowd.report_all()
    return crowd
