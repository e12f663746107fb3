"""One attacker: a process of its own, which yields the processor to everybody else and ends with whoever started it.

It takes what to do as one line of JSON on its standard input, says `{"ready": true}` once it holds what it was to hold,
and its tally when its time or count is over, or when its standard input is closed.
"""

import collections
import errno
import json
import os
import resource
import select
import selectors
import socket
import sys
import threading
import time

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from attack.wire import AnswerReader, BrokenAnswer, request  # noqa: E402

#: Of Linux: the port is drawn with the connection, not before.
_IP_BIND_ADDRESS_NO_PORT = 24
#: In a template this stands for a number of its own in each request.
NUMBER = "@@"


class Tally:
    """What an attacker was answered."""

    def __init__(self):
        self.sent = self.closed = self.failed_connections = 0
        self.answers = collections.Counter()

    def count(self, answer):
        self.answers[str(answer.status) if answer.status < 400 else f"{answer.status} {answer.code or ''}".strip()] += 1

    def record(self):
        return {"sent": self.sent, "closed": self.closed, "failed_connections": self.failed_connections,
                "answers": dict(self.answers)}


def rendered(template, number):
    body = template.get("body")
    path = template["path"].replace(NUMBER, str(number))
    return request(template["method"], path, template.get("headers"),
                   None if body is None else body.replace(NUMBER, str(number)))


class _Line:
    """One connection of a flood: sends so many requests, waits for all their answers, sends the next."""

    def __init__(self, port, source):
        self.socket = socket.socket()
        if source:
            self.socket.bind((source, 0))
        self.socket.settimeout(5)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setblocking(False)
        self.reader, self.outgoing, self.expected = AnswerReader(), b"", 0


def flood(spec, tally, is_over):
    """`connections`, `depth` requests in flight on each, `count` requests or `seconds` at most, `rate` a second."""
    deadline, begin = time.monotonic() + spec["seconds"], time.monotonic()
    number, first, count = spec.get("first", 0), spec.get("first", 0), spec["count"]
    selector, lines, ports = selectors.DefaultSelector(), [], spec["ports"]

    def open_line(index):
        try:
            line = _Line(ports[index % len(ports)], spec.get("source"))
        except OSError:
            tally.failed_connections += 1
            return
        lines.append(line)
        selector.register(line.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, line)

    def close(line):
        selector.unregister(line.socket)
        line.socket.close()
        lines.remove(line)

    opened = 0
    while time.monotonic() < deadline and not is_over.is_set():
        while len(lines) < spec["connections"] and opened < spec["connections"] * 50:
            open_line(opened)
            opened += 1
            if tally.failed_connections > 200:
                return
        if not lines or number - first >= count and not any(line.expected for line in lines):
            return
        for key, _ in selector.select(0.2):
            line = key.data
            try:
                if line.expected == 0 and not line.outgoing:
                    allowed = count - (number - first)
                    if spec.get("rate"):
                        allowed = min(allowed, int((time.monotonic() - begin) * spec["rate"]) - (number - first))
                    batch = min(spec["depth"], allowed)
                    if batch <= 0:
                        time.sleep(0.001)
                        continue
                    templates = spec["templates"]
                    line.outgoing = b"".join(rendered(templates[(number + each) % len(templates)], number + each)
                                             for each in range(batch))
                    number, line.expected, tally.sent = number + batch, batch, tally.sent + batch
                if line.outgoing:
                    line.outgoing = line.outgoing[line.socket.send(line.outgoing):]
                    if not line.outgoing:
                        selector.modify(line.socket, selectors.EVENT_READ, line)
                try:
                    data = line.socket.recv(262144)
                except BlockingIOError:
                    continue
                if not data:
                    raise ConnectionResetError
                for answer in line.reader.feed(data):
                    tally.count(answer)
                    line.expected -= 1
                if line.expected <= 0:
                    line.expected = 0
                    selector.modify(line.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, line)
            except BlockingIOError:
                continue
            except (OSError, BrokenAnswer):
                tally.closed += 1
                close(line)


class _Held:
    """A connection that is held: on its way, then open, with what is still to be sent."""

    __slots__ = ("socket", "left", "is_open")

    def __init__(self, port, source, opening, is_deaf):
        self.socket, self.left, self.is_open = socket.socket(), memoryview(opening), False
        try:
            if is_deaf:
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            self.socket.setblocking(False)
            if source:
                # Many connections share a port of ours, each with another port of theirs.
                self.socket.setsockopt(socket.SOL_IP, _IP_BIND_ADDRESS_NO_PORT, 1)
                self.socket.bind((source, 0))
            error = self.socket.connect_ex(("127.0.0.1", port))
            if error not in (0, errno.EINPROGRESS):
                raise OSError(error, os.strerror(error))
        except OSError:
            self.socket.close()
            raise

    def go_on(self):
        """Called when it can be written to. Whether all that was to be sent is sent."""
        if not self.is_open:
            error = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if error:
                raise OSError(error, os.strerror(error))
            self.is_open = True
        if self.left:
            self.left = self.left[self.socket.send(self.left[:262144]):]
        return not self.left


