"""Compares what was answered with the provider's ledger and with what is kept in the end. Pure."""

import bisect
import collections
import dataclasses
import math

from harness.evidence import ENDED
from harness.phone import AppType, Crowd, Message

from .journal import DONE, prefix_of

#: The app's types, as scene.py fills them.
APP_TYPE = AppType("OrderAttributes", {"activity": int}, {"activity": int, "call": int})

#: In seconds; the window of an API key's rate.
WINDOW = 60.0
#: What an update of a started activity may be answered.
_RIGHTFUL = {(200, None), (202, None), (429, "RATE_LIMITED")}
#: What may be answered while a gateway stops or Redis is away, to anything.
_FAILURES = ("OVERLOADED", "STORE_UNAVAILABLE", "SHUTTING_DOWN")


@dataclasses.dataclass
class Evidence:
    #: By id.
    activities: dict
    calls: list
    starts: list
    #: By tenant, all requests with its API key.
    requests: dict
    #: Requests that a key may make in a minute.
    limit: int
    #: By id, what `GET broadcasts/{id}` answers in the end: status and body.
    records: dict
    #: By id, what Redis keeps of each broadcast: activity, kind and state.
    kept: dict
    #: The ledger.
    pushes: list
    #: By activity, the updates of the running hour that it reads; empty when that has begun during the run.
    hours: dict = dataclasses.field(default_factory=dict)
    #: By activity, the number of the update that was sent when all others had been.
    last_words: dict = dataclasses.field(default_factory=dict)
    #: What is in Redis and should not be: sentences.
    leftovers: list = dataclasses.field(default_factory=list)
    #: What gateways did that nobody had them do.
    misdeeds: list = dataclasses.field(default_factory=list)
    oddities: list = dataclasses.field(default_factory=list)


def violations(evidence):
    """What is wrong, by kind: sentences."""
    found = {}
    for kind, check in _CHECKS.items():
        sentences = list(check(evidence))
        if sentences:
            found[kind] = sentences
    return found


# What was answered


def answers(evidence):
    """Nobody is answered what such a call cannot get."""
    for call in evidence.calls:
        for attempt in call.attempts:
            if not _is_rightful(attempt, _RIGHTFUL):
                yield f"{call}: {attempt.body}"


def counts(evidence):
    """The counts of every update make its devices, and who was told of its end was told the same."""
    for call, identifier, record in _read(evidence):
        accepted, failed, skipped = _counts(record, "accepted")
        total = accepted + sum(failed.values()) + sum(skipped.values())
        if total != len(call.tokens) or record.get("total", total) != total:
            yield f"{identifier} counts {total} of {len(call.tokens)} devices: {record}; {call}"
        # A killed gateway leaves pushes in doubt, which a newer update does not repeat.
        doubt = {"unknown"} if record.get("state") == "superseded" else set()
        if set(failed) - doubt or set(skipped) - {"superseded"}:
            yield f"{identifier} failed for some or passed some over: {record}; {call}"
        for attempt in call.attempts:
            if attempt.status == 200 and attempt.broadcast == identifier:
                told = _counts(attempt.body, "sessions_triggered")
                if told != (accepted, failed, skipped):
                    yield f"{identifier} was answered {told} and reads {record}; {call}"


def hours(evidence):
    """Every update that was pushed counts once in the hour of its activity, and what was not recorded does not."""
    pushed, recorded, number_of = collections.defaultdict(set), collections.Counter(), {}
    for call in evidence.calls:
        number_of[call.number] = call.activity
    for push in _updates(evidence):
        pushed[number_of.get(push.call)].add(push.call)
    for kept in evidence.kept.values():
        recorded[kept["activity"]] += kept.get("kind") == "update"
    for activity, count in evidence.hours.items():
        if not len(pushed[activity]) <= count <= recorded[activity]:
            yield f"{activity} counts {count} updates, {len(pushed[activity])} were pushed and {recorded[activity]} recorded"


def records(evidence):
    """Every update that was answered can be read, and has ended."""
    for call in evidence.calls:
        for identifier in call.broadcasts:
            status, record = evidence.records.get(identifier, (None, {}))
            if status != 200 or record.get("state") not in ENDED or record.get("kind") != "update":
                yield f"{identifier} reads {status} {record}: {call}"


def unfinished(evidence):
    """No broadcast stays unfinished, also of those that nobody was told of."""
    for identifier, kept in evidence.kept.items():
        if kept.get("state") not in ENDED:
            yield f"{identifier}: {kept}"


# Answers and pushes


def lost(evidence):
    """What counts as accepted is in the ledger, with the content of that very call."""
    accepted = collections.defaultdict(set)
    for push in _updates(evidence):
        if push.status == 200:
            accepted[push.call, push.broadcast].add(push.token)
    for call, identifier, record in _read(evidence):
        reached = accepted[call.number, prefix_of(identifier)] & set(call.tokens)
        if len(reached) < record.get("accepted", 0):
            yield f"{identifier} counts {record.get('accepted')} as accepted, {len(reached)} were pushed to: {call}"


