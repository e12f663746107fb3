"""Which pushes may have no answer that counts: the gateway got none, or was lost before it had written it down. Pure."""

from .. import script

#: How long after the provider's latency an answer is written down at the latest: the gateway gathers outcomes for 40 ms,
#: but two cores that do other things as well let it, the mock and Redis wait for some hundred more.
MARGIN = 1.0
#: What a lost gateway had written to its sockets still arrives for so long.
_AFTER = 0.5
#: How long after Redis's return what was answered meanwhile is written down.
_CAUGHT_UP = 2.0
#: When the answers to what is on the wire are lost: at a fault's begin (and once more, where it says so), or all the time.
_AT_BEGIN = ("kill gateway", "stop gateway", "shift clock", "reset connections", "refuse connections")
_ALL_THE_TIME = ("terminate gateway", "black hole")
#: While these last nothing can be written down.
_KEEP_FROM_WRITING = ("kill redis", "slow redis", "slow disk", "full redis", "cut off gateway")


def may_lack_answer(evidence, push):
    """Whether the gateway may not have had the answer, or taken it along."""
    if push.status is None or not push.answer_sent:
        return True
    gateway = evidence.gateway_of_connection.get(push.connection)
    answered = push.time + _latency(evidence, push) + MARGIN
    written = _written(evidence, push, gateway, answered)
    for fault in evidence.faults:
        if not _concerns(fault, gateway):
            continue
        # A gateway that lives and has lost a connection still has the answers that it got.
        by = answered if fault.gateway is None else written
        if any(begin <= by and push.time <= end + _AFTER for begin, end in losses(fault)):
            return True
    # A connection that broke took the answers before it along.
    broken = evidence.break_of_connection[push.connection]
    return broken is not None and push.time <= broken <= answered


def losses(fault):
    """When answers are lost by it: begins and ends."""
    if fault.kind in _AT_BEGIN:
        return [(at, at) for at in (fault.at, fault.lost_again) if at is not None]
    return [(fault.at, _end(fault))] if fault.kind in _ALL_THE_TIME else []


def lost_between(evidence, kinds, begin, end):
    """How often gateways were lost by faults of these kinds."""
    return sum(begin <= at <= end for fault in evidence.faults if fault.kind in kinds
               for at in (fault.at, fault.lost_again) if at is not None)


def _concerns(fault, gateway):
    """Where nobody knows which gateway it was, it may have been this one."""
    return fault.gateway is None or gateway is None or fault.gateway == gateway


def _latency(evidence, push):
    is_slow = any(fault.target == script.SLOW for fault in evidence.disturbances(("brownout",), push.time, push.time))
    return (script.SLOW_LATENCY_MS if is_slow else script.LATENCY_MS)["max_ms"] / 1000


def _written(evidence, push, gateway, answered):
    """When its outcome is in Redis at the latest."""
    time = answered
    for fault in sorted(evidence.faults, key=lambda fault: fault.at):
        if fault.kind in _KEEP_FROM_WRITING and _concerns(fault, gateway) and (
                fault.at <= time and push.time <= _end(fault) + _CAUGHT_UP):
            time = max(time, _end(fault) + _CAUGHT_UP)
    return time


def _end(fault):
    return float("inf") if fault.until is None else fault.until
