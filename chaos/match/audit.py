"""Compares every phone's outcome in a match with the ledgers of both providers. Pure."""

import collections

from mixed import segment


def violations(phones, left, synced, states, ledger, goals):
    """What is wrong, by kind: sentences.

    - left: the udids of those who were told to stop following.
    - synced: the udids of those who have reported.
    - states: by udid what the gateway lists, each time that it does.
    - goals: the last content before full time.
    """
    found = collections.defaultdict(list)
    for phone in phones:
        listed = states.get(phone.udid, [])
        starts = ledger.starts[phone.start_token]
        is_unknown = any(device["state"] == "unknown" for device in listed)
        name = f"{phone.udid} ({phone.kind}, {[d['state'] for d in listed]})"
        if len(listed) > 1:
            found["listed"].append(f"{name}: listed {len(listed)} times")
        if phone.kind == "opted_out":
            if starts:
                found["starts"].append(f"{name}: started, though it is opted out")
            continue
        if phone.kind in segment.DEAD:
            continue
        if starts > 1:
            found["twice"].append(f"{name}: {starts} starts")
        if starts == 0 and not is_unknown:
            found["left_out"].append(f"{name}: no start")
        if starts == 1 and phone.udid in synced:
            if phone.udid not in left and goals not in ledger.updates[phone.update_token]:
                found["updates"].append(f"{name}: {ledger.updates[phone.update_token]}")
            if ledger.ends[phone.update_token] < 1:
                found["ends"].append(f"{name}: no end")
    for channel, events in ledger.published.items():
        if not any(event == "update" and step == goals for event, step, _ in events):
            found["channels"].append(f"{channel}: no update {goals}")
        if not any(event == "end" for event, _, _ in events):
            found["channels"].append(f"{channel}: no end")
    return dict(found)
