"""Attackers as seen by the siege: processes that are started, waited for and ended by their ids."""

import ctypes
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time

from harness.failure import ChaosFailure

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1
_RAIDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "raider.py")


class Raid:
    """Use it in a `with` statement: at its end the attacker is told to end, and its tally is there."""

    def __init__(self, play, **spec):
        self.spec, self.tally = spec | {"play": play}, None
        self.lines = queue.Queue()
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, _RAIDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL))
        self.process.stdin.write(json.dumps(self.spec) + "\n")
        self.process.stdin.flush()
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def _read(self):
        try:
            for line in self.process.stdout:
                self.lines.put(json.loads(line))
        except ValueError:
            # Closed, or cut off in the middle of a line.
            pass
        self.lines.put(None)

    def wait_until_ready(self, timeout):
        """Returns whether the attacker holds what it was to hold by then: it may be kept from it, which is no failure."""
        deadline = time.monotonic() + timeout
        while True:
            line = self._line(deadline)
            if line is None:
                return False
            if "ready" in line:
                return True
            self.tally = line

    def wait(self, timeout):
        """Until it has done all that it was to do."""
        deadline = time.monotonic() + timeout
        while self.tally is None:
            line = self._line(deadline)
            if line is None:
                return
            if "ready" not in line:
                self.tally = line

    def _line(self, deadline):
        try:
            line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
        except queue.Empty:
            return None
        return line

    def __exit__(self, *_):
        try:
            self.process.stdin.close()
            if self.tally is None:
                self.wait(20)
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            pass
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()
        if self.tally is None:
            raise ChaosFailure(f"the attacker of {self.spec['play']} ended without a word")
