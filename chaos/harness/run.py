"""One run: everything is started, the load runs, the faults come, and the evidence is gathered."""

import contextlib
import json
import threading
import time

from . import ledger, plan, script, settle
from .customers import Customer
from .devices import Phones
from .evidence import Evidence
from .faults import Faults
from .gateways import Gateways
from .journal import Journal
from .people import People
from .progress import say
from .provider import Provider
from .redis_servers import ClusterRedis, SingleRedis
from .relay import Relay


#: Of each gateway to the provider.
CONNECTIONS = 2


class Run:
    """What all threads of a run share."""

    def __init__(self, place, options):
        self.place, self.options, self.seed = place, options, options.seed
        self.journal = Journal()
        self.people = People(options.devices, self.seed)
        self._closing, self._at_end = threading.Event(), threading.Event()
        self._lock, self._activities = threading.Lock(), 0
        #: Phones for a single activity that are in one.
        self._taken = set()
        #: Seconds from the end of the load to the end of the last broadcast.
        self.settled_after = None

    def is_closing(self):
        """Customers begin nothing more."""
        return self._closing.is_set()

    def is_at_end(self):
        """Clients give up where they would try again."""
        return self._at_end.is_set()

    def next_activity(self):
        with self._lock:
            self._activities += 1
            return self._activities

    def take(self, numbers):
        """The phones among these that may join one more activity."""
        with self._lock:
            free = [number for number in numbers if number not in self._taken]
            self._taken.update(number for number in free if self.people.has_one_live_activity(number))
            return free

    def carry_out(self):
        """Returns the evidence."""
        options = self.options
        self._start_servers()
        with contextlib.ExitStack() as relays:
            self.relay = relays.enter_context(Relay(self.provider.port, options.gateways))
            #: One for each gateway in front of a single Redis. The nodes of a cluster tell their own addresses, so there
            #: nobody can be cut off.
            self.redis_relays = [relays.enter_context(Relay(self.redis.ports[0])) for _ in range(options.gateways)
                                 if options.redis == "single"]
            self._start_gateways()
            self._load()
            records, self.settled_after = settle.wait_for_ends(self, options.patience)
            say(f"all has ended, or time is up, after {self.settled_after:.1f} s; looking at what Redis still holds")
            settle.wait_until_tidy(self, 20)
            settle.read_again(self, records)
            say("ending the gateways")
            self.gateways.end()
            inventory = settle.wait_until_tidy(self, 3)
        pushes = ledger.read(self.provider.end())
        return Evidence(
            activities=self.journal.activities, calls=self.journal.calls, syncs=self.journal.syncs, records=records,
            pushes=pushes, faults=self.journal.faults, start_locks=inventory.start_locks if inventory else {},
            keys=inventory.keys if inventory else [], misdeeds=self.gateways.misdeeds, oddities=self.journal.oddities,
            start_token=self.people.start_token, is_reachable=self.people.can_show_live_activities,
            # Those to the provider, and one for suspect tokens.
            connections=CONNECTIONS + 1, evicts=options.evict,
            gateways=options.gateways, streams=script.STREAMS, resends=options.resend,
            # The mock counts the connections as it accepts them, from 1, and nobody else connects to it.
            gateway_of_connection=dict(enumerate(self.relay.doors, 1)))

    def _start_servers(self):
        options = self.options
        say(f"starting Redis ({options.redis}), the mock and {options.gateways} gateways")
        self.redis = (ClusterRedis if options.redis == "cluster" else SingleRedis)(
            self.place, options.appendfsync)
        self.provider = Provider(self.place, script.provider_script(self.people, is_quiet=options.quiet_provider))

    def _start_gateways(self):
        options = self.options
        environment = self.provider.environment() | self.redis.environment | {
            "FANFARE_RATE_LIMIT_REQUESTS_PER_MINUTE": "1000000", "FANFARE_BROADCAST_WAIT_TIMEOUT": "4s",
            "FANFARE_APNS_CONNECTIONS": str(CONNECTIONS), "FANFARE_APNS_PUSH_TIMEOUT": "5s", "FANFARE_LOG_FORMAT": "text"}
        if options.resend:
            environment["FANFARE_BROADCAST_ON_UNKNOWN"] = "resend"
        environment |= dict(each.split("=", 1) for each in options.set)
        single = [dict.fromkeys(["FANFARE_APNS_URL", "FANFARE_APNS_SANDBOX_URL"], self.provider.url(port))
                  for port in self.relay.ports]
        for variables, relay in zip(single, self.redis_relays):
            variables["FANFARE_REDIS_URL"] = f"redis://127.0.0.1:{relay.port}"
        self.gateways = Gateways(self.place, environment, single)
        self.ports = [gateway.port for gateway in self.gateways.all]
        output = self.place.run("fanfare tenant create", [
            self.place.first, "tenant", "create", "chaos", "--tier", "enterprise", "--no-signatures", "--json"],
            self.gateways.environment)
        self.tenant = json.loads(output)
        path = self.place.path("devices.ndjson")
        self.people.write(path)
        self.place.run("fanfare devices import", [
            self.place.first, "devices", "import", path, "--tenant", self.tenant["tenant_id"]],
            self.gateways.environment)

    def _load(self):
        options = self.options
        impossible = [] if self.redis_relays else ["cut off gateway"]
        # A short run has no time for all kinds.
        impossible += ["slow disk"] if options.quick else []
        kinds = tuple(kind for kind in plan.KINDS if kind not in impossible)
        planned = [] if options.calm else plan.rolling(
            options.seconds, options.gateways) if options.upgrade_from else plan.evictions(self.seed, options.seconds - 5) if options.evict else plan.plan(
            self.seed, options.seconds - 2, options.gateways, options.pause, kinds, gap=options.gap,
            redis_outage=7.0 if options.redis == "cluster" else 0.4, scale=options.scale)
        say(f"load for {options.seconds:.0f} s with {len(planned)} faults planned")
        self.phones = Phones(self)
        customers = [Customer(self, index) for index in range(options.customers)]
        faults = Faults(self, planned)
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            time.sleep(0.1)
            for gateway in self.gateways.all:
                if gateway.notice_end():
                    # Others go on to see what it left; a supervisor would start it again.
                    gateway.restart()
        say("the faults end, everything is restarted, calls come to their end")
        self._closing.set()
        faults.end()
        self.redis.restore()
        self.redis.wait_until_well()
        self.gateways.restore()
        timer = threading.Timer(options.patience / 2, self._at_end.set)
        timer.daemon = True
        timer.start()
        for customer in customers:
            customer.thread.join(options.patience)
            if customer.thread.is_alive():
                self.journal.odd(f"{customer.thread.name} did not come to its end")
        left, carried_out = self.phones.finish(options.patience / 2)
        if left and not carried_out:
            self.journal.odd(f"{left} syncs were not carried out, and none was")
        elif left:
            say(f"{left} phones did not come to their sync, and {carried_out} did")
        timer.cancel()
        if options.evict:
            Customer.probe(self)
        # Ends of single Live Activities, to phones that synced late, are in no record that could be waited for.
        time.sleep(3)
