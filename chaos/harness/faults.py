"""Carries a plan of faults out."""

import threading
import time

from . import clocks, plan, script
from .failure import ChaosFailure
from .journal import Fault, now
from .progress import say
from .resp import RedisError


class Faults:
    """Each fault in a thread of its own, because some last while others begin. Steps of a rolling update do not: each
    waits for the one before it."""

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
            if planned.kind in plan.ROLLING:
                self._carry_out(planned)
                continue
            thread = threading.Thread(target=self._carry_out, args=(planned,), name=planned.kind, daemon=True)
            self.threads.append(thread)
            thread.start()

    def _carry_out(self, planned):
        try:
            {"kill gateway": self._kill, "stop gateway": self._stop, "terminate gateway": self._terminate,
             "cut off gateway": self._cut_off, "shift clock": self._shift_clock,
             "kill redis": self._kill_redis, "slow redis": self._slow_redis, "slow disk": self._slow_disk,
             "full redis": self._full_redis, plan.EVICT: self._evict,
             plan.UPGRADE: self._replace, plan.DOWNGRADE: self._replace,
             "reset connections": self._reset, "refuse connections": self._refuse, "brownout": self._brownout,
             "sick connection": self._sicken, "black hole": self._black_hole}[planned.kind](planned)
        except (ChaosFailure, RedisError) as failure:
            self.failures.append(str(failure))
            say(f"fault failed: {failure}")

    def _note(self, planned, target, gateway=None):
        fault = Fault(planned.kind, target, now(), gateway=gateway)
        self.run.journal.add(fault)
        lasting = f" for {planned.lasts:.1f} s" if planned.lasts else ""
        say(f"fault: {planned.kind}: {target}{lasting}")
        return fault

    # Gateways

    def _gateway(self, planned):
        return self.run.gateways.all[planned.target]

    def _kill(self, planned):
        gateway = self._gateway(planned)
        fault = self._note(planned, f"{gateway.name} pid {gateway.server.pid}, kill -9", planned.target)
        gateway.kill()
        self.is_over.wait(planned.lasts)
        gateway.restart()
        gateway.wait_until_ready()
        fault.until = now()

    def _stop(self, planned):
        gateway = self._gateway(planned)
        fault = self._note(planned, f"{gateway.name} pid {gateway.server.pid}, SIGSTOP", planned.target)
        gateway.pause()
        self.is_over.wait(planned.lasts)
        gateway.resume()
        fault.until = now()
        say(f"{gateway.name} goes on")

    def _terminate(self, planned):
        gateway = self._gateway(planned)
        fault = self._note(planned, f"{gateway.name} pid {gateway.server.pid}, SIGTERM", planned.target)
        seconds = gateway.terminate()
        say(f"{gateway.name} ended {seconds:.1f} s after SIGTERM")
        self.is_over.wait(planned.lasts)
        gateway.restart()
        gateway.wait_until_ready()
        fault.until = now()

    def _replace(self, planned):
        """What is under way there fares as with any other orderly end."""
        gateway, place = self._gateway(planned), self.run.place
        binary = place.binary if planned.kind == plan.UPGRADE else place.first
        fault = Fault("terminate gateway", f"{gateway.name} pid {gateway.server.pid}, {planned.kind}", now(),
                      gateway=planned.target)
        self.run.journal.add(fault)
        seconds = gateway.replace(binary)
        fault.until = now()
        say(f"{planned.kind}: {gateway.name} ended within {seconds:.1f} s, and is ready again {fault.until - fault.at:.1f} s"
            " after SIGTERM")

    def _cut_off(self, planned):
        """It sees the provider, and Redis no more: it is told so, or its packets are lost."""
        gateway, is_told = self._gateway(planned), planned.draw < 0.5
        relay = self.run.redis_relays[planned.target]
        fault = self._note(planned, f"{gateway.name} from Redis, " + ("connections refused" if is_told
                                                                     else "packets lost"), planned.target)
        if is_told:
            relay.refuse(True)
            relay.reset_all()
        else:
            relay.hold(True)
        self.is_over.wait(planned.lasts)
        relay.refuse(False)
        relay.hold(False)
        gateway.wait_until_ready()
        fault.until = now()

    def _shift_clock(self, planned):
        """A gateway joins whose clock is wrong; whether it becomes ready is its own decision."""
        if clocks.library() is None:
            say("fault: shift clock: passed over, libfaketime is not installed")
            return
        gateway = self._gateway(planned)
        shift = clocks.SHIFTS[int(planned.draw * len(clocks.SHIFTS))]
        fault = self._note(planned, f"{gateway.name} pid {gateway.server.pid}, killed and restarted {shift:+d} s off",
                           planned.target)
        gateway.kill()
        gateway.restart(clock_ahead=shift)
        self.is_over.wait(planned.lasts)
        fault.lost_again = now()
        gateway.kill()
        clocks.forget(gateway.server.pid)
        gateway.restart()
        gateway.wait_until_ready()
        fault.until = now()

    # Redis

    def _kill_redis(self, planned):
        if not self._redis_is_well("kill redis"):
            return
        target, restore = self.run.redis.kill_one(planned.target)
        fault = self._note(planned, f"{target}, kill -9")
        self.is_over.wait(planned.lasts)
        restore()
        self.run.redis.wait_until_well()
        fault.until = now()
        say("Redis is whole again")

    def _slow_redis(self, planned):
        if not self._redis_is_well("slow redis"):
            return
        fault = self._note(planned, "answers in bursts")
        self.run.redis.slow_down(self.is_over, planned.lasts, planned.target)
        fault.until = now()

    def _slow_disk(self, planned):
        """Each sync takes its time, and meanwhile Redis is killed: what it has answered is in the file all the same."""
        redis = self.run.redis
        if redis.disks.lack:
            say(f"fault: slow disk: passed over, {redis.disks.lack}")
            return
        if not self._redis_is_well("slow disk"):
            return
        seconds = 0.4 + 0.8 * planned.draw
        server, make_well = redis.slow_disk(planned.target, seconds)
        fault = self._note(planned, f"{server.name} pid {server.pid}, kill -9 after syncs of {seconds:.1f} s")
        self.is_over.wait(planned.lasts)
        server.kill()
        make_well()
        redis.restore()
        redis.wait_until_well()
        fault.until = now()

    def _full_redis(self, planned):
        """Below what it holds, so every write that needs memory is refused."""
        if not self._redis_is_well("full redis"):
            return
        fault = self._note(planned, "maxmemory below what it holds")
        self.run.redis.configure(maxmemory_policy="noeviction", maxmemory=1 << 20)
        self.is_over.wait(planned.lasts)
        self.run.redis.configure(maxmemory=0)
        fault.until = now()

    def _evict(self, planned):
        """A policy that somebody has set for a cache, and less memory than it holds: a part of all keys that expire goes."""
        redis = self.run.redis
        used = redis.used_memory()
        share = 0.02 + 0.08 * planned.draw
        fault = self._note(planned, f"maxmemory {share:.0%} below what it holds, volatile-lru")
        redis.configure(maxmemory_policy="volatile-lru", maxmemory=int(used * (1 - share)))
        self.is_over.wait(planned.lasts)
        redis.configure(maxmemory=0, maxmemory_policy="noeviction")
        fault.until = now()

    def _redis_is_well(self, kind):
        if self.run.redis.is_well():
            return True
        say(f"fault: {kind}: passed over, Redis has not recovered from the one before")
        return False

    # The provider

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

    def _brownout(self, planned):
        name, changes = script.brownout(self.run.provider.script, planned.draw)
        self._while_provider_behaves(planned, name, changes)

    def _sicken(self, planned):
        every = 2 * self.run.options.gateways
        name, changes = script.sick_connection(self.run.provider.script, planned.draw, every)
        self._while_provider_behaves(planned, name, changes)

    def _black_hole(self, planned):
        if planned.draw < 0.5:
            self._while_provider_behaves(
                planned, "the provider takes everything and never answers", script.silence(self.run.provider.script))
            return
        fault = self._note(planned, "packets to and from the provider are lost")
        self.run.relay.hold(True)
        self.is_over.wait(planned.lasts)
        self.run.relay.hold(False)
        fault.until = now()

    def _while_provider_behaves(self, planned, name, changes):
        fault = self._note(planned, name)
        self.run.provider.behave(changes)
        self.is_over.wait(planned.lasts)
        self.run.provider.behave()
        fault.until = now()
