"""Starts gateways, kills them, and checks the invariants. See chaos/README.md."""

import sys

from . import invariants, program, report
from .run import Run


def arguments():
    parser = program.parser("harness", "Kills gateways and Redis under load, and checks that every device has one outcome.",
                            seed="repeats the faults and the choices of a run")
    parser.add_argument("--redis", choices=("single", "cluster"), default="single")
    parser.add_argument("--gateways", type=int, choices=(2, 3), default=3)
    parser.add_argument("--seconds", type=float, default=None, help="of load; default 240, with --quick 26")
    parser.add_argument("--quick", action="store_true", help="about a minute in all")
    parser.add_argument("--calm", action="store_true", help="nothing is killed; the provider has its bad days all the"
                        " same")
    parser.add_argument("--quiet-provider", action="store_true", help="the provider only knows dead tokens")
    parser.add_argument("--evict", action="store_true", help="Redis throws keys away now and then, and nothing else"
                        " happens; few invariants can hold then")
    parser.add_argument("--appendfsync", choices=("always", "everysec"), default="always", help="when Redis syncs its"
                        " append-only file; with everysec it forgets what it has answered, and the invariants say so")
    parser.add_argument("--resend", action="store_true", help="gateways run with broadcast.on_unknown: resend")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable for the gateways")
    parser.add_argument("--json", metavar="FILE", help="writes the summary there")
    options = program.options_of(parser)
    options.seconds = options.seconds or (26 if options.quick else 240)
    options.pause = 12 if options.quick else 20
    options.scale = 0.5 if options.quick else 1.0
    options.gap = (1.5, 4.0) if options.quick else (4.0, 10.0)
    options.customers = 4 if options.quick else 5
    options.devices = 1500 if options.quick else 4000
    options.patience = 45 if options.quick else 90
    return options


def main():
    options = arguments()

    def play(place):
        run = Run(place, options)
        evidence = run.carry_out()
        report.write_evidence(place.path("evidence.json"), evidence)
        return run, evidence

    run, evidence = program.carry_out("chaos", options, play)
    verdict = invariants.audit(evidence)
    data = report.summary(run, evidence, verdict)
    print(report.text(data))
    if options.json:
        report.write(options.json, data)
    violations = sum(len(found) for found in verdict.values())
    if violations:
        print(f"\nchaos: {violations} violations; repeat with --seed {options.seed}", file=sys.stderr)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
