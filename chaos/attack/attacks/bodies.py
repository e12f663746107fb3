"""Hundreds of bodies by one SDK key that are nearly all there, and never end."""

import time

from .idle import health

NAME = "bodies"
TITLE = "320 unfinished bodies of 2 MB by one SDK key"
_LENGTH = 2_097_152


def prepare(siege):
    return siege.tenant("raider")


def play(siege, raider):
    opening = (f"PUT /api/v1/sdk/device HTTP/1.1\r\nHost: fanfare\r\nX-Sdk-Key: {raider['sdk_key']}\r\n"
               f"Content-Type: application/json\r\nContent-Length: {_LENGTH}\r\n\r\n")
    with siege.raid("hold", ports=siege.ports[:1], opening=opening, padding=_LENGTH - 1, connections=320,
                    rate=200) as raid:
        raid.wait_until_ready(siege.size(10, 4))
        health(siege)
        time.sleep(siege.size(5, 1))
    siege.add(raid)
