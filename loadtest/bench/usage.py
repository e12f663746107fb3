"""What processes use: CPU time and memory, as the kernel counts them."""

import os
import time

from .failure import BenchFailure


def processor_time(pid):
    """User and system time of a process in seconds: all its threads, also those that have ended, to the nanosecond.

    It is the clock that clock_getcpuclockid(3) gives for the process; the fields of /proc/PID/stat have the same in
    steps of a hundredth of a second.
    """
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError as error:
        raise BenchFailure(f"process {pid} is gone while it is measured") from error


def reset_peak_memory(pid):
    """From now on `peak_memory` is the most since now."""
    with open(f"/proc/{pid}/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def peak_memory(pid):
    """The most resident memory (VmHWM) in bytes."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return status_field(file.read(), "VmHWM")


def status_field(text, name):
    """A field of /proc/PID/status in bytes."""
    for line in text.splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise BenchFailure(f"/proc has no {name}")


class Interference:
    """How much of the machine others used while something was measured: for figures in seconds, which they spoil."""

    def __init__(self, pids):
        self.pids = list(pids)
        self.begin = self.now()

    def now(self):
        own = time.process_time() + sum(processor_time(pid) for pid in self.pids)
        with open("/proc/stat", encoding="ascii") as file:
            return time.monotonic(), busy_time(file.readline()) - own

    def share(self):
        """Of one core: 0.5 is half a core, 2.0 two whole ones."""
        then, others = self.begin
        now, others_now = self.now()
        return max(0.0, (others_now - others) / max(now - then, 0.001))


def busy_time(line):
    """Seconds that all cores together were not idle, from the first line of /proc/stat."""
    user, nice, system, _idle, _iowait, irq, softirq, steal = (int(each) for each in line.split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
