"""Besieges two gateways while a neighbour works. See chaos/README.md."""

import json
import resource
import sys

from harness import program

from . import attacks, report
from .siege import Siege


def arguments():
    names = [attack.NAME for attack in attacks.ALL]
    parser = program.parser("attack", "Besieges two gateways while a neighbour works, and checks that nobody takes what belongs"
                            " to all.", seed="repeats what is drawn at random")
    parser.add_argument("--quick", action="store_true", help="small attacks: less than a minute in all")
    parser.add_argument("--untimed", action="store_true", help="latencies are shown and not asserted")
    parser.add_argument("--only", default="", metavar="NAMES", help=f"some of them, by commas: {', '.join(names)}")
    parser.add_argument("--json", metavar="FILE", help="writes everything there")
    options = program.options_of(parser)
    wanted = [name for name in options.only.split(",") if name]
    if unknown := [name for name in wanted if name not in names]:
        parser.error(f"there is no attack {', '.join(unknown)}")
    options.attacks = [attack for attack in attacks.ALL if not wanted or attack.NAME in wanted]
    return options


def main():
    options = arguments()
    # Gateways have as many descriptors as this machine lets them.
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
    results = program.carry_out("attack", options, lambda place: Siege(place, options).carry_out(options.attacks))
    is_timed = not options.untimed
    print(report.table(results, is_timed))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report.record(results, seed=options.seed, quick=options.quick), file, indent=1)
    found = report.violations(results, is_timed)
    for name, check in found:
        print(f"{name}: {check.text}: not held. {check.detail}")
    if found:
        print(f"attack: {len(found)} bounds not held; repeat with --seed {options.seed}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
