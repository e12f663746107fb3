"""Takes an activity of a mixed segment through its life and compares every phone with the providers' ledgers."""

import argparse
import json
import os
import random
import signal
import sys

from harness.failure import ChaosFailure
from harness.place import Place
from harness.progress import say

from . import audit, segment
from .life import UPDATES, Life
from .servers import Servers

_HERE = os.path.dirname(os.path.abspath(__file__))
#: So many sentences of a kind are printed.
_SHOWN = 5


def arguments():
    parser = argparse.ArgumentParser(prog="mixed", description="An activity for iPhones by token and by channel, Android"
                                     " phones and phones that cannot be reached, with gateways that are killed.")
    parser.add_argument("--binary", default=os.path.join(_HERE, "../../.build/release/fanfare"), metavar="FILE",
                        help="the fanfare executable")
    parser.add_argument("--devices", type=int, default=50_000)
    parser.add_argument("--seed", default=None, help="chooses who is killed, and when")
    parser.add_argument("--keep", metavar="DIR", help="keeps logs and ledgers there")
    options = parser.parse_args()
    options.seed = options.seed or str(random.SystemRandom().randrange(10**9))
    if not os.access(options.binary, os.X_OK):
        parser.error(f"{options.binary} is not built: make build")
    return options


def carry_out(place, options):
    phones = segment.phones(options.devices)
    dead = [phone.start_token for phone in phones if phone.kind == "dead_token"]
    servers = Servers(place, dead)
    secrets = json.loads(servers.fanfare("tenant", "create", "mixed", "--no-signatures", "--json"))
    path = place.path("devices.ndjson")
    with open(path, "w", encoding="ascii") as file:
        for phone in phones:
            file.write(json.dumps(phone.record()) + "\n")
    servers.fanfare("devices", "import", path, "--tenant", secrets["tenant_id"])
    say(f"{len(phones)} phones imported")
    life = Life(servers, phones, secrets, random.Random(options.seed))
    life.live()
    states = life.states()
    ledger = servers.end()
    found = audit.violations(phones, states, ledger, UPDATES)
    for record in life.broadcasts:
        wrong = audit.sums(record)
        if wrong:
            found.setdefault("sums", []).append(f"the {record['kind']}: {wrong}")
    misdeeds = [misdeed for gateway in servers.gateways for misdeed in gateway.misdeeds]
    if misdeeds:
        found["gateways"] = misdeeds
    counts = [f"{list(states.values()).count(state)} {state}" for state in sorted(set(states.values()))]
    print(f"{len(phones)} phones, {len(states)} listed: {', '.join(counts)}; {len(ledger.channel_of)} follow"
          f" {len(ledger.published)} channels; {sum(gateway.kills for gateway in servers.gateways)} gateways killed")
    return found


def main():
    options = arguments()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    say(f"seed {options.seed}")
    try:
        with Place(options.binary, options.keep) as place:
            found = carry_out(place, options)
    except ChaosFailure as failure:
        print(f"mixed: {failure} (seed {options.seed})", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("mixed: ended by Ctrl-C, nothing is left running", file=sys.stderr)
        return 130
    for kind, sentences in found.items():
        print(f"{kind}: {len(sentences)}")
        for sentence in sentences[:_SHOWN]:
            print(f"    {sentence}")
    if found:
        print(f"mixed: violations; repeat with --seed {options.seed}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
