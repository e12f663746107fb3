"""Redis: what was to be done is done, nobody holds anything, and what belongs to an activity will go by itself."""

import re

from ..evidence import Violation

#: Tenants, their keys, users and the index of their tokens stay for ever; so does the queue of what is due while any activity lives,
#: and what gateways tell each other of where there is something new, which never grows.
_FOR_EVER = re.compile(r"^fanfare:(tenants$|layout$|\{(t|k|u|o):|\{\d+\}:due$|\{news\}:)")
_LEASE = re.compile(r":lease(:|$)")
#: A partition's counts of one broadcast; `…:a:ID:b:ID` is the broadcast's record, which stays for a while.
_PARTITION_JOB = re.compile(r"^fanfare:\{[^}:]+\.\d+\}:b:")
#: An activity's broadcasts that have not ended.
_OPEN = re.compile(r":(open|unfinished)$")


def problem(key):
    """What is wrong with a key; None when nothing is."""
    if key.type == "stream":
        if key.length or key.pending:
            return f"a stream with {key.length} entries, {key.pending} of them given out"
        return None
    if _LEASE.search(key.name):
        return "a lease that nobody gave back"
    if _OPEN.search(key.name):
        return "broadcasts that count as open"
    if _PARTITION_JOB.match(key.name):
        return "the counts of a broadcast that has ended"
    if not _FOR_EVER.match(key.name) and key.ttl < 0:
        return "it never expires"
    return None


def check(rule, evidence):
    found = {}
    for key in evidence.keys:
        what = problem(key)
        if what:
            found.setdefault(what, []).append(key)
    for what, keys in sorted(found.items()):
        yield Violation(rule, f"{len(keys)} keys in Redis: {what}", tuple(_details(evidence, keys[:8])))


def _details(evidence, keys):
    for key in keys:
        yield f"{key.name} ({key.type}, TTL {key.ttl} ms) {key.content}".rstrip()
        record = evidence.records.get(key.name.rsplit(":", 1)[-1])
        if record:
            yield f"    {record}"
