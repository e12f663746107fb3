"""Those who call the gateways, each in a thread of its own: senders of updates, rivals for starts, and one who is greedy."""

import concurrent.futures
import random
import socket
import struct
import threading
import time

from attack.wire import BrokenAnswer, Wire, request

from . import scene as scenes
from .audit import WINDOW
from .scene import GREEDY, PATH, update, update_request

#: How an update is sent, and how often.
MANNERS = {
    "plain": 34, "between others": 12, "in two pieces": 12, "pipelined": 10, "and gone": 5, "with a key": 14,
    "with a key, twice at once": 5, "not waited for": 3, "to some devices": 5}
#: How long an answer is waited for, in seconds, and how often so long: a gateway is stopped for eight.
_PATIENT, _PATIENCE = 12.0, {(12.0, 12.0): 2, (0.3, 2.0): 7, (0.01, 0.3): 1}
#: For so many seconds a gateway that gave no answer gets only a few of a sender's calls.
_SHUNNED, _SHARE_OF_SHUNNED = 2.0, 0.1
#: So many activities at a time have most of a sender's updates, for so many turns.
_FAVOURITES, _TURNS = 4, 60
#: How long a call with a key is repeated.
_PERSISTENCE = 30.0
#: Requests that the greedy one sends ahead, and how long it waits for each answer.
_GREEDY_BATCH, _GREEDY_PATIENCE = 40, 2.0


class Line:
    """A connection to one gateway that is kept, and made anew when it is gone."""

    def __init__(self, port):
        self.port, self.wire = port, None

    def open(self):
        if self.wire is None:
            self.wire = Wire(self.port, timeout=_PATIENT)
        return self.wire

    def close(self):
        if self.wire is not None:
            self.wire.close()
            self.wire = None


class _Thread:
    def __init__(self, scene, name):
        self.scene, self.name = scene, name
        self.random = random.Random(f"{scene.seed} {name}")
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self._work, name=name, daemon=True)
        self.thread.start()

    def _work(self):
        try:
            while not self.is_over.is_set():
                self.turn()
        except Exception as error:  # Whoever is gone would make the run look better than it was.
            self.scene.journal.odd(f"{self.name} broke down: {error!r}")
            raise

    def end(self):
        self.is_over.set()

    def join(self, timeout):
        self.thread.join(timeout)
        if self.thread.is_alive():
            self.scene.journal.odd(f"{self.name} did not come to its end")

    # Requests whose attempts are written down

    def send(self, line, gateway, tenant, requests, patience=_PATIENT, cut=None):
        """Sends requests together, and reads their answers. False when not all came.

        - requests: bytes, and the call that they are an attempt of, or None.
        - cut: after so many bytes there is a pause.
        """
        attempts = self._sent(line, gateway, tenant, requests, cut)
        if attempts is None:
            return False
        return self._read(line, attempts, patience)

    def _sent(self, line, gateway, tenant, requests, cut=None):
        try:
            wire = line.open()
        except OSError:
            line.close()
            return None
        attempts, data = [], b"".join(each for each, _ in requests)
        for _, call in requests:
            attempt = self.scene.journal.attempt(tenant, gateway, time.time())
            attempts.append(attempt)
            if call is not None:
                call.attempts.append(attempt)
        try:
            if cut is None:
                wire.send(data)
            else:
                wire.send(data[:cut])
                time.sleep(self.random.uniform(0, 0.03))
                wire.send(data[cut:])
        except OSError:
            line.close()
        return attempts

    def _read(self, line, attempts, patience):
        if line.wire is None:
            return False
        line.wire.socket.settimeout(patience)
        for attempt in attempts:
            try:
                answer = line.wire.answer()
            except OSError:
                answer = None
            except BrokenAnswer as broken:
                self.scene.journal.odd(f"an answer that is none: {broken}")
                answer = None
            if answer is None:
                line.close()
                return False
            attempt.answered(time.time(), answer.status, answer.object)
            if (answer.header("connection") or "").lower() == "close":
                line.close()
                return attempt is attempts[-1]
        return True


