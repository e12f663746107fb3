"""Which fault comes when. Pure: the same seed gives the same plan."""

import dataclasses
import random

#: What may happen, and how often in proportion.
KINDS = {
    "kill gateway": 6,
    "stop gateway": 3,
    "terminate gateway": 3,
    "kill redis": 3,
    "reset connections": 3,
    "refuse connections": 2,
}


@dataclasses.dataclass(frozen=True)
class PlannedFault:
    #: Seconds from the begin of the load.
    at: float
    kind: str
    #: The number of the gateway, or a draw for other targets.
    target: int
    #: How long it lasts, in seconds: until the restart, the SIGCONT and so on.
    lasts: float


def plan(seed, seconds, gateways, pause, kinds=tuple(KINDS), gap=(4.0, 10.0), redis_outage=0.3):
    """Faults in order of their time. At every moment at least one gateway is spared.

    - pause: how long a gateway is stopped.
    - gap: between two faults, in seconds.
    """
    numbers = random.Random(f"{seed} faults")
    faults, busy_until = [], [0.0] * gateways
    redis_busy_until = 0.0
    at = numbers.uniform(1.5, 3.0)
    # Each kind once, in some order, then as it comes; a kill soon, so that also a short run has one.
    pending = [kind for kind in KINDS if kind in kinds]
    numbers.shuffle(pending)
    if "kill gateway" in pending:
        pending.remove("kill gateway")
        pending.insert(len(pending) - numbers.randrange(2), "kill gateway")
    while at < seconds:
        kind = pending.pop() if pending else numbers.choices(list(kinds), [KINDS[each] for each in kinds])[0]
        lasts = _duration(kind, numbers, pause, redis_outage)
        target = numbers.randrange(1 << 16)
        if kind.endswith("gateway"):
            free = [index for index in range(gateways) if busy_until[index] <= at]
            if len(free) >= 2:
                target = free[target % len(free)]
                # Also the restart takes its time.
                busy_until[target] = at + lasts + 3
                faults.append(PlannedFault(at, kind, target, lasts))
            elif kind not in (each.kind for each in faults):
                pending.insert(0, kind)
        elif kind != "kill redis" or redis_busy_until <= at:
            faults.append(PlannedFault(at, kind, target, lasts))
            if kind == "kill redis":
                redis_busy_until = at + lasts + 8
        at += numbers.uniform(*gap)
    return faults


def _duration(kind, numbers, pause, redis_outage):
    draw = numbers.random()
    return {
        "kill gateway": 0.5 + 3.5 * draw,
        "stop gateway": pause,
        "terminate gateway": 0.2 + draw,
        "kill redis": redis_outage * (0.5 + draw),
        "reset connections": 0.0,
        "refuse connections": 1 + 2 * draw,
    }[kind]
