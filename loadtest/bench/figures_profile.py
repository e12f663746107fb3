"""Whose the CPU time of an update of one device, and of a sync, is: perf's samples of the gateway, by whose code it was."""

import os
import shutil
import signal
import threading
import time

from . import wrk
from .failure import BenchFailure
from .figure import Figure
from .gateway import running_gateway
from .nginx import PATH
from .one_device import OneDeviceActivities
from .progress import say
from .profile import KINDS, shares, table
from .samples import Samples
from .usage import processor_time

CONNECTIONS = 64


def measure(binaries, plan):
    if shutil.which("perf", path=PATH) is None:
        raise BenchFailure("perf is missing: apt-get install linux-perf")
    with running_gateway(binaries) as gateway:
        gateway.import_devices(plan.profile_activities)
        gateway.lift_device_limits()
        activities = OneDeviceActivities(gateway, plan.profile_activities)
        activities.make()
        for name, requests in (("update of one device", activities.updates()), ("sync", activities.reports())):
            yield _figure(gateway, name, requests, plan)


def _figure(gateway, name, requests, plan):
    say(f"samples of the gateway's stacks during each {name}")
    before = processor_time(gateway.server.pid)
    data, load = _recorded(gateway, requests, plan.profile_seconds)
    cost = (processor_time(gateway.server.pid) - before) / load.calls * 1e6
    # perf itself slows the process down: what a call costs is measured without it.
    found = shares(gateway.place.run("perf script", [
        "perf", "script", "-i", data, "-F", "comm,ip,sym,dso"])[0].splitlines())
    os.remove(data)
    text = table(found, cost)
    say(f"{name}, while perf records\n{text}")
    return Figure(
        f"profile_{name.split()[0]}", f"share of the kernel in the gateway's CPU time for each {name}",
        Samples([found["kernel"].total]), None, notes=[
            f"{load.calls:,} calls, {cost:.0f} µs of the gateway each while perf records. " + "; ".join(
                f"{KINDS[kind]} {share.total * 100:.0f} %" for kind, share in found.items()) + "."],
        details={"table": text, "shares": {kind: {"total": each.total, "runtime": each.runtime}
                                           for kind, each in found.items()}})


def _recorded(gateway, requests, seconds):
    data = gateway.place.path("perf.data")
    result = []
    thread = threading.Thread(target=lambda: result.append(wrk.run(
        gateway.place, gateway.processes[0].port, requests, CONNECTIONS, seconds + 1)))
    perf = None
    thread.start()
    try:
        time.sleep(0.5)
        perf = gateway.place.start("perf", [
            "perf", "record", "-q", "-F", "997", "-g", "--call-graph", "fp", "-p", str(gateway.server.pid), "-o", data])
        thread.join()
    finally:
        if perf is not None:
            perf.process.send_signal(signal.SIGINT)
            perf.process.wait(60)
            gateway.place.stop(perf)
    if not result:
        raise BenchFailure("wrk did not come to its end")
    return data, result[0]