class Sender(_Thread):
    """Updates the activities of a tenant without pause."""

    def __init__(self, scene, tenant, index):
        self.tenant, self.favourites, self.turns = tenant, [], 0
        #: By gateway, until when.
        self.shunned = [0.0, 0.0]
        #: By gateway: a connection that sends nothing but updates, and one that sends others as well.
        self.plain = [Line(scene.port(gateway)) for gateway in range(2)]
        self.mixed = [Line(scene.port(gateway)) for gateway in range(2)]
        super().__init__(scene, f"sender {index}")

    def turn(self):
        chance = self.random
        manner = chance.choices(list(MANNERS), list(MANNERS.values()))[0]
        gateway = chance.randrange(2)
        if time.monotonic() < self.shunned[gateway] and chance.random() > _SHARE_OF_SHUNNED:
            gateway = 1 - gateway
        activity = self._activity()
        is_reached = _MANNERS[manner](self, manner, gateway, activity)
        if not is_reached:
            self.shunned[gateway] = time.monotonic() + _SHUNNED
            time.sleep(chance.uniform(0.0, 0.05))
        elif chance.random() < 0.3:
            time.sleep(chance.uniform(0, 0.02))

    def _activity(self):
        all_, chance = self.scene.activities[self.tenant], self.random
        if self.turns % _TURNS == 0:
            self.favourites = chance.sample([each for each in all_ if not each.is_paced], _FAVOURITES)
        self.turns += 1
        return chance.choice(self.favourites if chance.random() < 0.8 else all_)

    def _call(self, activity, manner, key=None, tokens=None):
        return self.scene.journal.add_call(activity, tokens or activity.tokens, manner, key)

    def _bytes(self, activity, call, headers=None, targets=None):
        return update_request(self.scene.headers(self.tenant) | (headers or {}), update(activity, call.number, targets))

    def _patience(self):
        return self.random.uniform(*self.random.choices(list(_PATIENCE), list(_PATIENCE.values()))[0])

    def _once(self, line, gateway, activity, manner, **more):
        call = self._call(activity, manner)
        return self.send(line, gateway, self.tenant, [(self._bytes(activity, call), call)], self._patience(), **more)

    def _plain(self, manner, gateway, activity):
        return self._once(self.plain[gateway], gateway, activity, manner)

    def _between(self, manner, gateway, activity):
        line = self.mixed[gateway]
        get = request("GET", f"{PATH}/{activity.id}", self.scene.headers(self.tenant))
        return (self.send(line, gateway, self.tenant, [(get, None)])
                and self._once(line, gateway, activity, manner))

    def _in_pieces(self, manner, gateway, activity):
        line = self.random.choice([self.plain, self.mixed])[gateway]
        call = self._call(activity, manner)
        data = self._bytes(activity, call)
        # In the head, or in the body.
        cut = self.random.choice([self.random.randrange(1, len(data)), data.index(b"\r\n\r\n") + 4 + self.random.randrange(80)])
        return self.send(line, gateway, self.tenant, [(data, call)], self._patience(), cut=cut)

    def _pipelined(self, manner, gateway, activity):
        line, requests = self.random.choice([self.plain, self.mixed])[gateway], []
        for _ in range(self.random.randint(2, 5)):
            call = self._call(activity, manner)
            requests.append((self._bytes(activity, call), call))
            if self.random.random() < 0.5:
                activity = self.random.choice(self.scene.activities[self.tenant])
        if line in self.mixed:
            get = request("GET", f"{PATH}/{activity.id}", self.scene.headers(self.tenant))
            requests.insert(self.random.randrange(len(requests) + 1), (get, None))
        cut = self.random.randrange(1, 800) if self.random.random() < 0.3 else None
        return self.send(line, gateway, self.tenant, requests, self._patience(), cut=cut)

    def _and_gone(self, manner, gateway, activity):
        """Closes in order, or by a reset."""
        line, call = Line(self.scene.port(gateway)), self._call(activity, manner)
        attempts = self._sent(line, gateway, self.tenant, [(self._bytes(activity, call), call)])
        if line.wire is not None:
            if self.random.random() < 0.5:
                line.wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            if self.random.random() < 0.5:
                time.sleep(self.random.uniform(0, 0.005))
            line.close()
        return attempts is not None

    def _with_key(self, manner, gateway, activity):
        key = f"{self.name}-{self.random.getrandbits(64):016x}".replace(" ", "-")
        call = self._call(activity, manner, key)
        data = self._bytes(activity, call, {"Idempotency-Key": key})
        end = time.monotonic() + _PERSISTENCE
        while time.monotonic() < end:
            self.send(self.mixed[gateway], gateway, self.tenant, [(data, call)], self._patience())
            if call.attempts and call.attempts[-1].status is not None and call.attempts[-1].status < 500:
                return True
            time.sleep(self.random.uniform(0.0, 0.3))
            gateway = self.random.choice([gateway, 1 - gateway, 1 - gateway])
        return False

    def _with_key_twice(self, manner, gateway, activity):
        key = f"{self.name}-{self.random.getrandbits(64):016x}".replace(" ", "-")
        call = self._call(activity, manner, key)
        data = self._bytes(activity, call, {"Idempotency-Key": key})
        under_way = [self._sent(self.mixed[each], each, self.tenant, [(data, call)]) for each in range(2)]
        answered = [self._read(line, attempts or [], self._patience()) for line, attempts in zip(self.mixed, under_way)]
        return answered[gateway]

    def _not_waited_for(self, manner, gateway, activity):
        call = self._call(activity, manner)
        data = self._bytes(activity, call, {"Prefer": "respond-async"})
        return self.send(self.mixed[gateway], gateway, self.tenant, [(data, call)])

    def _to_some(self, manner, gateway, activity):
        larger = [each for each in self.scene.activities[self.tenant] if len(each.tokens) > 1]
        activity = self.random.choice(larger)
        chosen = self.random.sample(range(len(activity.tokens)), self.random.randint(1, 2))
        call = self._call(activity, manner, tokens=[activity.tokens[index] for index in chosen])
        data = self._bytes(activity, call, targets=[activity.devices[index] for index in chosen])
        return self.send(self.mixed[gateway], gateway, self.tenant, [(data, call)], self._patience())


