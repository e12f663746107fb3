"""Hundreds of bodies of one tenant that are nearly all there, and never end: of apps, and then of the customer."""

import time

from .idle import health

NAME = "bodies"
TITLE = "unfinished bodies of 2 MB and 16 kB by one SDK key, and of 2 MB by one API key"
_LENGTH = 2_097_152


def prepare(siege):
    return siege.tenant("raider")


def play(siege, raider):
    of_apps = siege.raid("hold", ports=siege.ports[:1], opening=_head("PUT", "/api/v1/sdk/device", raider, _LENGTH),
                         padding=_LENGTH - 1, connections=320, rate=200)
    short_ones = siege.raid("hold", ports=siege.ports[:1], opening=_head("PUT", "/api/v1/sdk/device", raider, 16_384),
                            padding=16_383, connections=siege.size(2_000, 200), rate=1_000)
    with of_apps, short_ones:
        for raid in (of_apps, short_ones):
            raid.wait_until_ready(siege.size(10, 3))
        health(siege)
        time.sleep(siege.size(5, 1))
    for raid in (of_apps, short_ones):
        siege.add(raid)
    register = _head("POST", "/api/v1/live-activity/register", raider, _LENGTH)
    with siege.raid("hold", ports=siege.ports[:1], opening=register, padding=_LENGTH - 1, connections=320, rate=200) as raid:
        raid.wait_until_ready(siege.size(10, 3))
        health(siege)
        time.sleep(siege.size(5, 1))
    siege.add(raid)


def _head(method, path, raider, length):
    return (f"{method} {path} HTTP/1.1\r\nHost: fanfare\r\nX-Sdk-Key: {raider['sdk_key']}\r\nX-Api-Key: {raider['api_key']}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n")
