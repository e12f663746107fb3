"""A million devices on one machine: time, memory, and what a start of few of them takes."""

from .figure import Figure
from .gateway import running_gateway
from .progress import say
from .samples import Samples
from .usage import Interference, peak_memory, processor_time, reset_peak_memory

TARGETS = 100
MEGABYTE = 1_000_000


def measure(binaries, plan):
    small, large = plan.hundred_thousand, plan.million
    with running_gateway(binaries) as gateway:
        gateway.import_devices(small)
        small_memory = Samples(_start(gateway, small)[1] for _ in range(plan.million_rounds))
    with running_gateway(binaries) as gateway:
        gateway.import_devices(large)
        targeted, others = _targeted_starts(gateway, large, plan.million_rounds)
        yield _targeted_figure(large, targeted, others)
        seconds, memory, others, work = Samples(), Samples(), Samples(), []
        for _ in range(plan.million_rounds):
            duration, peak, share, cpu = _start(gateway, large)
            seconds.add(duration)
            memory.add(peak)
            others.add(share)
            work.append(cpu)
    first = work[0]
    yield Figure(
        "million_start", f"start of {large:,} devices, everything on two cores", seconds, 10.0, "s",
        notes=[f"CPU time of the first: gateway {first['gateway']:.1f} s, mock {first['mock']:.1f} s, "
               f"Redis {first['redis']:.1f} s. Other work used {others.median:.1f} cores meanwhile."],
        details={"devices": large, "processor_seconds": work, "others_cores": others.values})
    yield _memory_figure("million_memory", large, memory)
    yield _memory_figure("hundred_thousand_memory", small, small_memory)


def _start(gateway, devices):
    """Seconds, the gateway's peak memory in MB, the cores that others used, and the CPU seconds of each process."""
    identifier = gateway.register(devices)
    say(f"start of {devices:,} devices")
    pids = {"gateway": gateway.server.pid, "redis": gateway.redis.pid, "mock": gateway.provider.server.pid}
    interference = Interference(pids.values())
    reset_peak_memory(gateway.server.pid)
    before = {name: processor_time(pid) for name, pid in pids.items()}
    seconds = gateway.start(identifier, devices)
    work = {name: processor_time(pid) - before[name] for name, pid in pids.items()}
    peak = peak_memory(gateway.server.pid) / MEGABYTE
    say(f"    {seconds:.2f} s, the gateway had {peak:.0f} MB")
    return seconds, peak, interference.share(), work


def _targeted_starts(gateway, devices, rounds):
    # Of an activity that was started no device can be started again: each takes an activity of its own.
    times, others = Samples(), Samples()
    targets = range(0, devices, devices // TARGETS)[:TARGETS]
    for _ in range(max(rounds, 2)):
        identifier = gateway.register(devices)
        interference = Interference(each.pid for each in gateway.servers)
        times.add(gateway.start(identifier, TARGETS, targets=targets) * 1000)
        others.add(interference.share())
        say(f"    start of {TARGETS} of {devices:,} devices: {times.values[-1]:.1f} ms")
    return times, others


def _targeted_figure(devices, times, others):
    return Figure(
        "targeted_start", f"start of {TARGETS} devices in a segment of {devices:,}", times, 50.0, "ms",
        notes=[f"From all over the segment. The first opens the connection to the provider: {times.values[0]:.0f} ms. "
               f"Other work used {others.median:.1f} cores meanwhile."],
        details={"devices": devices, "targets": TARGETS, "others_cores": others.values})


def _memory_figure(key, devices, samples):
    return Figure(
        key, f"most resident memory of the gateway, start of {devices:,} devices", samples, 150.0, "MB",
        details={"devices": devices})
