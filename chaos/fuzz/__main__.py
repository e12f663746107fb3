"""Fuzzes two gateways over all that their description names, and over the transport. See chaos/README.md."""

import collections
import os
import re
import socket
import struct
import sys
import threading
import time

from attack.scene import Scene
from attack.watch import Watch
from attack.wire import Answer, BrokenAnswer, Wire, ask
from harness import program
from harness.failure import ChaosFailure
from harness.progress import say

from . import transport
from .cases import Cases
from .description import Description
from .people import People
from .verdict import complaints

#: Longer than anything that a gateway waits for here.
DEADLINE = 12
WORKERS = 3
#: Bytes of memory and descriptors beyond those of an idle gateway.
RESIDENT, DESCRIPTORS = 300 << 20, 200
_ENVIRONMENT = {"FANFARE_BROADCAST_WAIT_TIMEOUT": "2s", "FANFARE_HTTP_BODY_TIMEOUT": "3s", "FANFARE_HTTP_HEAD_TIMEOUT": "4s",
                "FANFARE_RATE_LIMIT_REQUESTS_PER_MINUTE": "10000000", "FANFARE_SEGMENTS_UPLOAD_TIMEOUT": "3s", "FANFARE_BROADCAST_MAX_WAITING": "100000"}


class Fuzz:
    def __init__(self, place, options):
        self.place, self.options = place, options
        self.scene = Scene(place, _ENVIRONMENT)
        self.people = People(self.scene)
        document = ask(self.scene.ports[0], "GET", "/openapi.json").object
        self.cases = Cases(options.seed, Description(document), self.people.fuzzed)
        self.lock, self.next = threading.Lock(), options.first
        self.found, self.statuses, self.kinds = [], collections.Counter(), collections.Counter()
        self.shown, self.of_kind = [], collections.Counter()
        self.is_over = threading.Event()
        self.deadline = time.monotonic() + options.minutes * 60

    def carry_out(self):
        watch = Watch(self.scene.pids, self.scene.redis.ports[0])
        before = watch.read()
        threads = [threading.Thread(target=self._work, name=f"fuzz-{index}") for index in range(WORKERS)]
        for thread in threads:
            thread.start()
        said = refreshed = time.monotonic()
        try:
            while any(thread.is_alive() for thread in threads):
                time.sleep(0.5)
                self._look(watch, before)
                if time.monotonic() - said > 30:
                    said = time.monotonic()
                    say(f"{self.next:,} cases, {len(self.found)} complaints")
                if time.monotonic() - refreshed > 1:
                    refreshed = time.monotonic()
                    self.people.refresh()
        except ChaosFailure as failure:
            if not self.found:
                raise
            say(str(failure))
        finally:
            self.is_over.set()
            for thread in threads:
                thread.join()
        for sentence in self.people.others_things():
            self._complain(None, sentence)
        self.scene.end()
        for misdeed in self.scene.gateways.misdeeds:
            self._complain(None, misdeed)

    def _look(self, watch, before):
        for gateway in self.scene.gateways.all:
            if not gateway.server.is_running:
                self.is_over.set()
                raise ChaosFailure(f"{gateway.name} has ended; the cases before it were up to {self.next}")
            answer = ask(gateway.port, "GET", "/health/live", timeout=5)
            if answer is None or answer.status != 200:
                self._complain(None, f"{gateway.name} does not answer its health: {answer}")
        now = watch.read()
        for what, values, base, limit in (("bytes of memory", now.resident, before.resident, RESIDENT),
                                          ("descriptors", now.descriptors, before.descriptors, DESCRIPTORS)):
            if max(a - b for a, b in zip(values, base)) > limit:
                self._complain(None, f"a gateway has {max(values):,} {what}")
                self.is_over.set()

    def _work(self):
        while not self.is_over.is_set():
            with self.lock:
                number, self.next = self.next, self.next + 1
            if time.monotonic() > self.deadline or self.options.cases and number >= self.options.first + self.options.cases:
                return
            case = self.cases.case(number, self.people.known)
            self.kinds[case.kind] += 1
            try:
                self._carry_out(case)
            except BrokenAnswer as error:
                self._complain(case, f"what was answered is no HTTP: {error}")
            except OSError as error:
                if not any(each.server.is_running for each in self.scene.gateways.all):
                    return
                self._complain(case, f"{type(error).__name__}: {error}")

    def _carry_out(self, case):
        with Wire(self.scene.ports[case.gateway], "127.0.0.9", timeout=DEADLINE) as wire:
            is_sent = self._send(wire, case)
            if not is_sent or transport.RESET in case.steps:
                # Refused before its end, which is its right; what it has answered may be lost with the connection.
                return
            if case.kind == "request":
                answer = self._answer(wire, case)
                if answer is None and case.method != "CONNECT":
                    self._complain(case, "the connection was closed without an answer")
                elif answer is not None:
                    self._judge(case, answer)
                return
            # What is not whole is waited for only now and then: until the gateway has had enough of it.
            is_closed = transport.HALF_CLOSE in case.steps
            wire.socket.settimeout(DEADLINE if case.ids or is_closed or case.number % 50 == 0 else 0.05)
            answers = []
            while case.ids is None or len(answers) < len(case.ids) or is_closed:
                try:
                    answer = wire.answer()
                except TimeoutError:
                    if wire.socket.gettimeout() >= DEADLINE:
                        self._complain(case, f"nothing came for {DEADLINE} s, and the connection is open")
                    break
                if answer is None:
                    break
                answers.append(answer)
                self._judge(case, answer)
            if case.ids:
                ids = [answer.header("X-Request-Id") for answer in answers]
                # Whoever closes its side may be hung up on; who is answered is answered in order.
                if ids != case.ids and not (is_closed and ids == case.ids[:len(ids)]):
                    self._complain(case, f"answers to {ids}, not to {case.ids}")

    @staticmethod
    def _send(wire, case):
        """Whether the gateway took all of it."""
        try:
            for step in case.steps:
                if step == transport.PAUSE:
                    time.sleep(0.02)
                elif step == transport.HALF_CLOSE:
                    wire.socket.shutdown(socket.SHUT_WR)
                elif step == transport.RESET:
                    wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                else:
                    wire.send(step)
        except OSError:
            return False
        return True

    def _answer(self, wire, case):
        if case.method == "HEAD":
            # It has a length and no content.
            data = b""
            while b"\r\n\r\n" not in data:
                more = wire.socket.recv(65536)
                if not more:
                    return None
                data += more
            return _head(data)
        return wire.answer()

    def _judge(self, case, answer):
        self.statuses[answer.status] += 1
        for sentence in complaints(answer, self.people.secrets, case.operation, case.method):
            self._complain(case, f"{sentence} ({answer})")

    def _complain(self, case, sentence):
        with self.lock:
            self.found.append((case, sentence))
            # A complaint often comes again; a few of each are enough.
            kind = re.sub(r"\(.*|\d+", "", sentence)
            self.of_kind[kind] += 1
            if self.of_kind[kind] > 3:
                return
            self.shown.append((case, sentence))
            say(f"case {case.number if case else '-'}: {sentence}")
            if case and self.options.keep:
                os.makedirs(self.options.keep, exist_ok=True)
                with open(os.path.join(self.options.keep, f"case-{case.number}.txt"), "w", encoding="utf-8") as file:
                    file.write(f"{sentence}\n" + "".join(f"{step!r}\n" for step in case.steps))


