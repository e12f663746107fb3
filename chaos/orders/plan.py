"""Which fault comes when. Pure: the same seed gives the same plan."""

import dataclasses
import random

#: What may happen to whom, how often in proportion, and how many seconds it lasts at least and at most.
GATEWAY = {"kill": (4, 0.1, 1.5), "stop": (3, 1.0, 8.0), "terminate": (2, 0.1, 1.0)}
REDIS = {"stop Redis": (1, 1.0, 4.0)}
PROVIDER = {"slow provider": (1, 1.0, 4.0)}
#: Between two faults of one lane, at least and at most: a gateway that is started again needs some time.
_GATEWAY_GAP, _REDIS_GAP, _PROVIDER_GAP = (3.0, 9.0), (6.0, 14.0), (6.0, 15.0)
#: So long before the end the last fault is over.
CALM = 3.0


@dataclasses.dataclass(frozen=True)
class Fault:
    #: Seconds from the begin of the load.
    at: float
    kind: str
    #: The number of the gateway; of others 0.
    target: int
    #: Until the restart, the SIGCONT and so on.
    lasts: float


def plan(seed, seconds, gateways):
    """Faults in order of their time. Each gateway, Redis and the provider has one at a time, of its own."""
    faults = []
    for index in range(gateways):
        faults += _lane(random.Random(f"{seed} gateway {index}"), seconds, GATEWAY, _GATEWAY_GAP, index)
    faults += _lane(random.Random(f"{seed} redis"), seconds, REDIS, _REDIS_GAP, 0)
    faults += _lane(random.Random(f"{seed} provider"), seconds, PROVIDER, _PROVIDER_GAP, 0)
    return sorted(faults, key=lambda fault: fault.at)


def rolling(seconds, gateways):
    """Each gateway to the newer version, back, and to the newer one again, one at a time."""
    steps = [(kind, target) for kind in ("upgrade", "downgrade", "upgrade") for target in range(gateways)]
    step = (seconds - CALM) / len(steps)
    return [Fault(1 + index * step, kind, target, 0.0) for index, (kind, target) in enumerate(steps)]


def _lane(numbers, seconds, kinds, gap, target):
    faults, at = [], numbers.uniform(1.0, gap[1])
    while True:
        kind = numbers.choices(list(kinds), [often for often, _, _ in kinds.values()])[0]
        lasts = numbers.uniform(*kinds[kind][1:])
        if at + lasts > seconds - CALM:
            return faults
        faults.append(Fault(at, kind, target, lasts))
        at += lasts + numbers.uniform(*gap)
