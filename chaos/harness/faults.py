"""Carries a plan of faults out."""

import threading
import time

from .failure import ChaosFailure
from .journal import Fault, now
from .progress import say
from .resp import RedisError


class Faults:
    """Each fault in a thread of its own, because some last while others begin."""

    def __init__(self, run, planned):
        self.run, self.planned = run, planned
        self.is_over = threading.Event()
        self.threads = []
        self.failures = []
        self.driver = threading.Thread(target=self._drive, name="faults", daemon=True)
        self.driver.start()

    def end(self):
        """No more faults; those under way are undone."""
        self.is_over.set()
        self.driver.join()
        for thread in self.threads:
            thread.join()
        if self.failures:
            raise ChaosFailure("; ".join(self.failures))

    def _drive(self):
        begin = time.monotonic()
        for planned in self.planned:
            if self.is_over.wait(max(0, begin + planned.at - time.monotonic())):
                return
            thread = threading.Thread(target=self._carry_out, args=(planned,), name=planned.kind, daemon=True)
            self.threads.append(thread)
            thread.start()

    def _carry_out(self, planned):
        try:
            {"kill gateway": self._kill, "stop gateway": self._stop, "terminate gateway": self._terminate,
             "kill redis": self._kill_redis, "reset connections": self._reset,
             "refuse connections": self._refuse}[planned.kind](planned)
        except (ChaosFailure, RedisError) as failure:
            self.failures.append(str(failure))
            say(f"fault failed: {failure}")

    def _note(self, planned, target):
        fault = Fault(planned.kind, target, now())
        self.run.journal.add(fault)
        lasting = f" for {planned.lasts:.1f} s" if planned.lasts else ""
        say(f"fault: {planned.kind}: {target}{lasting}")
        return fault

    def _gateway(self, planned):
        return self.run.gateways.all[planned.target]

    def _kill(self, planned):
        gateway = self._gateway(planned)
        fault = self._note(planned, f"{gateway.name} pid {gateway.server.pid}, kill -9")
        gateway.kill()
        self.is_over.wait(planned.lasts)
        gateway.restart()
        gateway.wait_until_ready()
        fault.until = now()

    def _stop(self, planned):
        gateway = self._gateway(planned)
        fault = self._note(planned, f"{gateway.name} pid {gateway.server.pid}, SIGSTOP")
        gateway.pause()
        self.is_over.wait(planned.lasts)
        gateway.resume()
        fault.until = now()
        say(f"{gateway.name} goes on")

    def _terminate(self, planned):
        gateway = self._gateway(planned)
        fault = self._note(planned, f"{gateway.name} pid {gateway.server.pid}, SIGTERM")
        seconds = gateway.terminate()
        say(f"{gateway.name} ended {seconds:.1f} s after SIGTERM")
        self.is_over.wait(planned.lasts)
        gateway.restart()
        gateway.wait_until_ready()
        fault.until = now()

    def _kill_redis(self, planned):
        if not self.run.redis.is_well():
            say("fault: kill redis: passed over, Redis has not recovered from the one before")
            return
        target, restore = self.run.redis.kill_one(planned.target)
        fault = self._note(planned, f"{target}, kill -9")
        self.is_over.wait(planned.lasts)
        restore()
        self.run.redis.wait_until_well()
        fault.until = now()
        say("Redis is whole again")

    def _reset(self, planned):
        self._note(planned, "all connections to the provider").until = now()
        self.run.relay.reset_all()

    def _refuse(self, planned):
        fault = self._note(planned, "connections to the provider are reset, new ones refused")
        self.run.relay.refuse(True)
        self.run.relay.reset_all()
        self.is_over.wait(planned.lasts)
        self.run.relay.refuse(False)
        fault.until = now()