class _Hold:
    def __init__(self, spec, tally):
        self.spec, self.tally = spec, tally
        self.poll, self.held, self.busy = select.epoll(), {}, set()
        #: Of one that never reads what it is answered.
        self.is_deaf, self.interest = spec.get("deaf", False), 0 if spec.get("deaf") else select.EPOLLIN
        self.opening = spec.get("opening", "").encode("latin-1") + b"a" * spec.get("padding", 0)
        self.sources = spec.get("sources") or [spec.get("source")]
        self.opened = self.most = 0

    def open(self, allowed):
        for _ in range(min(200, allowed - self.opened)):
            self.opened += 1
            ports = self.spec["ports"]
            try:
                entry = _Held(ports[self.opened % len(ports)], self.sources[self.opened % len(self.sources)], self.opening,
                              self.is_deaf)
            except OSError as error:
                self.tally.failed_connections += 1
                if error.errno in (errno.EMFILE, errno.ENFILE):
                    self.opened = self.spec["connections"]
                    return
                continue
            self.held[entry.socket.fileno()] = entry
            self.busy.add(entry.socket.fileno())
            self.poll.register(entry.socket.fileno(), self.interest | select.EPOLLOUT)

    def serve(self):
        for number, events in self.poll.poll(0.02, 1000):
            entry = self.held[number]
            try:
                if events & (select.EPOLLOUT | select.EPOLLERR) and number in self.busy:
                    is_new = not entry.is_open
                    is_done = entry.go_on()
                    self.tally.sent += is_new
                    if is_done:
                        self.busy.discard(number)
                        self.poll.modify(number, self.interest)
                if events & (select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR):
                    data = entry.socket.recv(65536)
                    if not data:
                        raise ConnectionResetError
                    for answer in AnswerReader().feed(data):
                        self.tally.count(answer)
            except BlockingIOError:
                continue
            except BrokenAnswer:
                self.tally.answers["no HTTP"] += 1
            except OSError:
                self.drop(number)
        self.most = max(self.most, len(self.held))

    def drip(self, byte):
        for number in list(self.held):
            if number not in self.busy:
                try:
                    self.held[number].socket.send(byte)
                except BlockingIOError:
                    continue
                except OSError:
                    self.drop(number)

    def drop(self, number):
        self.poll.unregister(number)
        entry = self.held.pop(number)
        entry.socket.close()
        self.busy.discard(number)
        if entry.is_open:
            self.tally.closed += 1
        else:
            self.tally.failed_connections += 1


def hold(spec, tally, is_over):
    """Opens `connections` at up to `rate` a second, sends `opening` and `padding` bytes on each and then nothing, or one
    byte each `drip` seconds, until it is told to end, or for `seconds`. One that is `deaf` reads no answer. Tells how many
    are still open then, and lets them go as fast as they came, or `at_once`."""
    deadline, begin, hold_ = time.monotonic() + spec["seconds"], time.monotonic(), _Hold(spec, tally)
    drops, next_drip, dripped, is_ready = spec.get("drops", "a").encode("latin-1"), 0.0, 0, False
    while time.monotonic() < deadline and not is_over.is_set():
        hold_.open(min(spec["connections"], int((time.monotonic() - begin) * spec.get("rate", 10_000)) + 1))
        hold_.serve()
        if spec.get("drip") and time.monotonic() >= next_drip:
            next_drip = time.monotonic() + spec["drip"]
            hold_.drip(drops[dripped % len(drops):dripped % len(drops) + 1])
            dripped += 1
        if not is_ready and hold_.opened >= spec["connections"] and not hold_.busy:
            is_ready = True
            print(json.dumps({"ready": True}), flush=True)
    tally.answers["still open"] = sum(entry.is_open for entry in hold_.held.values())
    tally.answers["open at most"] = hold_.most
    begin = time.monotonic()
    for count, entry in enumerate(hold_.held.values(), 1):
        if not spec.get("at_once"):
            time.sleep(max(0.0, count / spec.get("rate", 10_000) - (time.monotonic() - begin)))
        entry.socket.close()


PLAYS = {"flood": flood, "hold": hold}


def main():
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
    os.nice(19)
    spec, tally, is_over = json.loads(sys.stdin.readline()), Tally(), threading.Event()

    def watch():
        sys.stdin.read()
        is_over.set()

    threading.Thread(target=watch, daemon=True).start()
    PLAYS[spec["play"]](spec, tally, is_over)
    print(json.dumps(tally.record()), flush=True)
    # The thread that waits for the end of the input must not hold this up.
    os._exit(0)


if __name__ == "__main__":
    main()
