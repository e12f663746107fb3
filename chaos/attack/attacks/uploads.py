"""Uploads of segments by one tenant that trickle, more than a gateway reads at once."""

import time

NAME = "uploads"
TITLE = "trickling uploads by one tenant while the neighbour uploads"


def prepare(siege):
    return siege.tenant("raider")


def play(siege, raider):
    opening = (f"PUT /api/v1/segments/trickle HTTP/1.1\r\nHost: fanfare\r\nX-Api-Key: {raider['api_key']}\r\n"
               "Content-Type: text/csv\r\nContent-Length: 1000000\r\n\r\n")
    with siege.raid("hold", opening=opening, drops="u\n", drip=0.3, connections=80, rate=200) as raid:
        raid.wait_until_ready(5)
        time.sleep(siege.size(15, 3))
    siege.add(raid)
