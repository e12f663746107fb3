"""As `idle`, from many addresses, none of which has more than it may."""

import time

from attack import bounds

from .idle import health

NAME = "swarm"
TITLE = "idle connections from eight addresses, more than a gateway has"
DESCRIPTORS = bounds.ALL_DESCRIPTORS
_ADDRESSES = [f"127.0.1.{number}" for number in range(1, 9)]


def play(siege, _):
    count = siege.size(19_000, 900)
    raids = [siege.raid("hold", ports=[port], sources=_ADDRESSES, connections=count, rate=siege.size(4_000, 2_000), seconds=90)
             for port in siege.ports]
    with raids[0], raids[1]:
        for raid in raids:
            raid.wait_until_ready(siege.size(30, 4))
        health(siege)
        time.sleep(siege.size(6, 1))
        health(siege)
    for raid in raids:
        siege.add(raid)
