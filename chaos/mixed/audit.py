"""Compares every phone's outcome with the ledgers of both providers. Pure."""

import collections

from harness.phone import Crowd

from .segment import ANDROID, APP_TYPE, DEAD, END, FOLLOWERS, MATCH, SYNCED, content


class Ledger:
    """The pushes that the providers have accepted, and the phones that got them."""

    def __init__(self, phones, matches):
        #: By token and match.
        self.starts, self.ends = collections.Counter(), collections.Counter()
        self.updates = collections.defaultdict(list)
        #: By token and match, and the match of each.
        self.channel_of, self.match_of = {}, {}
        #: For each channel what was published, in its order: event, step and followers.
        self.published = collections.defaultdict(list)
        self.crowd = Crowd(APP_TYPE)
        for phone in phones:
            if phone.kind not in ANDROID:
                for match in matches:
                    self.crowd.own(phone.update_token(match), phone.start_token, match=match)

    def push(self, token, message):
        """A push to a phone; a start may name a channel."""
        state = message.state or {}
        place = token, state.get("match") or self._match_of(token, message)
        if message.event == "start":
            self.starts[place] += 1
            if message.channel:
                self.channel_of[place] = message.channel
                self.match_of[message.channel] = state.get("match")
            self.crowd.start(token, message)
            return
        if message.event == "update":
            self.updates[place].append(state.get("step"))
        else:
            self.ends[place] += 1
        self.crowd.push(token, message)

    def _match_of(self, token, message):
        """The match of a push without content, such as the end of a Live Activity whose user has left."""
        if message.name is not None:
            live_activity = self.crowd.phone(token).live_activity_named(message.name)
        elif token in self.crowd.owners:
            live_activity = self.crowd.report(token).live_activity_of(token)
        else:
            return None
        return live_activity and live_activity.attributes["match"]

    def publish(self, channel, message, followers):
        self.published[channel].append((message.event, (message.state or {}).get("step"), followers))
        self.crowd.publish(channel, message)

    def live_activities(self, phone, match):
        """The Live Activities of a match that a phone shows, or has shown."""
        return [each for each in self.crowd.phone(phone.start_token).shown if each.attributes["match"] == match]


def wrong_content(phone, match, ledger):
    """The reason why a phone does not show the end of a match, or None."""
    wanted = content(match, END)
    shown = ledger.live_activities(phone, match)
    if not shown:
        return f"it shows no Live Activity of {match}, the customer asked for {wanted}"
    wrong = next((each for each in shown if each.state != wanted or not each.is_over), None)
    return wrong and f"it shows {wrong.state}{' as ended' * wrong.is_over}, the customer asked for {wanted} as the end"


def drops(phone, ledger):
    """Sentences about accepted pushes that a phone could not decode."""
    return [f"it dropped a {reason}" for reason in ledger.crowd.phone(phone.start_token).drops]


def violations(phones, states, ledger, newest):
    """What is wrong, by kind: sentences.

    - states: by udid what the gateway lists.
    - newest: the step of the last update.
    """
    found = collections.defaultdict(list)
    for phone in phones:
        for kind, text in _of(phone, states.get(phone.udid), ledger, newest):
            found[kind].append(f"{phone.udid} ({phone.kind}): {text}")
        for text in drops(phone, ledger):
            found["dropped"].append(f"{phone.udid} ({phone.kind}): {text}")
    followers = collections.Counter(ledger.channel_of.values())
    for channel, count in followers.items():
        published = ledger.published[channel]
        if ("update", newest, count) not in published:
            found["channels"].append(f"{channel}: no push of update {newest} to all of its {count} followers")
        if ("end", END, count) not in published:
            found["channels"].append(f"{channel}: no end for all of its {count} followers")
    return dict(found)


def _of(phone, state, ledger, newest):
    starts = ledger.starts[phone.start_token, MATCH]
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
    if phone.kind in FOLLOWERS and starts and (phone.start_token, MATCH) not in ledger.channel_of:
        yield "channels", "its start named no channel"
    if phone.kind in SYNCED and state == "ended":
        token = phone.update_token(MATCH)
        if newest not in ledger.updates[token, MATCH]:
            yield "newest state", f"of {newest} updates it got {ledger.updates[token, MATCH]}"
        if ledger.ends[token, MATCH] < 1:
            yield "ends", "it got no end"
    if phone.kind in SYNCED + FOLLOWERS and state == "ended" and starts:
        wrong = wrong_content(phone, MATCH, ledger)
        if wrong:
            yield "content", wrong


def sums(answer):
    """What is wrong with a broadcast's counts: a sentence, or None."""
    cohorts = answer.get("cohorts") or {}
    accepted = sum(each["accepted"] for each in cohorts.values())
    if cohorts and accepted != answer["accepted"]:
        return f"its cohorts count {accepted} as accepted, the broadcast {answer['accepted']}"
    total = answer["accepted"] + sum(answer["failed"].values()) + sum(answer["skipped"].values())
    return None if total == answer["total"] else f"{total} outcomes of {answer['total']}"
