"""What must hold, in numbers. Each is stated here and in the report, and nowhere else."""

import math

#: The neighbour's p99 under attack, by what it is in peace; smaller times than the floor are not told apart, as two
#: cores that carry attackers, gateways and Redis at once give nobody his turn sooner.
LATENCY_FACTOR = 2.0
LATENCY_FLOOR = 0.025

#: The longest that he may wait for an answer where all comes in one moment: a few calls are made in that moment, so that
#: a percentile says nothing.
ALL_AT_ONCE = 1.0

#: Of one gateway beyond what it has in peace: resident memory, in bytes. Bodies of all clients together have a budget
#: (`http.max_buffered_bytes`), whose shares are taken as pages are written. Beside it each connection has what the server
#: keeps for it and its request: tasks, parser, head, what it reads into, and a short body (16 KiB at most each).
BODIES = 256 << 20
CONNECTION = 64 << 10
#: The same when the attack is over and the gateway has had a few seconds: what the allocator keeps.
RESIDENT_AFTER = 128 << 20
#: Descriptors of one gateway beyond what it has in peace: those that one address may have, and a few.
DESCRIPTORS = 4096 + 64
#: How many connections a besieged gateway takes in all (`http.max_connections`, otherwise as many as it may open files
#: for), and its descriptors when all addresses together have as many as they can get.
MAX_CONNECTIONS = 16384
ALL_DESCRIPTORS = MAX_CONNECTIONS + 64
DESCRIPTORS_AFTER = 32

#: Redis beyond peace: in bytes and keys. A tenant gets so many devices seen for the first time in a minute, which are
#: given a kilobyte and three keys each.
NEW_DEVICES_A_MINUTE = 100_000
REDIS_BYTES = NEW_DEVICES_A_MINUTE * 1024
REDIS_KEYS = NEW_DEVICES_A_MINUTE * 3

#: Time of Redis in scripts for a schedule beside thousands that are due in the same second.
SCRIPT_SECONDS_A_SCHEDULE = 0.001

#: How long health may take to be answered, in seconds.
HEALTH = 1.0
#: How much longer the answer to what belongs to somebody else may take than the answer to what does not exist. Coarse:
#: of medians, on a busy machine.
STRANGER_FACTOR, STRANGER_FLOOR = 1.5, 0.0005


#: Of one gateway, in parts of a limit: a twentieth that it counts by itself, and two that it lets in while the store is
#: being told of them. No request waits for the store to be counted, so no bound that is promised is smaller
#: (docs/internals/quotas.md).
UNTOLD_REQUESTS = 3 / 20
#: How many gateways are besieged.
GATEWAYS = 2


def requests(limit):
    """The most requests that are let in within a minute."""
    return limit + GATEWAYS * math.ceil(limit * UNTOLD_REQUESTS)


def resident(connections):
    """The most resident memory beyond peace, with so many connections more."""
    return BODIES + CONNECTION * max(0, connections)


def latency(peace_p99):
    """The longest p99 that the neighbour may see."""
    return max(LATENCY_FACTOR * peace_p99, LATENCY_FLOOR)