_MANNERS = {
    "plain": Sender._plain, "between others": Sender._between, "in two pieces": Sender._in_pieces,
    "pipelined": Sender._pipelined, "and gone": Sender._and_gone, "with a key": Sender._with_key,
    "with a key, twice at once": Sender._with_key_twice, "not waited for": Sender._not_waited_for,
    "to some devices": Sender._to_some}


class Rival(_Thread):
    """Starts what is started, and new activities three times at once."""

    def __init__(self, scene):
        self.begun = []
        super().__init__(scene, "rival")

    def turn(self):
        scene, chance = self.scene, self.random
        tenant = scene.tenants[chance.randrange(scenes.TENANTS)]
        if chance.random() < 0.3 and tenant.spare:
            made = scene.register(tenant, 1, gateway=chance.randrange(2), patience=3)
            if made is not None:
                self.begun.append((tenant, made[0]))
                self._race(tenant, made[0])
        else:
            known = scene.activities[tenant.index] + [each for owner, each in self.begun if owner is tenant]
            scene.start(tenant, chance.choice(known), chance.randrange(2))
        time.sleep(chance.uniform(0.0, 0.2))

    def _race(self, tenant, activity):
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda gateway: self.scene.start(tenant, activity, gateway), (0, 1, 0)))


class Greedy(_Thread):
    """Asks as much as its key may within a sixth of a minute, or of a shorter run, when nothing is harmed, and then goes on."""

    def __init__(self, scene, seconds):
        self.pause = min(seconds, WINDOW) / 6 * _GREEDY_BATCH / scene.limit
        self.lines = [Line(scene.port(gateway)) for gateway in range(2)]
        super().__init__(scene, "greedy")

    def turn(self):
        begin, gateway = time.monotonic(), self.random.randrange(2)
        activity = self.random.choice(self.scene.activities[GREEDY])
        headers = self.scene.headers(GREEDY)
        unknown = f"{PATH}/broadcasts/{activity.id}"
        requests = [(request("GET", unknown, headers), None) for _ in range(_GREEDY_BATCH - 1)]
        call = self.scene.journal.add_call(activity, activity.tokens, "greedy")
        requests.insert(self.random.randrange(_GREEDY_BATCH), (update_request(headers, update(activity, call.number)), call))
        self.send(self.lines[gateway], gateway, GREEDY, requests, _GREEDY_PATIENCE)
        time.sleep(max(0.002, self.pause - (time.monotonic() - begin)))
