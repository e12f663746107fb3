"""The course of a siege: peace, an attack, quiet, and the next one; what must hold is checked after each."""

import collections
import dataclasses
import random
import time

from harness.failure import ChaosFailure
from harness.progress import say

from . import bounds, lasting
from .neighbour import Neighbour
from .raid import Raid
from .samples import stretch
from .scene import Scene
from .watch import Watch, peak, processor_seconds

#: From which the attackers call.
ATTACKER = "127.0.0.66"
#: Calls a second of the neighbour; of them seven in thirteen count against its key's 1,000 a minute.
RATE, QUICK_RATE = 26, 16
#: In a siege in small there is less of what is shared, so that little is too much.
QUICK_SETTINGS = {"http.max_connections_per_address": 400, "broadcast.max_waiting": 300}


@dataclasses.dataclass
class Check:
    text: str
    is_held: bool
    detail: str = ""
    #: A matter of time, which only a siege in full asserts.
    is_timed: bool = False


@dataclasses.dataclass
class Result:
    """Of one attack."""

    name: str
    title: str
    checks: list = dataclasses.field(default_factory=list)
    answers: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    sent: int = 0
    seconds: float = 0.0
    peace: object = None
    attacked: object = None
    before: object = None
    peak: object = None
    after: object = None
    #: Of one gateway beyond peace.
    descriptors: int = bounds.DESCRIPTORS
    #: Of the neighbour, in seconds; where there is one it stands for the bound of his p99.
    longest: float | None = None
    #: Seconds of processor that each gateway took for each second of the attack.
    processor: tuple = ()


