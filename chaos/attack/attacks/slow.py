"""Connections that send a byte now and then: in a head, and in a body."""

import time

from .idle import health

NAME = "slow"
TITLE = "heads and bodies that come a byte at a time"


def prepare(siege):
    return siege.tenant("raider")


def play(siege, raider):
    count, seconds = siege.size(3_000, 300), siege.size(12, 2)
    head = "PUT /api/v1/sdk/device HTTP/1.1\r\nHost: fanfare\r\n"
    body = f"{head}X-Sdk-Key: {raider['sdk_key']}\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{{"
    heads = siege.raid("hold", opening=f"{head}X-Slow: ", drip=0.5, connections=count, rate=2_000)
    bodies = siege.raid("hold", opening=body, drops=" ", drip=0.5, connections=count, rate=2_000)
    with heads, bodies:
        time.sleep(seconds / 2)
        health(siege)
        time.sleep(seconds / 2)
        health(siege)
    for raid in (heads, bodies):
        siege.add(raid)
