"""Two things in turn, so that what the machine does besides falls on both."""

from .progress import say
from .samples import Samples


def alternately(rounds, first, second):
    """Measures both in each round; who begins changes from round to round."""
    ours, theirs = Samples(), Samples()
    for number in range(rounds):
        steps = [(ours, first), (theirs, second)]
        for samples, measure in steps if number % 2 == 0 else reversed(steps):
            samples.add(measure())
        say(f"    round {number + 1} of {rounds}: ratio {ours.values[-1] / theirs.values[-1]:.3f}")
    return ours, theirs
