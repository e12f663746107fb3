"""Content that is no longer fresh is not sent: a state of the match that is over helps nobody."""

import collections

from ..evidence import Violation

#: How much the gateway's clock and the provider's may differ, and what a push may take on its way.
_TOLERANCE = 1.0


def check(rule, evidence):
    expiry = {call.number: call.expires_at for call in evidence.calls if call.expires_at is not None}
    late = collections.defaultdict(list)
    for push in evidence.pushes:
        if push.call in expiry and push.time > expiry[push.call] + _TOLERANCE and not _was_held_up(
                evidence, expiry[push.call], push):
            late[push.broadcast].append(push)
    for broadcast, pushes in late.items():
        last = pushes[-1]
        yield Violation(rule, f"broadcast {broadcast}…: {len(pushes)} pushes came up to"
                              f" {last.time - expiry[last.call]:.1f} s after their content was stale",
                        tuple(str(push) for push in pushes[:5]))


def _was_held_up(evidence, expiry, push):
    """The network held packets up when the content went stale, and passed them on afterwards."""
    holes = evidence.disturbances(("black hole",), expiry - _TOLERANCE, expiry + _TOLERANCE)
    return any(fault.until is None or push.time <= fault.until + _TOLERANCE for fault in holes)
