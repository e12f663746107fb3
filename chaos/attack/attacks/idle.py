"""Thousands of connections from one address, without any key, that say nothing."""

import time

from attack import bounds
from attack.siege import ATTACKER, QUICK_SETTINGS
from attack.wire import ask

NAME = "idle"
TITLE = "idle connections from one address without a key"


def play(siege, _):
    count = siege.size(16_500, 700)
    for answers in hold(siege, count):
        key = "http.max_connections_per_address"
        limit = QUICK_SETTINGS[key] if siege.is_quick and siege.scene.reads(key) else bounds.DESCRIPTORS
        siege.check(f"one address has at most {limit:,} connections", answers["still open"] <= limit,
                    f"{answers['still open']:,} of {count:,} open at the end")


def hold(siege, count, **spec):
    """Has so many connections held at each gateway, while its health is asked for; gives what became of them."""
    raids = [siege.raid("hold", ports=[port], connections=count, rate=siege.size(4_000, 2_000), seconds=90, **spec)
             for port in siege.ports]
    with raids[0], raids[1]:
        for raid in raids:
            raid.wait_until_ready(siege.size(30, 5))
        health(siege)
        neighbours(siege, spec.get("sources"))
        time.sleep(siege.size(6, 1))
        health(siege)
    return [siege.add(raid) for raid in raids]


def neighbours(siege, sources):
    """Clients behind the addresses of the attack get in: an address's silent connections make room for its own."""
    for port in siege.ports:
        for source in sources or [ATTACKER]:
            answer = ask(port, "GET", "/health/live", source=source, timeout=5)
            siege.check("an attacking address keeps out none of its own", answer is not None and answer.status == 200,
                        answer)


def health(siege):
    """Each gateway's health is answered to somebody else, soon."""
    for kind, ports in (("health", siege.ports), ("the listener for health alone", siege.scene.health_ports)):
        for port in ports:
            begin = time.monotonic()
            answer = ask(port, "GET", "/health/ready", source="127.0.0.2", timeout=5)
            seconds = time.monotonic() - begin
            siege.check(f"{kind} answers", answer is not None and answer.status == 200, answer)
            siege.check(f"{kind} answers soon", seconds <= bounds.HEALTH, f"{seconds:.3f} s", is_timed=True)