def foreign(evidence):
    """Every push was asked for, by a call for that device."""
    tokens = {call.number: set(call.tokens) for call in evidence.calls if call.attempts}
    for push in _updates(evidence):
        if push.token not in tokens.get(push.call, ()):
            yield f"{push.token} got what was not for it, {push}"


def twice(evidence):
    """Every call was recorded once at most: with an Idempotency-Key, and without one when it is sent once."""
    pushed, known = collections.defaultdict(set), collections.defaultdict(set)
    for push in _updates(evidence):
        pushed[push.call].add(push.broadcast)
    for call in evidence.calls:
        told = {prefix_of(each) for each in call.broadcasts}
        if len(told | pushed[call.number]) > 1:
            yield f"it has the broadcasts {sorted(told | pushed[call.number])}: {call}"
        known[call.activity] |= told | pushed[call.number]
    # Some were superseded before anything was pushed, and nobody was told of them.
    silent, recorded, unnamed = collections.Counter(), collections.defaultdict(set), collections.defaultdict(list)
    for call in evidence.calls:
        if call.may_be_recorded and not call.broadcasts and not pushed[call.number]:
            silent[call.activity] += 1
    for identifier, kept in evidence.kept.items():
        if kept.get("kind") == "update":
            recorded[kept["activity"]].add(prefix_of(identifier))
            if prefix_of(identifier) not in known[kept["activity"]]:
                unnamed[kept["activity"]].append(identifier)
    for activity, identifiers in unnamed.items():
        if len(identifiers) > silent[activity]:
            yield (f"{activity} has {len(identifiers)} updates of which nobody knows, {' and '.join(identifiers)}, and"
                   f" {silent[activity]} calls without an answer")
    for activity in evidence.activities:
        missing = known[activity] - recorded[activity]
        if missing:
            yield f"{activity} keeps nothing of {sorted(missing)[:5]}, which were told of or pushed"


# Order


def timestamps(evidence):
    """A broadcast's pushes to a device have one timestamp, and no two broadcasts share it there."""
    seen = {}
    for push in _updates(evidence):
        stamp = seen.setdefault((push.token, push.call), push.timestamp)
        if stamp != push.timestamp:
            yield f"{push.token} got update {push.call} with the timestamps {stamp} and {push.timestamp}"
    by_stamp = {}
    for (token, call), stamp in seen.items():
        other = by_stamp.setdefault((token, stamp), call)
        if other != call:
            yield f"{token} got the updates {other} and {call} with the timestamp {stamp}"


def order(evidence):
    """Of two updates to a device, of which one was answered before the other was sent, the later one is newer."""
    calls = {call.number: call for call in evidence.calls}
    for token, stamps in _stamps(evidence).items():
        pushed = [calls[number] for number in stamps if number in calls]
        answered = sorted((call for call in pushed if call.known_at < math.inf), key=lambda call: call.known_at)
        newest, index = None, 0
        for call in sorted(pushed, key=lambda call: call.begun_at):
            while index < len(answered) and answered[index].known_at < call.begun_at:
                if newest is None or stamps[answered[index].number] > stamps[newest.number]:
                    newest = answered[index]
                index += 1
            if newest and stamps[call.number] <= stamps[newest.number]:
                yield (f"{token}: timestamp {stamps[newest.number]} for {newest}, and {stamps[call.number]} for {call},"
                       " which was sent later")


def newest(evidence):
    """What a device shows in the end is nothing older than any update that was answered, and the last word where there
    was one."""
    calls = {call.number: call for call in evidence.calls}
    last_sent, stamps = {}, _stamps(evidence)
    for call in evidence.calls:
        if call.broadcasts:
            for token in call.tokens:
                if token not in last_sent or last_sent[token].begun_at < call.begun_at:
                    last_sent[token] = call
    for token, call in last_sent.items():
        if not stamps.get(token):
            yield f"{token} was pushed nothing: {call}"
            continue
        shown = max(stamps[token], key=lambda number: stamps[token][number])
        if shown in calls and calls[shown].known_at < call.begun_at:
            yield f"{token} shows {calls[shown]}, which is older than {call}"
    for identifier, number in evidence.last_words.items():
        for token in evidence.activities[identifier].tokens:
            shown = max(stamps.get(token) or {0: 0}, key=lambda each: stamps.get(token, {0: 0})[each])
            if shown != number:
                yield f"{token} shows {calls.get(shown)}, and the last word was {calls.get(number)}"


# Content


def shown(evidence):
    """Each phone decodes all that it gets, and shows the newest content that it was pushed, of its own activity."""
    crowd, sent = Crowd(APP_TYPE), {call.number: call for call in evidence.calls}
    for activity in evidence.activities.values():
        for start_token, token in zip(activity.start_tokens, activity.tokens):
            crowd.own(token, start_token, activity=activity.number)
    for push in evidence.pushes:
        if push.status == 200 and push.event == "start":
            crowd.start(push.token, Message.of_apns(push.aps))
        elif push.status == 200:
            crowd.push(push.token, Message.of_apns(push.aps))
    crowd.report_all()
    for start_token, phone in crowd.phones.items():
        for reason in phone.drops:
            yield f"{start_token} dropped a {reason}"
    stamps = _stamps(evidence)
    for activity in evidence.activities.values():
        for start_token, token in zip(activity.start_tokens, activity.tokens):
            newest = max(stamps.get(token) or {0: 0}, key=lambda number: stamps.get(token, {0: 0})[number])
            wanted = {"activity": activity.number, "call": evidence.last_words.get(activity.id, newest)}
            live_activity = crowd.phone(start_token).live_activity_of(token)
            if live_activity is None:
                yield f"{token} shows no Live Activity of {activity.id}, the customer asked for {wanted}"
            elif live_activity.state != wanted:
                yield (f"{token} shows {live_activity.state}, the customer asked for {wanted}:"
                       f" {sent.get(wanted['call'])}")


