"""The gateways: started on ports that they keep, and ended in every way there is."""

import http.client
import os
import signal
import threading
import time

from . import clocks
from .failure import ChaosFailure
from .place import free_ports
from .progress import say


class Gateway:
    """`fanfare serve`."""

    def __init__(self, place, index, port, environment):
        self.index, self.port = index, port
        self.arguments = [place.first, "serve"]
        #: Faults and whoever looks after all gateways start and miss it at the same time.
        self.lock = threading.RLock()
        self.name = f"gateway-{index}"
        self.server = place.start(self.name, self.arguments, environment | {"FANFARE_HTTP_PORT": str(port)})
        self.is_meant_to_run = True
        #: Ends that nobody asked for, and orderly ones that were not.
        self.misdeeds = []
        self.kills = 0

    def is_ready(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", "/health/ready")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def wait_until_ready(self, timeout=90):
        """Long: one that starts while the provider or Redis is away may say that it is not ready until they are back."""
        try:
            self.server.wait_until("ready", self.is_ready, timeout)
        except ChaosFailure:
            self.notice_end()
            raise

    def notice_end(self):
        """Records a crash. Returns whether there was one."""
        with self.lock:
            return self._notice_end()

    def _notice_end(self):
        if not self.is_meant_to_run or self.server.is_running:
            return False
        status = self.server.process.returncode
        self.misdeeds.append(f"{self.name} (pid {self.server.pid}) ended by itself with status {status}")
        say(self.misdeeds[-1])
        # Once is enough, whoever notices it next.
        self.is_meant_to_run = False
        return True

    def kill(self):
        self.notice_end()
        self.is_meant_to_run = False
        self.kills += 1
        self.server.kill()

    def terminate(self, limit=30):
        """SIGTERM. What the contract says of it is recorded: status 0 within 30 s."""
        self.notice_end()
        self.is_meant_to_run = False
        begin, kills = time.monotonic(), self.kills
        status = self.server.stop(timeout=limit + 5)
        seconds = time.monotonic() - begin
        # One that the plan kills while it stops has nothing to answer for.
        if self.kills == kills and (status != 0 or seconds > limit):
            self.misdeeds.append(f"{self.name} (pid {self.server.pid}) answered SIGTERM with status {status} after"
                                 f" {seconds:.1f} s")
        return seconds

    def pause(self):
        self.server.send(signal.SIGSTOP)

    def resume(self):
        self.server.send(signal.SIGCONT)

    def restart(self, clock_ahead=0):
        """Starts it unless it runs, under a clock that is so many seconds ahead."""
        with self.lock:
            self._notice_end()
            if not self.server.is_running:
                self.server.arguments = (
                    clocks.under(clock_ahead, self.arguments) if clock_ahead else self.arguments)
                self.server.start()
            self.is_meant_to_run = True

    def replace(self, binary):
        """Has it be of another version: ended in order and started anew. Returns the seconds that the end took."""
        seconds = self.terminate()
        with self.lock:
            self.arguments = [binary, "serve"]
        self.restart()
        self.wait_until_ready()
        return seconds


class Gateways:
    """All of them, on one Redis and one provider."""

    def __init__(self, place, environment, single):
        """`single`: variables for each of them alone."""
        base = {key: value for key, value in os.environ.items() if not key.startswith("FANFARE_")}
        self.environment = base | environment
        self.all = [Gateway(place, index, port, self.environment | single[index])
                    for index, port in enumerate(free_ports(len(single)))]
        for each in self.all:
            each.wait_until_ready()

    def restore(self):
        """Everybody runs and is ready."""
        for each in self.all:
            each.resume()
            each.restart()
        for each in self.all:
            each.wait_until_ready()

    def end(self):
        for each in self.all:
            each.terminate()

    @property
    def misdeeds(self):
        return [misdeed for each in self.all for misdeed in each.misdeeds]
