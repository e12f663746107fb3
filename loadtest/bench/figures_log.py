"""What the line that each call has in the log costs, as people and as programs read it."""

import time
from contextlib import ExitStack

from . import wrk
from .failure import BenchFailure
from .figure import Figure
from .gateway import running_gateway
from .one_device import OneDeviceActivities
from .progress import say
from .samples import Samples, ratios
from .usage import processor_time

#: The first is what the others are measured against: of a call that succeeds it has no line.
FORMS = {
    "warning": {"FANFARE_LOG_LEVEL": "warning"},
    "info": {"FANFARE_LOG_LEVEL": "info"},
    "json": {"FANFARE_LOG_LEVEL": "info", "FANFARE_LOG_FORMAT": "json"},
}
TITLES = {"info": "log.level info", "json": "log.level info with log.format json"}
CONNECTIONS = 32
AFTERWARDS = 0.3


def measure(binaries, plan):
    with ExitStack() as stack:
        gateways = {}
        for form, settings in FORMS.items():
            gateway = stack.enter_context(running_gateway(binaries, settings=settings))
            gateway.import_devices(plan.log_activities)
            activities = OneDeviceActivities(gateway, plan.log_activities)
            activities.make()
            gateways[form] = (gateway, activities.updates())
        costs = {form: Samples() for form in FORMS}
        lines = {}
        say(f"updates of one device with each form of log in turn, {plan.log_rounds} rounds of {plan.log_seconds} s")
        for number in range(plan.log_rounds + 1):
            # Whoever begins changes from round to round; the first one is not counted.
            names = list(FORMS)
            for form in names[number % len(names):] + names[:number % len(names)]:
                cost, lines[form] = _round(*gateways[form], plan)
                if number > 0:
                    costs[form].add(cost * 1e6)
            if number > 0:
                say("    " + ", ".join(f"{form} {each.values[-1]:.1f} µs" for form, each in costs.items()))
    for form, title in TITLES.items():
        yield Figure(
            f"log_{form}", f"CPU of an update of one device with {title}, with warning = 1",
            ratios(costs[form], costs["warning"]), 1.05, bound="log",
            notes=[f"{costs[form].median:.1f} µs of the gateway for a call, {costs['warning'].median:.1f} without its line; "
                   f"{lines[form]:.2f} lines a call, to a file. Rounds in turn, from "
                   f"{costs['warning'].lowest:.1f} to {costs['warning'].highest:.1f} µs without lines."],
            details={"us": costs[form].values, "us_at_warning": costs["warning"].values, "lines_a_call": lines[form]})


def _round(gateway, updates, plan):
    """CPU seconds for a call, and lines for a call."""
    before, lines = processor_time(gateway.server.pid), _lines(gateway)
    load = wrk.run(gateway.place, gateway.processes[0].port, updates, CONNECTIONS, plan.log_seconds)
    time.sleep(AFTERWARDS)
    if load.refused or load.errors:
        raise BenchFailure(f"of {load.calls:,} updates {load.refused:,} were refused, {load.errors:,} had no answer")
    return (processor_time(gateway.server.pid) - before) / load.calls, (_lines(gateway) - lines) / load.calls


def _lines(gateway):
    with open(gateway.server.log, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