# Starts


def starts(evidence):
    """An activity is started once: whoever comes second is told so, at any moment."""
    told, asked, refused = collections.defaultdict(list), set(), set()
    for start in evidence.starts:
        asked.add(start.activity)
        if start.attempt.status in DONE:
            told[start.activity].append(start)
        elif start.attempt.status == 409:
            refused.add(start.activity)
        if not _is_rightful(start.attempt, _RIGHTFUL | {(409, "ALREADY_STARTED")}):
            yield f"a start of {start.activity} was answered {start.attempt.body}, {start.attempt}"
    recorded = collections.Counter(
        kept["activity"] for kept in evidence.kept.values() if kept.get("kind") == "start")
    for activity in asked:
        if len(told[activity]) > 1:
            yield f"{activity} was started for {' and '.join(str(each.attempt) for each in told[activity])}"
        if recorded[activity] > 1:
            yield f"{activity} keeps {recorded[activity]} starts"
        if (told[activity] or activity in refused) and not recorded[activity]:
            yield f"{activity} counts as started, and keeps no start"
    pushed = collections.Counter(push.token for push in evidence.pushes if push.event == "start" and push.status == 200)
    for activity in evidence.activities.values():
        for token in activity.start_tokens:
            if pushed[token] > 1:
                yield f"{token} of {activity.id} was started {pushed[token]} times"


# Rate


def rate(evidence):
    """In no minute more requests of a key are let through than its limit, and none is refused before these are."""
    for tenant, requests in evidence.requests.items():
        let_in = sorted((each for each in requests if _is_let_in(each)), key=lambda each: each.sent_at)
        most, begin = _most_in_a_window(let_in)
        if most > evidence.limit:
            yield f"tenant {tenant}: {most} of {evidence.limit} requests were let through from {begin:.3f} on, in a minute"
        yield from _refused_early(tenant, requests, evidence.limit)


def _is_let_in(request):
    """Those that certainly were: a failure may have come before."""
    return request.status is not None and request.status < 500 and request.status not in (401, 408, 429)


def _most_in_a_window(requests):
    """The most that were sent and answered within a window, and when that began."""
    open_ends, most, begin = sorted(each.answered_at for each in requests), 0, 0.0
    for request in requests:
        count = bisect.bisect_left(open_ends, request.sent_at + WINDOW)
        if count > most:
            most, begin = count, request.sent_at
        del open_ends[bisect.bisect_left(open_ends, request.answered_at)]
    return most, begin


def _refused_early(tenant, requests, limit):
    may_count = [each for each in requests if each.status not in (401, 429)]
    sent = sorted(each.sent_at for each in may_count)
    ended = sorted(each.answered_at for each in may_count if each.answered_at is not None)
    for request in requests:
        if request.status != 429:
            continue
        count = (bisect.bisect_left(sent, request.answered_at)
                 - bisect.bisect_left(ended, request.sent_at - WINDOW))
        if count < limit:
            yield f"tenant {tenant}: one was refused after {count} of {limit} requests in a minute, {request}"


# Parts


def _is_rightful(attempt, answers_):
    if attempt.status is None or (attempt.status, attempt.code) in answers_:
        return True
    return attempt.status == 503 and attempt.code in _FAILURES


def _counts(body, name):
    return body.get(name, 0), body.get("failed") or {}, {
        reason: count for reason, count in (body.get("skipped") or {}).items() if count}


def _read(evidence):
    for call in evidence.calls:
        for identifier in call.broadcasts:
            status, record = evidence.records.get(identifier, (None, {}))
            if status == 200 and record.get("state") in ENDED:
                yield call, identifier, record


def _updates(evidence):
    return (push for push in evidence.pushes if push.event == "update")


def _stamps(evidence):
    """By token, the timestamp of each update that the device has."""
    stamps = collections.defaultdict(dict)
    for push in _updates(evidence):
        if push.status == 200:
            stamps[push.token][push.call] = push.timestamp
    return stamps


def _sentences(name):
    return lambda evidence: getattr(evidence, name)


_CHECKS = {
    "answers": answers, "counts": counts, "hours": hours, "records": records, "unfinished": unfinished, "lost": lost,
    "foreign": foreign, "twice": twice, "timestamps": timestamps, "order": order, "newest": newest, "shown": shown, "starts": starts,
    "rate": rate, "left in Redis": _sentences("leftovers"), "gateways": _sentences("misdeeds"),
    "oddities": _sentences("oddities"),
}
