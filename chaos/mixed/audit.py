"""Compares every phone's outcome with the ledgers of both providers. Pure."""

import collections

from .segment import DEAD, FOLLOWERS, SYNCED

#: What the last update and the end carry.
END = "end"


class Ledger:
    """What the providers have accepted."""

    def __init__(self):
        self.starts = collections.Counter()
        self.channel_of = {}
        self.updates = collections.defaultdict(list)
        self.ends = collections.Counter()
        #: For each channel what was published, in its order: event, step and followers.
        self.published = collections.defaultdict(list)

    def add(self, event, token, step, channel=None):
        """A push to a phone; a start may name a channel."""
        if event == "start":
            self.starts[token] += 1
            if channel:
                self.channel_of[token] = channel
        elif event == "update":
            self.updates[token].append(step)
        else:
            self.ends[token] += 1

    def publish(self, channel, event, step, followers):
        self.published[channel].append((event, step, followers))


def violations(phones, states, ledger, newest):
    """What is wrong, by kind: sentences.

    - states: by udid what the gateway lists.
    - newest: the step of the last update.
    """
    found = collections.defaultdict(list)
    for phone in phones:
        for kind, text in _of(phone, states.get(phone.udid), ledger, newest):
            found[kind].append(f"{phone.udid} ({phone.kind}): {text}")
    followers = collections.Counter(ledger.channel_of.values())
    for channel, count in followers.items():
        published = ledger.published[channel]
        if ("update", newest, count) not in published:
            found["channels"].append(f"{channel}: no push of update {newest} to all of its {count} followers")
        if (END, END, count) not in published:
            found["channels"].append(f"{channel}: no end for all of its {count} followers")
    return dict(found)


def _of(phone, state, ledger, newest):
    starts = ledger.starts[phone.start_token]
    if phone.kind == "opted_out":
        if state or starts:
            yield "passed over", f"it is {state} and got {starts} starts"
        return
    if starts > 1:
        yield "started twice", f"{starts} starts were accepted"
    if state is None:
        yield "left out", "the gateway does not list it"
    elif phone.kind in DEAD:
        if starts or state not in ("failed", "unknown"):
            yield "dead tokens", f"it is {state} and got {starts} starts"
    elif state == "unknown":
        # The gateway that started it was killed: it may have it or not.
        pass
    elif state != "ended" or starts != 1:
        yield "outcomes", f"it is {state} and got {starts} starts"
    if phone.kind in FOLLOWERS and starts and phone.start_token not in ledger.channel_of:
        yield "channels", "its start named no channel"
    if phone.kind in SYNCED and state == "ended":
        if newest not in ledger.updates[phone.update_token]:
            yield "newest state", f"of {newest} updates it got {ledger.updates[phone.update_token]}"
        if ledger.ends[phone.update_token] < 1:
            yield "ends", "it got no end"


def sums(answer):
    """What is wrong with a broadcast's counts: a sentence, or None."""
    cohorts = answer.get("cohorts") or {}
    accepted = sum(each["accepted"] for each in cohorts.values())
    if cohorts and accepted != answer["accepted"]:
        return f"its cohorts count {accepted} as accepted, the broadcast {answer['accepted']}"
    total = answer["accepted"] + sum(answer["failed"].values()) + sum(answer["skipped"].values())
    return None if total == answer["total"] else f"{total} outcomes of {answer['total']}"