class Siege:
    """What an attack is given."""

    def __init__(self, place, options):
        self.options, self.is_quick = options, options.quick
        self.random = random.Random(options.seed)
        self.scene = Scene(place, settings=QUICK_SETTINGS if self.is_quick else {})
        self.neighbour = Neighbour(self.scene.ports, self.scene.neighbour, self.size(RATE, QUICK_RATE))
        self.watch = Watch(self.scene.pids, self.scene.redis.ports[0])
        self.results, self.result, self.closing = [], None, []

    @property
    def ports(self):
        return self.scene.ports

    def size(self, full, quick):
        return quick if self.is_quick else full

    def tenant(self, name, **options):
        return self.scene.tenant(f"{self.result.name}-{name}", **options)

    def check(self, text, is_held, detail="", is_timed=False):
        self.result.checks.append(Check(text, bool(is_held), str(detail), is_timed))

    def raid(self, play, **spec):
        return Raid(play, **{"source": ATTACKER, "ports": self.ports, "seconds": 60} | spec)

    def flood(self, templates, count, **spec):
        """A flood to its end. Its answers are part of the result, and returned."""
        spec = {"connections": 4, "depth": 50, "seconds": 30} | spec
        with self.raid("flood", templates=templates, count=count, **spec) as raid:
            raid.wait(spec["seconds"] + 15)
        return self.add(raid)

    def add(self, raid):
        answers = collections.Counter(raid.tally["answers"])
        self.result.answers += answers
        self.result.sent += raid.tally["sent"]
        if raid.tally["failed_connections"]:
            self.result.answers["not connected"] += raid.tally["failed_connections"]
        return answers

    def count(self, answer):
        """An answer to a call of the attack itself."""
        self.result.sent += 1
        self.result.answers["closed" if answer is None else f"{answer.status} {answer.code or ''}".strip()] += 1

    def carry_out(self, attacks):
        self.watch.start()
        self.neighbour.start()
        say("warming up")
        time.sleep(self.size(4, 2))
        try:
            for attack in attacks:
                self._attack(attack)
        finally:
            self.neighbour.end()
            self.watch.end()
        for name, count in self._lasting().items():
            self.check("what is only counted in Redis goes by itself", False, f"{count:,} keys {name} never expire")
        say("reading the provider's ledger")
        pushes = self.scene.end()
        for result, conclude in self.closing:
            self.result = result
            conclude(pushes)
        for result in self.results:
            for misdeed in self.scene.gateways.misdeeds if result is self.results[-1] else ():
                result.checks.append(Check("no gateway ends by itself, and SIGTERM ends it in order", False, misdeed))
        return self.results

    def _lasting(self):
        """Keys that stay for ever and should not, once all that was under way has had its time."""
        deadline = time.monotonic() + 30
        while True:
            found = lasting.lasting(lasting.read(self.scene.redis.ports[0]))
            if not found or time.monotonic() > deadline:
                return found
            time.sleep(1)

    def when_over(self, conclude):
        """Called with the provider's ledger when everything has ended."""
        self.closing.append((self.result, conclude))

    def _attack(self, attack):
        self.result = result = Result(attack.NAME, attack.TITLE)
        self.results.append(result)
        state = attack.prepare(self) if hasattr(attack, "prepare") else None
        # What was done to prepare it is no part of it.
        result.answers.clear()
        result.sent = 0
        say(f"{attack.NAME}: peace")
        begin = time.monotonic()
        time.sleep(self.size(10, 0.8))
        before, middle, used = self.watch.read(), time.monotonic(), self._processor()
        say(f"{attack.NAME}: {attack.TITLE}")
        attack.play(self, state)
        end = time.monotonic()
        result.processor = tuple(round((now - then) / (end - middle), 2) for now, then in zip(self._processor(), used))
        self._recover(before)
        result.descriptors = getattr(attack, "DESCRIPTORS", bounds.DESCRIPTORS)
        result.longest = getattr(attack, "LONGEST", None)
        result.seconds, result.before = end - middle, before
        # Calls that were made during the attack have their answers by now, or never will.
        self._settle(end)
        result.peace = stretch(self.neighbour.samples, begin, middle)
        result.attacked = stretch(self.neighbour.samples, middle, end)
        result.peak = peak(self.watch.readings, middle, end) or self.watch.read()
        result.after = self.watch.read()
        self._general_checks(result)
        for check in result.checks:
            if not check.is_held:
                say(f"{attack.NAME}: NOT HELD: {check.text} ({check.detail})")

    def _processor(self):
        return tuple(processor_seconds(pid) for pid in self.scene.pids)

    def _settle(self, end):
        deadline = end + 11
        while time.monotonic() < deadline:
            if self.neighbour.pending(end) == 0:
                return
            time.sleep(0.1)

    def _recover(self, before):
        """Until descriptors and memory are near what they were, or it takes too long."""
        deadline = time.monotonic() + self.size(15, 5)
        while time.monotonic() < deadline:
            now = self.watch.read()
            if (all(a <= b + bounds.DESCRIPTORS_AFTER for a, b in zip(now.descriptors, before.descriptors))
                    and all(a <= b + bounds.RESIDENT_AFTER for a, b in zip(now.resident, before.resident))):
                return
            time.sleep(0.25)

    def _general_checks(self, result):
        peace, attacked, before, most, after = result.peace, result.attacked, result.before, result.peak, result.after
        if attacked.calls == 0:
            raise ChaosFailure("the neighbour made no call during the attack")
        self.check("the neighbour's success stays 100 %", attacked.failed == 0,
                   f"{attacked.failed} of {attacked.calls} failed: {attacked.failures}")
        if result.longest is None:
            limit = bounds.latency(peace.p99)
            self.check("the neighbour's p99 stays within twice of peace", attacked.p99 <= limit,
                       f"{attacked.p99 * 1000:.1f} ms, at most {limit * 1000:.1f}", is_timed=True)
        else:
            self.check("the neighbour waits for no answer for long", attacked.longest <= result.longest,
                       f"{attacked.longest * 1000:.1f} ms, at most {result.longest * 1000:.1f}", is_timed=True)
        grown, limit = max(
            ((a - b, bounds.resident(c - d)) for a, b, c, d in
             zip(most.resident, before.resident, most.descriptors, before.descriptors)), key=lambda each: each[0] - each[1])
        self.check("resident memory of a gateway is bounded", grown <= limit, f"{grown >> 20} more, at most {limit >> 20}")
        for text, most_values, base_values, limit, unit in (
                ("resident memory of a gateway comes back", after.resident, before.resident, bounds.RESIDENT_AFTER, 1 << 20),
                ("descriptors of a gateway are bounded", most.descriptors, before.descriptors, result.descriptors, 1),
                ("descriptors of a gateway come back", after.descriptors, before.descriptors, bounds.DESCRIPTORS_AFTER, 1),
                ("Redis's memory is bounded", [most.redis_bytes], [before.redis_bytes], bounds.REDIS_BYTES, 1 << 20),
                ("the number of Redis's keys is bounded", [most.redis_keys], [before.redis_keys], bounds.REDIS_KEYS, 1)):
            grown = max(a - b for a, b in zip(most_values, base_values))
            self.check(text, grown <= limit, f"{grown // unit} more, at most {limit // unit}")
