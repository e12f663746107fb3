"""A client for Redis, as small as this needs it (RESP2)."""

import socket


class RedisError(Exception):
    """What Redis answered with an error, or that it did not answer."""


class Redis:
    """One connection to one server."""

    def __init__(self, port, timeout=3.0):
        try:
            self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        except OSError as error:
            raise RedisError(f"no Redis at port {port}: {error}") from error
        self.file = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def call(self, *words):
        parts = [_bytes(word) for word in words]
        request = b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
        try:
            self.socket.sendall(request)
            return read_reply(self.file)
        except OSError as error:
            raise RedisError(f"Redis did not answer: {error}") from error

    def text(self, *words):
        reply = self.call(*words)
        return reply.decode(errors="replace") if isinstance(reply, bytes) else reply

    def keys(self, pattern):
        """All keys of this node that match, each once."""
        found, cursor = set(), b"0"
        while True:
            cursor, page = self.call("SCAN", cursor, "MATCH", pattern, "COUNT", 1000)
            found.update(key.decode(errors="replace") for key in page)
            if cursor == b"0":
                return sorted(found)

    def fields(self, key):
        flat = self.call("HGETALL", key)
        return {flat[i].decode(errors="replace"): flat[i + 1] for i in range(0, len(flat), 2)}


def read_reply(file):
    line = file.readline()
    if not line.endswith(b"\r\n"):
        raise RedisError("Redis closed the connection")
    kind, rest = line[:1], line[1:-2]
    if kind == b"+":
        return rest
    if kind == b"-":
        raise RedisError(rest.decode(errors="replace"))
    if kind == b":":
        return int(rest)
    if kind == b"$":
        if rest == b"-1":
            return None
        data = file.read(int(rest) + 2)
        if len(data) != int(rest) + 2:
            raise RedisError("Redis closed the connection")
        return data[:-2]
    if kind == b"*":
        return None if rest == b"-1" else [read_reply(file) for _ in range(int(rest))]
    raise RedisError(f"this is no reply of Redis: {line[:50]!r}")


def _bytes(word):
    return word if isinstance(word, bytes) else str(word).encode()
