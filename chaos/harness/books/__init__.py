"""The books: rules that must hold whatever was killed. Pure; what each promises is in chaos/README.md."""

from . import activities, expiry, fates, later, leftovers, order, pace, reach

#: In the order of the README.
RULES = {
    "one fate each": fates.check_one_fate,
    "nobody left out": reach.check_never_pushed,
    "little in doubt": reach.check_unknown,
    "what is known is recorded": reach.check_known,
    "later starts for the left out": later.check,
    "no second card": fates.check_no_second_card,
    "the newest state wins": order.check_newest_wins,
    "the newest state comes soon": pace.check_newest_soon,
    "done soon after a fault": pace.check_done,
    "nothing locked and unsent": activities.check_nothing_unsent,
    "one start": activities.check_one_start,
    "nothing left behind": leftovers.check,
    "no orphaned card": order.check_no_orphan,
    "nothing after the end": order.check_nothing_after_end,
    "nothing after its expiry": expiry.check,
    "nobody crashed": activities.check_conduct,
}


#: What holds also when Redis throws away what it was told to keep.
_WITHOUT_MEMORY = ("no second card", "nothing left behind", "nothing after its expiry", "nobody crashed")


def audit(evidence):
    """The violations of each rule, by its name."""
    return {name: list(rule(name, evidence)) for name, rule in RULES.items()
            if not evidence.evicts or name in _WITHOUT_MEMORY}
