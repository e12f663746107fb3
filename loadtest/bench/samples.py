"""Several measurements of one thing."""

import statistics


class Samples:
    """Values in the order in which they were measured; at least one by the time that they are asked for."""

    def __init__(self, values=()):
        self.values = list(values)

    def add(self, value):
        self.values.append(value)

    @property
    def median(self):
        return statistics.median(self.values)

    @property
    def lowest(self):
        return min(self.values)

    @property
    def highest(self):
        return max(self.values)


def ratios(ours, theirs):
    """What each of our measurements is of the one of the other that was made next to it."""
    if len(ours.values) != len(theirs.values):
        raise ValueError("ratios need as many measurements of one as of the other")
    return Samples(a / b for a, b in zip(ours.values, theirs.values))
