"""Starts that follow another one of their activity. No customer of the harness asks for any, so a gateway began them of
itself: for devices that it knew, when the start had ended, not to have been sent anything."""

from ..evidence import ENDED, Violation

#: What a record counts a device as that was released behind its end.
RELEASED = "NoConnection"


def check(rule, evidence):
    for activity in evidence.activities.values():
        starts = evidence.starts_of(activity.id)
        for count in range(1, len(starts)):
            former, later = starts[:count], starts[count]
            yield from _check_number(rule, former, later)
            yield from _check_devices(rule, evidence, former, later)


def _check_number(rule, former, later):
    """Each release is good for one device of one later start."""
    if later.state not in ENDED:
        return
    released = sum(start.failed.get(RELEASED, 0) for start in former)
    started = sum(start.total for start in former[1:])
    if later.total > released - started:
        yield Violation(rule, f"{later} of activity {later.activity} is for {later.total} devices, and at most"
                              f" {released - started} were released late by the starts before it",
                        tuple(str(start) for start in former))


def _check_devices(rule, evidence, former, later):
    tokens = {push.token for push in evidence.pushes_of_broadcast[later.prefix]}
    before = [push for start in former for push in evidence.pushes_of_broadcast[start.prefix]
              if push.token in tokens and push.may_be_delivered]
    if before:
        yield Violation(rule, f"{later} of activity {later.activity}: {len({push.token for push in before})} of its"
                              " devices may have got a start before it", tuple(str(push) for push in before[:10]))
