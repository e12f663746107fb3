"""What the neighbour has seen: each call with its time, and what a stretch of time came to. Pure."""

import collections
import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class Sample:
    #: When the call was made, by the monotonic clock.
    at: float
    kind: str
    seconds: float
    #: None when the call succeeded, else what came instead.
    failure: str | None


@dataclasses.dataclass(frozen=True)
class Stretch:
    """What all calls of a stretch of time came to."""

    calls: int
    failures: dict
    p50: float
    p99: float
    longest: float

    @property
    def failed(self):
        return sum(self.failures.values())

    @property
    def success(self):
        """Of 100 calls so many got what they were for."""
        return 100.0 * (self.calls - self.failed) / self.calls if self.calls else 0.0


def percentile(values, share):
    """The smallest value that at least this share of all values does not exceed (nearest rank)."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def stretch(samples, begin, end):
    """Of the calls that were made from `begin` on and before `end`. Failed ones count with the time that they took."""
    within = [sample for sample in samples if begin <= sample.at < end]
    seconds = [sample.seconds for sample in within]
    failures = collections.Counter(f"{sample.kind}: {sample.failure}" for sample in within if sample.failure)
    return Stretch(len(within), dict(failures), percentile(seconds, 0.5), percentile(seconds, 0.99),
                   max(seconds, default=0.0))
