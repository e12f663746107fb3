"""Which fault comes when. Pure: the same seed gives the same plan."""

import dataclasses
import random

#: What may happen, and how often in proportion.
KINDS = {
    "kill gateway": 6,
    "stop gateway": 3,
    "terminate gateway": 3,
    "cut off gateway": 3,
    "shift clock": 2,
    "kill redis": 3,
    "slow redis": 2,
    "slow disk": 2,
    "full redis": 2,
    "reset connections": 3,
    "refuse connections": 2,
    "brownout": 3,
    "sick connection": 2,
    "black hole": 2,
}
#: Each of these has a gateway, and at every moment one is spared.
OF_GATEWAYS = ("kill gateway", "stop gateway", "terminate gateway", "cut off gateway", "shift clock")
#: Of each of these groups only one is under way at a time, and so long after it the next may begin.
_ALONE = {
    "redis": (("kill redis", "slow redis", "slow disk", "full redis"), 8.0),
    "provider": (("refuse connections", "brownout", "sick connection", "black hole"), 1.0),
}
#: How long they last at least, and how much longer at most, in seconds of a long run.
_DURATIONS = {
    "kill gateway": (0.5, 3.5),
    "terminate gateway": (0.2, 1.0),
    "cut off gateway": (5.0, 8.0),
    "shift clock": (8.0, 6.0),
    "slow redis": (4.0, 6.0),
    "slow disk": (3.0, 4.0),
    "full redis": (4.0, 8.0),
    "reset connections": (0.0, 0.0),
    "refuse connections": (1.0, 2.0),
    "brownout": (8.0, 12.0),
    "sick connection": (8.0, 8.0),
    "black hole": (4.0, 8.0),
}

#: Not among the others, because it loses what the other invariants are about.
EVICT = "evict keys"


#: One gateway after the other is replaced by one of the other version.
UPGRADE, DOWNGRADE = "upgrade gateway", "downgrade gateway"
ROLLING = (UPGRADE, DOWNGRADE)


@dataclasses.dataclass(frozen=True)
class PlannedFault:
    #: Seconds from the begin of the load.
    at: float
    kind: str
    #: The number of the gateway, or a draw for other targets.
    target: int
    #: How long it lasts, in seconds: until the restart, the SIGCONT and so on.
    lasts: float
    #: From 0 to below 1, for what a kind has to choose.
    draw: float = 0.0


def plan(seed, seconds, gateways, pause, kinds=tuple(KINDS), gap=(4.0, 10.0), redis_outage=0.3, scale=1.0):
    """Faults in order of their time. At every moment at least one gateway is spared.

    - pause: how long a gateway is stopped.
    - gap: between two faults, in seconds.
    - scale: how long the others last, of what they last in a long run.
    """
    numbers = random.Random(f"{seed} faults")
    faults, busy_until = [], [0.0] * gateways
    alone_until = dict.fromkeys(_ALONE, 0.0)
    at = numbers.uniform(1.5, 3.0)
    # Each kind once, in some order, then as it comes; a kill soon, so that also a short run has one.
    pending = [kind for kind in KINDS if kind in kinds]
    numbers.shuffle(pending)
    if "kill gateway" in pending:
        pending.remove("kill gateway")
        pending.insert(len(pending) - numbers.randrange(2), "kill gateway")
    while at < seconds:
        kind = pending.pop() if pending else numbers.choices(list(kinds), [KINDS[each] for each in kinds])[0]
        lasts = _duration(kind, numbers, pause, redis_outage, scale)
        target, draw = numbers.randrange(1 << 16), numbers.random()
        group = next((name for name, (members, _) in _ALONE.items() if kind in members), None)
        is_possible = group is None or alone_until[group] <= at
        if kind in OF_GATEWAYS:
            free = [index for index in range(gateways) if busy_until[index] <= at]
            is_possible = len(free) >= 2
            if is_possible:
                target = free[target % len(free)]
                # Also the restart takes its time.
                busy_until[target] = at + lasts + 3
        if is_possible:
            faults.append(PlannedFault(at, kind, target, lasts, draw))
            if group:
                alone_until[group] = at + lasts + _ALONE[group][1]
        elif kind not in (each.kind for each in faults):
            pending.insert(0, kind)
        at += numbers.uniform(*gap)
    return faults


def rolling(seconds, gateways):
    """All gateways to the newer version, back, and to the newer one again, one at a time."""
    steps = [(kind, target) for kind in (UPGRADE, DOWNGRADE, UPGRADE) for target in range(gateways)]
    # The time behind the last step shows its effect.
    step = (seconds - 2) / (len(steps) + 1)
    return [PlannedFault(2 + index * step, kind, target, 0.0) for index, (kind, target) in enumerate(steps)]


def evictions(seed, seconds):
    """Every few seconds Redis throws keys away, and has some time to show what that did."""
    numbers = random.Random(f"{seed} evictions")
    at, faults = 3.0, []
    while at < seconds:
        faults.append(PlannedFault(at, EVICT, 0, 1.0, numbers.random()))
        at += numbers.uniform(5.0, 8.0)
    return faults


def _duration(kind, numbers, pause, redis_outage, scale):
    draw = numbers.random()
    if kind == "stop gateway":
        return pause
    if kind == "kill redis":
        return redis_outage * (0.5 + draw)
    least, more = _DURATIONS[kind]
    return (least + more * draw) * (scale if least > 1 else 1.0)
