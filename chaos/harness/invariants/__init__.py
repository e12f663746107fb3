"""The invariants: rules that must hold whatever was killed. Pure; what each promises is in chaos/README.md."""

from . import activities, expiry, later, leftovers, order, outcomes, pace, reach, shown

#: In the order of the README.
RULES = {
    "one outcome each": outcomes.check_one_outcome,
    "nobody left out": reach.check_never_pushed,
    "little in doubt": reach.check_unknown,
    "what is known is recorded": reach.check_known,
    "later starts for the left out": later.check,
    "no second Live Activity": outcomes.check_no_second_live_activity,
    "the newest state wins": order.check_newest_wins,
    "the right content": shown.check,
    "the newest state comes soon": pace.check_newest_soon,
    "done soon after a fault": pace.check_done,
    "nothing locked and unsent": activities.check_nothing_unsent,
    "one start": activities.check_one_start,
    "nothing left behind": leftovers.check,
    "no orphaned Live Activity": order.check_no_orphan,
    "nothing after the end": order.check_nothing_after_end,
    "nothing after its expiry": expiry.check,
    "nobody crashed": activities.check_conduct,
}


#: What holds also when Redis throws away what it was told to keep.
_WITHOUT_MEMORY = ("no second Live Activity", "nothing left behind", "nothing after its expiry", "nobody crashed")


def audit(evidence):
    """The violations of each rule, by its name."""
    return {name: list(rule(name, evidence)) for name, rule in RULES.items()
            if not evidence.evicts or name in _WITHOUT_MEMORY}
