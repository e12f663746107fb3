"""Measures and reports. See loadtest/README.md, "Benchmarks"."""

import argparse
import os
import signal
import sys
import time
from contextlib import closing

from . import bounds, figures_engine, figures_gateway, figures_log, figures_million, figures_profile
from . import figures_register, figures_scale, figures_size, figures_small, figures_storage, figures_syncs
from . import machine, report
from .failure import BenchFailure
from .plan import SHORT, WHOLE
from .progress import say

GROUPS = {
    "engine": figures_engine.measure,
    "gateway": figures_gateway.measure,
    "latency": figures_gateway.measure_latency,
    "million": figures_million.measure,
    "register": figures_register.measure,
    "memory": figures_storage.measure,
    "syncs": figures_syncs.measure,
    "gateways": figures_scale.measure,
    "small": figures_small.measure,
    "log": figures_log.measure,
    "size": figures_size.measure,
    "profile": figures_profile.measure,
}
#: What groups run beside fanfare.
BINARIES = {"engine": "push-benchmark", "memory": "store-benchmark"}
_HERE = os.path.dirname(os.path.abspath(__file__))


def arguments():
    parser = argparse.ArgumentParser(prog="bench", description="Measures Fanfare beside h2load and nginx.")
    parser.add_argument("--binaries", default=os.path.join(_HERE, "../../.build/release"),
                        help="where fanfare, push-benchmark and store-benchmark are (release builds)")
    parser.add_argument("--figures", default="", metavar="LIST", help=f"some of {', '.join(GROUPS)}")
    parser.add_argument("--quick", action="store_true", help="smaller numbers, about three minutes")
    parser.add_argument("--results", metavar="DIR",
                        help="where files are left, also by a run in short, which leaves none otherwise")
    options = parser.parse_args()
    options.writes = options.results is not None or not options.quick
    options.results = options.results or os.path.join(_HERE, "../results")
    options.groups = [each.strip() for each in options.figures.split(",") if each.strip()] or list(GROUPS)
    for name in options.groups:
        if name not in GROUPS:
            parser.error(f"there is no figure {name}: take some of {', '.join(GROUPS)}")
    return options


def check(options):
    machine.check_tools()
    for name in ["fanfare", *(BINARIES[each] for each in options.groups if each in BINARIES)]:
        if not os.access(os.path.join(options.binaries, name), os.X_OK):
            raise BenchFailure(f"{name} is not built: swift build -c release --product {name}")


def measure(options, plan):
    """All figures that could be measured, and the groups that could not."""
    figures, failed = [], []
    for name in options.groups:
        try:
            with closing(GROUPS[name](options.binaries, plan)) as measured:
                for figure in measured:
                    say(f"{figure.title}: {report.quantity(figure.value, figure.unit)}")
                    figures.append(figure)
        except BenchFailure as failure:
            say(f"{name} could not be measured: {failure}")
            failed.append(name)
    return figures, failed


def main():
    options = arguments()
    # Whoever started this may have it ignore Ctrl-C, as shells do with what they start in the background.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # As Ctrl-C: everything is ended and removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    plan = SHORT if options.quick else WHOLE
    begin = time.monotonic()
    try:
        check(options)
        cores = machine.keep_to_two_cores()
        run = {"date": time.strftime("%Y-%m-%d", time.gmtime()), "commit": machine.commit(),
               "machine": machine.description(cores), "versions": machine.versions(),
               "build": machine.build(options.binaries), "short": plan.is_short,
               "load_at_begin": machine.load_average()}
        figures, failed = measure(options, plan)
    except BenchFailure as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: ended by Ctrl-C, nothing is left running", file=sys.stderr)
        return 130
    run |= {"load_at_end": machine.load_average(), "seconds": time.monotonic() - begin}
    if figures:
        print(report.terminal_table(report.rows(figures)))
        print("\n".join(f"{each.title}: {note}" for each in figures for note in each.notes))
        bounded = bounds.rows(figures, run)
        if bounded:
            print("\n" + report.terminal_table(bounds.table(bounded)))
        print(f"build: {run['build']}; sources {run['commit']}")
        print(f"load average {run['load_at_begin']} at the start, {run['load_at_end']} at the end")
        if options.writes:
            paths = (bounds.write(options.results, bounded) if bounded else []) + report.write_plots(options.results, figures)
            if paths:
                print("written: " + ", ".join(os.path.relpath(path) for path in paths))
    if failed:
        print(f"bench: could not be measured: {', '.join(failed)}. Nothing is written.", file=sys.stderr)
        return 1
    if plan.is_short or set(options.groups) != set(GROUPS):
        print("bench: this was a part of the benchmark, and is not written to loadtest/results", file=sys.stderr)
    else:
        print("written: " + ", ".join(os.path.relpath(path) for path in report.write(options.results, run, figures)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
