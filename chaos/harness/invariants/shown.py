"""Content: each phone shows, at the end, the content that its customer last asked for."""

import collections

from ..evidence import Violation
from ..phone import AppType, Phone
from . import order

#: The app's types, as customers.py fills them.
APP_TYPE = AppType("MatchAttributes", {"match": int}, {"activity": int, "call": int, "text": str})


def check(rule, evidence):
    phones = _play(evidence)
    for device, phone in sorted(phones.items()):
        if phone.drops:
            yield Violation(rule, f"device {device} dropped {len(phone.drops)} accepted pushes",
                            tuple(phone.drops[:5]))
    for activity in evidence.activities.values():
        wrong, stale = [], collections.defaultdict(list)
        for sync in order.first_syncs(evidence, activity.id):
            phone = phones.get(sync.device)
            live_activity = phone.live_activity_of(sync.token) if phone else None
            if live_activity is None or order.is_dead(evidence.pushes_to_token[sync.token]):
                continue
            newest = order.newest_for(evidence, activity.id, sync)
            state = live_activity.state
            text = f"device {sync.device} shows call {state['call']} of activity {state['activity']}"
            if state["activity"] != activity.number:
                wrong.append(text)
            elif newest is not None and live_activity.timestamp < newest.timestamp:
                stale[newest.id].append(text)
            elif newest is not None and live_activity.timestamp == newest.timestamp:
                call = evidence.call_of_broadcast[newest.id].number
                if state["call"] != call:
                    wrong.append(f"{text} in place of call {call}")
        if wrong:
            yield Violation(rule, f"activity {activity.id}: {len(wrong)} wrong Live Activities", tuple(wrong[:5]))
        for identifier, devices in stale.items():
            # The record gives these up itself, by number.
            if len(devices) > sum(evidence.records[identifier].failed.values()):
                yield Violation(rule, f"activity {activity.id}: {len(devices)} Live Activities are older than broadcast"
                                      f" {identifier}", tuple(devices[:5]))


def _play(evidence):
    """The phones after all pushes of the ledger, in its order, by device."""
    devices = {}
    for activity in evidence.activities.values():
        devices |= {evidence.start_token(device): device for device in activity.devices}
    numbers = {activity.id: activity.number for activity in evidence.activities.values()}
    owners = {sync.token: (sync.device, numbers[sync.activity]) for sync in evidence.syncs
              if sync.activity in numbers}
    phones = collections.defaultdict(lambda: Phone(APP_TYPE))
    for push in evidence.pushes:
        # A start without an answer may have arrived, and its phone reports it.
        if push.event == "start":
            if push.token in devices and push.may_be_delivered:
                phones[devices[push.token]].start(push.aps)
        elif push.status == 200 and push.token in owners:
            device, number = owners[push.token]
            _report(phones[device], number, push.token)
            phones[device].push(push.token, push.aps)
    for token, (device, number) in owners.items():
        if device in phones:
            _report(phones[device], number, token)
    return phones


def _report(phone, number, token):
    """Reports the token of the newest Live Activity of an activity, unless the token is bound."""
    for live_activity in reversed(phone.shown):
        if live_activity.attributes["match"] == number and live_activity.token is None:
            return phone.report(live_activity, token)
    return None
