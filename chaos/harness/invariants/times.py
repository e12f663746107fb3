"""How much of a span of time passed without a fault. Pure."""

#: How long after a fault's end things may still be slow because of it: takeover, backoff, the next probe.
RECOVERY = 10.0


def undisturbed(faults, begin, end, recovery=RECOVERY):
    """The seconds of a span in which no fault was under way, nor just over."""
    left = end - begin
    covered = begin
    for at, until in sorted((fault.at, (end if fault.until is None else fault.until) + recovery) for fault in faults):
        at, until = max(at, covered), min(until, end)
        if until > at:
            left -= until - at
            covered = until
    return max(0.0, left)
