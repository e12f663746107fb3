"""Besieges two gateways while a neighbour works. See chaos/README.md."""

import argparse
import json
import os
import random
import resource
import signal
import sys

from harness.failure import ChaosFailure
from harness.place import Place
from harness.progress import say
from harness.resp import RedisError

from . import attacks, report
from .siege import Siege

_HERE = os.path.dirname(os.path.abspath(__file__))


def arguments():
    names = [attack.NAME for attack in attacks.ALL]
    parser = argparse.ArgumentParser(prog="attack", description="Besieges two gateways while a neighbour works, and"
                                     " checks that nobody takes what belongs to all.")
    parser.add_argument("--binary", default=os.path.join(_HERE, "../../.build/release/fanfare"), metavar="FILE",
                        help="the fanfare executable")
    parser.add_argument("--seed", default=None, help="repeats what is drawn at random")
    parser.add_argument("--quick", action="store_true", help="small attacks: less than a minute in all")
    parser.add_argument("--untimed", action="store_true", help="latencies are shown and not asserted")
    parser.add_argument("--only", default="", metavar="NAMES", help=f"some of them, by commas: {', '.join(names)}")
    parser.add_argument("--json", metavar="FILE", help="writes everything there")
    parser.add_argument("--keep", metavar="DIR", help="keeps logs and the ledger there")
    options = parser.parse_args()
    options.seed = options.seed or str(random.SystemRandom().randrange(10**9))
    wanted = [name for name in options.only.split(",") if name]
    if unknown := [name for name in wanted if name not in names]:
        parser.error(f"there is no attack {', '.join(unknown)}")
    options.attacks = [attack for attack in attacks.ALL if not wanted or attack.NAME in wanted]
    if not os.access(options.binary, os.X_OK):
        parser.error(f"{options.binary} is not built: make build")
    return options


def main():
    options = arguments()
    # Gateways have as many descriptors as this machine lets them.
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    say(f"seed {options.seed}")
    try:
        with Place(options.binary, options.keep) as place:
            results = Siege(place, options).carry_out(options.attacks)
    except (ChaosFailure, RedisError) as failure:
        print(f"attack: {failure} (seed {options.seed})", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("attack: ended by Ctrl-C, nothing is left running", file=sys.stderr)
        return 130
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
