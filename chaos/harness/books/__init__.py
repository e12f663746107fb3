"""The books: rules that must hold whatever was killed. Pure; what each promises is in chaos/README.md."""

from . import activities, fates, leftovers, order

#: In the order of the README.
RULES = {
    "one fate each": fates.check_one_fate,
    "no second card": fates.check_no_second_card,
    "the newest state wins": order.check_newest_wins,
    "nothing locked and unsent": activities.check_nothing_unsent,
    "one start": activities.check_one_start,
    "nothing left behind": leftovers.check,
    "no orphaned card": order.check_no_orphan,
    "nothing after the end": order.check_nothing_after_end,
    "nobody crashed": activities.check_conduct,
}


def audit(evidence):
    """The violations of each rule, by its name."""
    return {name: list(rule(name, evidence)) for name, rule in RULES.items()}
