"""Webhooks at internal addresses, and cursors that were tampered with: what a tenant may say, and must not learn."""

import re
import socket
import time

from attack.wire import ask
from harness.failure import ChaosFailure

NAME = "webhooks"
TITLE = "webhooks at internal addresses, tampered cursors"


def urls(port):
    """Each of them means this machine or a network that is nobody else's business."""
    names = ("127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::ffff:127.0.0.1]",
             "[::]", "10.0.0.1", "169.254.169.254", "192.168.0.1", "[fd00::1]", "[fe80::1]", "100.64.0.1", socket.gethostname(),
             "localhost.", "LOCALHOST", "internal-name.invalid")
    for name in names:
        yield f"https://{name}:{port}/"
    yield f"https://user:secret@127.0.0.1:{port}/"
    yield f"http://127.0.0.1:{port}/"
    yield f"https://127.0.0.1:{port}\\@example.com/"


def prepare(siege):
    return siege.tenant("raider"), socket.create_server(("127.0.0.1", 0))


def play(siege, state):
    raider, listener = state
    customer, port = {"X-Api-Key": raider["api_key"]}, listener.getsockname()[1]
    for url in urls(port):
        answer = _call(siege, "POST", "/api/v1/webhooks", customer, {"url": url})
        siege.check(f"a webhook is refused with 400, or made: {url.replace(str(port), 'PORT')}",
                    answer is not None and answer.status in (201, 400), answer)
        if answer is not None and answer.status == 201:
            _look(siege, customer, answer.object["id"], url)
    listener.settimeout(0.5)
    try:
        listener.accept()
        is_reached = True
    except TimeoutError:
        is_reached = False
    finally:
        listener.close()
    siege.check("no webhook reaches a service of this machine", not is_reached, f"port {port}")
    _cursors(siege, customer)


def _look(siege, customer, webhook, url):
    """A delivery is tried; what is told of it says nothing about addresses."""
    path = f"/api/v1/webhooks/{webhook}"
    _call(siege, "POST", f"{path}/test", customer, {"type": "broadcast.finished"})
    deadline, told = time.monotonic() + 3, None
    while time.monotonic() < deadline and not told:
        answer = _call(siege, "GET", path, customer)
        told = (answer.object if answer else {}).get("last_error")
        time.sleep(0.1)
    learnt = re.findall(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|::1|fe80|private|loopback", (told or "").replace(url, ""))
    siege.check(f"the error of a webhook tells nothing of addresses: {re.sub(r':[0-9]+/', '/', url)}", not learnt, told)
    _call(siege, "DELETE", path, customer)


def _cursors(siege, customer):
    settings = _call(siege, "PUT", "/api/v1/events/settings", customer, {"stream": True})
    if settings is None or settings.status != 200:
        raise ChaosFailure(f"the stream of events was not switched on: {settings}")
    made = ("x", "0", "-1", "9" * 40, "0-0-0", "18446744073709551616-0", "1-18446744073709551616", "%00", "%2B", "1%20OR%201",
            "..%2F..", "%F0%9F%98%80", "0101000000", "ff" * 200, "1795267144123-0x", "(0-0", "-", "+", "$", "*", "%7B%7D", "=")
    routes = ("/api/v1/events?after=", "/api/v1/live-activity?cursor=", "/api/v1/segments?cursor=", "/api/v1/topics?cursor=")
    for route in routes:
        for cursor in made:
            answer = _call(siege, "GET", route + cursor, customer)
            siege.check(f"a tampered cursor is no error of the gateway: {route}{cursor[:24]}",
                        answer is not None and answer.status in (200, 400), answer)


def _call(siege, *arguments):
    answer = ask(siege.ports[0], *arguments)
    siege.count(answer)
    return answer
