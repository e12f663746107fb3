"""HTTP calls on connections that stay open: one by one, as fast as so many connections can, or each at its time."""

import random
import selectors
import socket
import time
from dataclasses import dataclass, field

from .failure import BenchFailure

#: Without an answer for so many seconds a run is given up.
PATIENCE = 60
_BODY = b"\r\n\r\n"


def request(port, path, body, headers, method="POST"):
    """A whole HTTP/1.1 request."""
    fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n{fields}\r\n").encode() + body


def answer_length(data):
    """How many bytes an answer has, or None while its head is not whole."""
    end = data.find(_BODY)
    if end < 0:
        return None
    head = bytes(data[:end]).lower()
    begin = head.find(b"\r\ncontent-length:")
    if begin < 0:
        raise BenchFailure(f"an answer without a length: {bytes(data[:200])!r}")
    return end + len(_BODY) + int(head[begin + 17:].split(b"\r\n", 1)[0])


def check_answer(data):
    if data[9:12] != b"200":
        raise BenchFailure(f"a call was answered with: {bytes(data[:600]).decode(errors='replace')}")


def body_of(data):
    return bytes(data[data.find(_BODY) + len(_BODY):])


def one_by_one(port, requests):
    """Each is sent when the one before has been answered. Seconds from sending to the whole answer, of each."""
    seconds = []
    with _connected(port) as connection:
        for each in requests:
            begin = time.perf_counter()
            connection.sendall(each)
            data = connection.recv(65_536)
            while (length := answer_length(data)) is None or len(data) < length:
                part = connection.recv(65_536)
                if not part:
                    raise BenchFailure("a connection was closed before its answer")
                data += part
            seconds.append(time.perf_counter() - begin)
            check_answer(data)
    return seconds


@dataclass
class OpenLoop:
    """What became of calls that were due at times of their own. In seconds."""

    #: From the time due to the whole answer: what callers waited.
    waited: list = field(default_factory=list)
    #: From the time due to the sending: what this generator, or too few connections, cost them.
    late: list = field(default_factory=list)
    seconds: float = 0
    #: This process's own.
    processor_seconds: float = 0


def poisson(count, rate, seed):
    """Times, from 0 on, of so many calls that know nothing of each other."""
    numbers, now, times = random.Random(seed), 0.0, []
    for _ in range(count):
        now += numbers.expovariate(rate)
        times.append(now)
    return times


def all_of(port, requests, connections, take=None):
    """As fast as so many connections can. `take` is given each answer's body with its number."""
    _Loop(port, connections).run(requests, [0.0] * len(requests), take)


def at_times(port, requests, times, connections):
    """Each is sent at its time, or once a connection is free; it is due at its time all the same."""
    return _Loop(port, connections).run(requests, times, None)


class _Loop:
    """Connections with one call each at a time."""

    def __init__(self, port, connections):
        self.port = port
        self.connections = connections

    def run(self, requests, times, take):
        result = OpenLoop()
        sockets = [_connected(self.port) for _ in range(min(self.connections, len(requests)))]
        try:
            with selectors.DefaultSelector() as selector:
                for each in sockets:
                    selector.register(each, selectors.EVENT_READ)
                own, begin = time.process_time(), time.perf_counter()
                self._work(requests, times, take, sockets, selector, result, begin)
                result.seconds = time.perf_counter() - begin
                result.processor_seconds = time.process_time() - own
        finally:
            for each in sockets:
                each.close()
        return result

    def _work(self, requests, times, take, sockets, selector, result, begin):
        free, under_way, answered, following, clock = list(sockets), {}, 0, 0, time.perf_counter
        last = clock()
        while answered < len(requests):
            now = clock() - begin
            while free and following < len(requests) and times[following] <= now:
                connection = free.pop()
                connection.sendall(requests[following])
                under_way[connection] = [following, b""]
                result.late.append(now - times[following])
                following += 1
                now = clock() - begin
            wait = PATIENCE
            if free and following < len(requests):
                wait = max(0.0, times[following] - now)
            for key, _ in selector.select(wait):
                connection = key.fileobj
                part = connection.recv(65_536)
                if not part or connection not in under_way:
                    raise BenchFailure("a connection was closed before its answer")
                call = under_way[connection]
                call[1] = call[1] + part if call[1] else part
                length = answer_length(call[1])
                if length is None or len(call[1]) < length:
                    continue
                last = clock()
                result.waited.append(last - begin - times[call[0]])
                check_answer(call[1])
                if take is not None:
                    take(call[0], body_of(call[1]))
                del under_way[connection]
                free.append(connection)
                answered += 1
            if under_way and clock() - last > PATIENCE:
                raise BenchFailure(f"no answer for {PATIENCE} s")


def percentile(values, share):
    """The value that so much of all (0.99) do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, int(share * len(ordered) + 0.999999) - 1))]


def _connected(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection
