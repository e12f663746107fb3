"""Starts: nobody is left out, nothing is in doubt that was not on the wire, and what a gateway knows is recorded."""

import dataclasses

from ..evidence import ENDED, Violation
from .doubt import MARGIN, lost_between, may_lack_answer
from .outcomes import UNKNOWN

#: Reasons of the gateway's own for a device that it never came to, and that are right when they are true.
EXPIRED = "Expired"
#: How many devices of a connection may count as possibly sent that are only about to be handed to it.
AHEAD = 128
#: Whoever worked for the gateway may have taken over what it was just sending.
_LOSE_GATEWAYS = ("kill gateway", "stop gateway", "cut off gateway", "shift clock")
#: These may swallow pushes that were on their way to the provider.
_SWALLOW = ("reset connections", "refuse connections", "black hole")


@dataclasses.dataclass
class Reach:
    """What became of a start, counted in the ledger."""
    #: Devices that could be reached and got no push at all, beyond those that the record passes over for a reason.
    never_pushed: int
    #: How many of the unknown ones may be so: on the wire without an answer, or about to be.
    may_be_unknown: int
    #: Accepted by the provider, told to a gateway that lived, and not recorded.
    known_unrecorded: int
    #: Never pushed, and counted as possibly sent: a gateway was lost that was about to, or the push was lost on its way.
    marked_only: int


def _reach(evidence, record):
    pushes = evidence.pushes_of_broadcast[record.prefix]
    unpushed = marked_only = 0
    if evidence.is_first_start(record):
        unpushed, marked_only = _unpushed(evidence, record)
    in_doubt = {push.token for push in pushes if may_lack_answer(evidence, push)}
    accepted = {push.token for push in pushes if push.status == 200}
    unrecorded = len(accepted) - record.accepted - len(accepted & in_doubt)
    return Reach(max(0, unpushed - marked_only), len(in_doubt) + _lost(evidence, record), max(0, unrecorded),
                 marked_only)


def _unpushed(evidence, first):
    """Devices that the starts of an activity did not push to, and how many of them may count as unknown. Of all starts
    together: whoever was released behind the end of one is started by the next."""
    activity, call = evidence.activities[first.activity], evidence.call_of_broadcast.get(first.id)
    devices = activity.started_devices if call is None or call.targets is None else call.targets
    starts = evidence.starts_of(first.activity)
    pushed = {push.token for start in starts for push in evidence.pushes_of_broadcast[start.prefix]}
    unpushed = sum(evidence.is_reachable(device) and evidence.start_token(device) not in pushed for device in devices)
    unpushed -= sum(sum(start.skipped.values()) + _rightly_expired(start, call) for start in starts)
    unpushed -= activity.most - activity.least
    return unpushed, max(0, min(unpushed, sum(min(start.failed.get(UNKNOWN, 0), _lost(evidence, start))
                                              for start in starts)))


def _lost(evidence, record):
    """How many a start may have been about to push when a gateway was lost, or lost on their way."""
    begin, end = record.created_at - MARGIN, record.finished_at or float("inf")
    marks = AHEAD * evidence.connections * lost_between(evidence, _LOSE_GATEWAYS, begin, end)
    return marks + evidence.streams * (_broken(evidence, record) + evidence.connections * evidence.gateways
                                       * len(evidence.disturbances(_SWALLOW, begin, end)))


def _broken(evidence, record):
    """Connections that the provider closed meanwhile, with what it had not read yet. It closes some a moment after the last
    push that it read, which may be another broadcast's and older than this one."""
    end = record.finished_at or float("inf")
    return sum(broken is not None and record.created_at - MARGIN <= broken <= end
               for broken in evidence.break_of_connection.values())


def _rightly_expired(record, call):
    """Content that was to be stale in time to explain it."""
    is_stale = call and call.expires_at is not None and (record.finished_at or 0) >= call.expires_at - 1
    return record.failed.get(EXPIRED, 0) if is_stale else 0


def reaches(evidence):
    """The starts that have ended, and what became of each."""
    for record in evidence.records.values():
        if record.kind == "start" and record.state in ENDED and record.activity in evidence.activities:
            yield record, _reach(evidence, record)


def check_never_pushed(rule, evidence):
    for record, found in reaches(evidence):
        if found.never_pushed:
            yield Violation(rule, f"{record} of activity {record.activity}: {found.never_pushed} devices that can be"
                                  " reached were never pushed")


def check_unknown(rule, evidence):
    for record, found in reaches(evidence):
        unknown = record.failed.get(UNKNOWN, 0)
        if unknown > found.may_be_unknown:
            yield Violation(rule, f"{record} of activity {record.activity}: {unknown} are unknown, and at most"
                                  f" {found.may_be_unknown} were on the wire or about to be")


def check_known(rule, evidence):
    for record, found in reaches(evidence):
        if found.known_unrecorded:
            yield Violation(rule, f"{record} of activity {record.activity}: the provider told {found.known_unrecorded}"
                                  " acceptances to a gateway that lived, and they are not recorded")