def _head(data):
    head = data.partition(b"\r\n\r\n")[0] + b"\r\n"
    return Answer(int(head.split(b" ")[1]), head, b"")


def arguments():
    parser = program.parser("fuzz", "Sends two gateways what clients do not, and checks that they answer as they should.",
                            seed="repeats the cases of a run",
                            keep="keeps logs and the bytes of cases that were complained of there")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--cases", type=int, default=0, help="so many at most")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="begins with this case; with --cases 1 it alone")
    return program.options_of(parser)


def main():
    options = arguments()

    def play(place):
        fuzz = Fuzz(place, options)
        fuzz.carry_out()
        return fuzz

    fuzz = program.carry_out("fuzz", options, play)
    print(f"{fuzz.next - options.first:,} cases:", ", ".join(f"{count:,} {kind}" for kind, count in fuzz.kinds.most_common()))
    print("answers:", ", ".join(f"{count:,} {status}" for status, count in sorted(fuzz.statuses.items())))
    for case, sentence in fuzz.shown:
        print(f"case {case.number if case else '-'} ({case.kind if case else 'the whole'}): {sentence[:400]}")
    if fuzz.found:
        print(f"fuzz: {len(fuzz.found)} complaints; repeat with --seed {options.seed} --first CASE --cases 1", file=sys.stderr)
    return 1 if fuzz.found else 0


if __name__ == "__main__":
    sys.exit(main())
