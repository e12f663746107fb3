"""The attacks, in the order in which they are played. Each is a module with `NAME`, `TITLE` and `play(siege, state)`, where
`state` is what its `prepare(siege)` gave."""

from . import (activities, bodies, crowd, devices, due, handshakes, hostile, idle, leaving, listings, readers, signatures, slow, strangers,
               swarm, uploads, waiting, webhooks)

ALL = (devices, activities, listings, crowd, idle, swarm, leaving, slow, readers, handshakes, uploads, waiting, due, bodies,
       hostile, signatures, webhooks, strangers)
