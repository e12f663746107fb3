"""Which keys of Redis stay for ever, by families of their names: what is only counted or held must go by itself. Pure but for
`read`."""

import collections
import re

from harness.resp import Redis, read_reply

#: What is somebody's until it is taken away: tenants with their keys, users, whose token is whose, segments, topics, webhooks
#: and whether there are events. What a tenant has of users and devices, and the queue of what is due. The
#: number of the layout. Where there is something new, in two strings that never grow.
_FOR_EVER = re.compile(r"""^fanfare:(
    tenants | layout | webhooks | \{[gkotuy]:[^}]*\} | \{g:[^}]*\}:(names|s:.*) | \{e:[^}]*\}:(on|w:.*) | \{t:[^}]*\}:use
    | \{\d+\}:(due|y:.*) | \{news\}:(jobs|webhooks) | \{[0-9a-f-]{36}\.\d+\}:g:\d+)$""", re.VERBOSE)
_BATCH = 1_000


def family(name):
    """A name without what tells one key from another."""
    name = re.sub(r"\{([a-z]+):[^}]*\}", r"{\1:*}", name)
    return re.sub(r"[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|\d+", "*", name)


def lasting(names_and_lives):
    """How many keys of each family stay for ever and should not: of (name, milliseconds to live or -1)."""
    return collections.Counter(family(name) for name, life in names_and_lives if life == -1 and not _FOR_EVER.match(name))


def read(port):
    """Each key with its time to live."""
    with Redis(port, timeout=30) as redis:
        names = redis.keys("fanfare:*")
        for first in range(0, len(names), _BATCH):
            batch = names[first:first + _BATCH]
            redis.socket.sendall(b"".join(b"*2\r\n$4\r\nPTTL\r\n$%d\r\n%s\r\n" % (len(name.encode()), name.encode()) for name in batch))
            for name in batch:
                yield name, read_reply(redis.file)
