"""Carries the plan out."""

import signal
import threading
import time

from harness.progress import say

from .scene import SLOW


class Faults:
    """Each in a thread of its own, at its time."""

    def __init__(self, scene, planned):
        self.scene, self.failures = scene, []
        self.begin = time.monotonic()
        self.threads = [threading.Thread(target=self._at_its_time, args=(fault,), daemon=True) for fault in planned]
        for thread in self.threads:
            thread.start()

    def join(self):
        for thread in self.threads:
            thread.join()
        if self.failures:
            raise self.failures[0]

    def _at_its_time(self, fault):
        time.sleep(max(0.0, self.begin + fault.at - time.monotonic()))
        whom = "" if fault.kind in ("stop Redis", "slow provider") else f" gateway-{fault.target}"
        say(f"{fault.kind}{whom} for {fault.lasts:.1f} s")
        try:
            _KINDS[fault.kind](self, fault)
        except Exception as failure:
            self.failures.append(failure)

    def _kill(self, fault):
        gateway = self.scene.gateways.all[fault.target]
        gateway.kill()
        time.sleep(fault.lasts)
        gateway.restart()

    def _stop(self, fault):
        gateway = self.scene.gateways.all[fault.target]
        gateway.pause()
        time.sleep(fault.lasts)
        gateway.resume()

    def _terminate(self, fault):
        gateway = self.scene.gateways.all[fault.target]
        gateway.terminate()
        time.sleep(fault.lasts)
        gateway.restart()

    def _replace(self, fault):
        place = self.scene.place
        self.scene.gateways.all[fault.target].replace(place.binary if fault.kind == "upgrade" else place.first)

    def _stop_redis(self, fault):
        server = self.scene.redis.server
        server.send(signal.SIGSTOP)
        try:
            time.sleep(fault.lasts)
        finally:
            server.send(signal.SIGCONT)

    def _slow_provider(self, fault):
        self.scene.provider.behave({"latency": SLOW})
        time.sleep(fault.lasts)
        self.scene.provider.behave()


_KINDS = {"kill": Faults._kill, "stop": Faults._stop, "terminate": Faults._terminate, "stop Redis": Faults._stop_redis,
          "slow provider": Faults._slow_provider, "upgrade": Faults._replace, "downgrade": Faults._replace}
