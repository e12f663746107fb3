"""HTTP/1.1 by hand: requests as bytes, right or wrong ones, and the answers that come back. Pure but for `Wire`."""

import json
import re
import socket

_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d+)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:[ \t]*chunked", re.IGNORECASE)
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")


def request(method, path, headers=None, body=None, host="fanfare"):
    """A request as it should be."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body is not None:
        if not isinstance(body, bytes):
            body = (body if isinstance(body, str) else json.dumps(body)).encode()
        if not any(name.lower() == "content-type" for name in headers or {}):
            lines.append("Content-Type: application/json")
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")


class Answer:
    __slots__ = ("status", "head", "body")

    def __init__(self, status, head, body):
        self.status, self.head, self.body = status, head, body

    @property
    def code(self):
        """What the body gives as `code`, or None."""
        return self.object.get("code")

    @property
    def object(self):
        try:
            value = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def header(self, name):
        found = re.search(rb"\r\n" + re.escape(name.encode()) + rb":[ \t]*([^\r\n]*)", self.head, re.IGNORECASE)
        return found[1].decode("latin-1").strip() if found else None

    def __repr__(self):
        return f"{self.status} {self.body[:120]!r}"


class BrokenAnswer(Exception):
    """What came back is no HTTP/1.1."""


class AnswerReader:
    """Takes bytes as they come, and gives out whole answers."""

    def __init__(self):
        self.buffer = b""

    def feed(self, data):
        self.buffer = self.buffer + data if self.buffer else data
        found, start = [], 0
        while True:
            end = self.buffer.find(b"\r\n\r\n", start)
            if end < 0:
                break
            head = self.buffer[start:end + 2]
            status = _STATUS.match(head)
            if not status:
                raise BrokenAnswer(repr(self.buffer[start:start + 80]))
            number = int(status[1])
            if 100 <= number < 200:
                start = end + 4
                continue
            length = _LENGTH.search(head)
            if length:
                size = int(length[1])
                if len(self.buffer) < end + 4 + size:
                    break
                body, next_start = self.buffer[end + 4:end + 4 + size], end + 4 + size
            elif _CHUNKED.search(head):
                chunks = _chunks(self.buffer, end + 4)
                if chunks is None:
                    break
                body, next_start = chunks
            else:
                body, next_start = b"", end + 4
            found.append(Answer(number, head, body))
            start = next_start
        self.buffer = self.buffer[start:]
        if not found and self.buffer and not b"HTTP/1.".startswith(self.buffer[:7]):
            if self.buffer[:7] not in (b"HTTP/1.",):
                raise BrokenAnswer(repr(self.buffer[:80]))
        return found


def _chunks(buffer, at):
    """The content of chunks that begin there, and where they end; None while they have not."""
    parts = []
    while True:
        end = buffer.find(b"\r\n", at)
        if end < 0:
            return None
        try:
            size = int(buffer[at:end].split(b";")[0], 16)
        except ValueError as error:
            raise BrokenAnswer(f"no chunk: {buffer[at:end]!r}") from error
        if len(buffer) < end + 2 + size + 2:
            return None
        parts.append(buffer[end + 2:end + 2 + size])
        at = end + 2 + size + 2
        if size == 0:
            return b"".join(parts), at


def connect(port, source=None, timeout=10):
    """From an address of this machine's loopback network, by which a gateway tells clients apart."""
    return socket.create_connection(("127.0.0.1", port), timeout=timeout, source_address=(source, 0) if source else None)


class Wire:
    """A connection of one who waits for each answer. Use it in a `with` statement."""

    def __init__(self, port, source=None, timeout=10):
        self.socket = connect(port, source, timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reader, self.waiting = AnswerReader(), []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def answer(self):
        """The next one, or None when the gateway closed the connection instead. Raises TimeoutError."""
        while not self.waiting:
            try:
                data = self.socket.recv(65536)
            except ConnectionError:
                return None
            if not data:
                return None
            self.waiting = self.reader.feed(data)
        return self.waiting.pop(0)

    def answers(self):
        """All that come until the gateway closes the connection, or says nothing for the time that a wait may take."""
        found = []
        while True:
            try:
                answer = self.answer()
            except TimeoutError:
                return found
            if answer is None:
                return found
            found.append(answer)

    def call(self, method, path, headers=None, body=None):
        self.send(request(method, path, headers, body))
        return self.answer()


def ask(port, method, path, headers=None, body=None, source=None, timeout=10):
    """One request on a connection of its own. None when there was no answer."""
    try:
        with Wire(port, source, timeout) as wire:
            return wire.call(method, path, headers, body)
    except (OSError, BrokenAnswer):
        return None
