"""TLS on the listener: handshakes that stall, are none, or are of another time, while somebody else's succeed."""

import os
import socket
import ssl
import time
import warnings

from attack.watch import descriptors
from harness.gateways import Gateway
from harness.place import free_ports

NAME = "handshakes"
TITLE = "handshakes with a listener of TLS that stall or are none"
_HELLO = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"


def prepare(siege):
    """A third gateway, with the mock's certificate. None where listeners speak no TLS."""
    scene = siege.scene
    if not scene.reads("http.tls_certificate_file"):
        return None
    folder = scene.provider.directory
    gateway = Gateway(scene.place, 2, free_ports(1)[0], scene.environment | {
        "FANFARE_HTTP_TLS_CERTIFICATE_FILE": os.path.join(folder, "server.pem"),
        "FANFARE_HTTP_TLS_KEY_FILE": os.path.join(folder, "server-key.pem")})
    deadline = time.monotonic() + 60
    while _health(siege, gateway) != 200 and time.monotonic() < deadline:
        time.sleep(0.05)
    return gateway


def _context(siege):
    return ssl.create_default_context(cafile=os.path.join(siege.scene.provider.directory, "ca.pem"))


def _health(siege, gateway, context=None, source="127.0.0.2"):
    """The status that is answered, or what went wrong."""
    try:
        with socket.create_connection(("127.0.0.1", gateway.port), timeout=5, source_address=(source, 0)) as plain:
            with (context or _context(siege)).wrap_socket(plain, server_hostname=siege.scene.provider.host) as secure:
                secure.sendall(b"GET /health/live HTTP/1.1\r\nHost: f\r\nConnection: close\r\n\r\n")
                return int(secure.recv(4096).split(b" ")[1])
    except (OSError, IndexError, ValueError) as error:
        return type(error).__name__


def play(siege, gateway):
    if gateway is None:
        siege.check("the listener speaks TLS, or a proxy does that stands before it", True, "not in this version")
        time.sleep(1)
        return
    before = descriptors(gateway.server.pid)
    count, ports = siege.size(2_000, 150), [gateway.port]
    raids = [siege.raid("hold", ports=ports, connections=count, rate=2_000),
             siege.raid("hold", ports=ports, connections=count, rate=2_000, opening=_HELLO, drip=0.3, drops="\x00"),
             siege.raid("hold", ports=ports, connections=count, rate=2_000, opening="GET / HTTP/1.1\r\nHost: f\r\n\r\n")]
    with raids[0], raids[1], raids[2]:
        seconds = []
        end = time.monotonic() + siege.size(10, 2)
        while time.monotonic() < end:
            begin = time.monotonic()
            status = _health(siege, gateway)
            seconds.append(time.monotonic() - begin)
            siege.check("a handshake of somebody else succeeds, and health is answered", status == 200, status)
            time.sleep(0.1)
        siege.check("it does so soon", max(seconds) <= 1, f"{max(seconds):.3f} s", is_timed=True)
    for raid in raids:
        siege.add(raid)
    for name, version in (("1.0", ssl.TLSVersion.TLSv1), ("1.1", ssl.TLSVersion.TLSv1_1)):
        siege.check(f"TLS {name} is refused", _health(siege, gateway, _old(siege, version)) != 200)
    siege.check("TLS 1.2 is not", _health(siege, gateway, _old(siege, ssl.TLSVersion.TLSv1_2)) == 200)
    deadline = time.monotonic() + 10
    while descriptors(gateway.server.pid) > before + 8 and time.monotonic() < deadline:
        time.sleep(0.1)
    siege.check("its descriptors come back", descriptors(gateway.server.pid) <= before + 8)
    gateway.terminate()
    siege.check("it ends in order", not gateway.misdeeds, gateway.misdeeds)


def _old(siege, version):
    context = _context(siege)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = version
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    return context
