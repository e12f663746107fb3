"""Compares every phone's outcome in a match with the ledgers of both providers. Pure."""

import collections

from mixed import segment
from mixed.audit import drops, wrong_content


def sentences_of_drops(phones, ledger):
    return [f"{phone.udid} ({phone.kind}): {text}" for phone in phones for text in drops(phone, ledger)]


def violations(phones, left, synced, states, ledger, goals, match=segment.MATCH):
    """What is wrong, by kind: sentences.

    - left: the udids of those who were told to stop following.
    - synced: the udids of those who have reported.
    - states: by udid what the gateway lists, each time that it does.
    - goals: the last content before full time.
    """
    found = collections.defaultdict(list)
    for phone in phones:
        listed = states.get(phone.udid, [])
        starts = ledger.starts[phone.start_token, match]
        token = phone.update_token(match)
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
            if phone.udid not in left and goals not in ledger.updates[token, match]:
                found["updates"].append(f"{name}: {ledger.updates[token, match]}")
            if ledger.ends[token, match] < 1:
                found["ends"].append(f"{name}: no end")
        if starts == 1 and not is_unknown and phone.udid not in left and (
                phone.udid in synced or phone.kind in segment.FOLLOWERS):
            wrong = wrong_content(phone, match, ledger)
            if wrong:
                found["content"].append(f"{name}: {wrong}")
    for channel, events in ledger.published.items():
        if ledger.match_of.get(channel) != match:
            continue
        if not any(event == "update" and step == goals for event, step, _ in events):
            found["channels"].append(f"{channel}: no update {goals}")
        if not any(event == "end" for event, _, _ in events):
            found["channels"].append(f"{channel}: no end")
    return dict(found)
