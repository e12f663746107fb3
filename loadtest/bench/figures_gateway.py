"""Starts of whole segments: what they cost, and how long they take."""

import time

from . import h2load
from .alternation import alternately
from .figure import Figure
from .gateway import running_gateway
from .probe import filler_for
from .progress import say
from .samples import Samples, ratios
from .usage import Interference, processor_time

#: The gateway's own bound, `apns.connections`.
CONNECTIONS = 8
PAYLOAD = 400
LATENCY = 50
#: What a gateway still does once it has answered (it drops the pages of the start) counts as well.
AFTERWARDS = 0.3


def measure(binaries, plan):
    """CPU time of the gateway's process for each push of a start, against h2load's."""
    say(f"looking at one push of the gateway, to give it {PAYLOAD} bytes")
    filler, payload = filler_for(binaries, PAYLOAD)
    with running_gateway(binaries) as gateway:
        devices = plan.gateway_devices
        gateway.import_devices(devices)
        say(f"start of {devices:,} devices and h2load, {plan.gateway_rounds} times")
        yardstick = h2load.Yardstick(gateway.place, gateway.provider, payload, CONNECTIONS)
        seconds = Samples()

        def start():
            identifier = gateway.register(devices)
            before = processor_time(gateway.server.pid)
            seconds.add(gateway.start(identifier, devices, filler))
            time.sleep(AFTERWARDS)
            return (processor_time(gateway.server.pid) - before) / devices

        ours, theirs = alternately(plan.gateway_rounds, start, lambda: yardstick.push(devices))
    yield Figure(
        "gateway_cpu", f"gateway, start of {devices:,} devices: CPU per push of {PAYLOAD} bytes, h2load = 1",
        ratios(ours, theirs), 0.50, aim=0.30,
        notes=[f"Gateway {ours.median * 1e6:.2f} µs a push, h2load {theirs.median * 1e6:.2f} µs; "
               f"the call took {seconds.median:.2f} s."],
        details={"devices": devices, "payload_bytes": len(payload), "connections": CONNECTIONS,
                 "streams": h2load.STREAMS, "start_seconds": seconds.values,
                 "gateway_us_per_push": [each * 1e6 for each in ours.values],
                 "h2load_us_per_push": [each * 1e6 for each in theirs.values]})


def measure_latency(binaries, plan):
    """How long a start takes when the provider takes its time for each answer."""
    devices = plan.latency_devices
    with running_gateway(binaries, script={"latency": {"fixed_ms": LATENCY}}) as gateway:
        gateway.import_devices(devices)
        say(f"start of {devices:,} devices with {LATENCY} ms at the provider, {plan.latency_rounds} times")
        seconds, others = Samples(), Samples()
        for _ in range(plan.latency_rounds):
            identifier = gateway.register(devices)
            interference = Interference(each.pid for each in gateway.servers)
            seconds.add(gateway.start(identifier, devices))
            others.add(interference.share())
    yield Figure(
        "latency_start", f"start of {devices:,} devices, provider answers after {LATENCY} ms", seconds, 1.0, "s",
        notes=[f"Other work used {others.median:.1f} cores meanwhile. The first of the starts opens the connections: "
               f"{seconds.values[0]:.2f} s."],
        details={"devices": devices, "latency_ms": LATENCY, "others_cores": others.values})
