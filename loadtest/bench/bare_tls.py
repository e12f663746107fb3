"""What the bytes of a push cost without any HTTP/2: OpenSSL and a socket, and nothing else. The floor of every client."""

import os
import resource
import socket
import ssl
import threading

#: Bytes of a write: so many TLS records of 16 KiB.
WRITE = 4 * 16_384
#: AES-128-GCM, which Fanfare and h2load agree on with the mock.
_CIPHER = "ECDHE-ECDSA-AES128-GCM-SHA256"


def cost(place, size, count):
    """CPU seconds of this thread for sending `count` times `size` bytes over TLS on loopback."""
    certificate, key = place.path("bare.pem"), place.path("bare.key")
    place.run("openssl", ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                          "-keyout", key, "-out", certificate, "-days", "1", "-subj", "/CN=localhost",
                          "-addext", "subjectAltName=DNS:localhost"])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        reader = threading.Thread(target=_swallow, args=(listener, certificate, key), daemon=True)
        reader.start()
        context = ssl.create_default_context(cafile=certificate)
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(_CIPHER)
        with socket.create_connection(listener.getsockname()) as plain, \
                context.wrap_socket(plain, server_hostname="localhost") as connection:
            data = os.urandom(WRITE)
            _send(connection, data, WRITE * 64)
            before = _thread_seconds()
            _send(connection, data, size * count)
            return _thread_seconds() - before


def _send(connection, data, total):
    sent = 0
    while sent < total:
        connection.sendall(data)
        sent += len(data)


def _thread_seconds():
    usage = resource.getrusage(resource.RUSAGE_THREAD)
    return usage.ru_utime + usage.ru_stime


def _swallow(listener, certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    plain, _ = listener.accept()
    buffer = bytearray(262_144)
    with context.wrap_socket(plain, server_side=True) as connection:
        try:
            while connection.recv_into(buffer):
                pass
        except OSError:
            # The sender is done.
            pass
