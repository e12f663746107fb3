"""Clients that ask for much, one request behind the other, and read nothing of what they are answered."""

import time

from .idle import health

NAME = "readers"
TITLE = "clients that ask for the API's description again and again, and read no answer"
_REQUEST = "GET /openapi.json HTTP/1.1\r\nHost: fanfare\r\n\r\n"


def prepare(siege):
    return siege.tenant("raider")


def play(siege, raider):
    listing = f"GET /api/v1/live-activity?limit=100 HTTP/1.1\r\nHost: fanfare\r\nX-Api-Key: {raider['api_key']}\r\n\r\n"
    strangers = siege.raid("hold", ports=siege.ports[:1], opening=_REQUEST * 20, connections=siege.size(300, 60), rate=60, deaf=True)
    customers = siege.raid("hold", ports=siege.ports[:1], opening=listing * 20, connections=siege.size(50, 10), rate=20, deaf=True)
    with strangers, customers:
        time.sleep(siege.size(5, 1))
        health(siege)
        time.sleep(siege.size(5, 1))
        health(siege)
    for raid in (strangers, customers):
        siege.add(raid)
