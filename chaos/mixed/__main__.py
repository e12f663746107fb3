"""Takes an activity of a mixed segment through its life and compares every phone with the providers' ledgers."""

import random
import sys

from harness import program
from harness.progress import say

from . import audit, segment
from .life import UPDATES, Life
from .servers import Servers


def arguments():
    parser = program.parser("mixed", "An activity for iPhones by token and by channel, Android phones and phones that cannot"
                            " be reached, with gateways that are killed.", seed="chooses who is killed, and when",
                            keep="keeps logs and ledgers there")
    parser.add_argument("--devices", type=int, default=50_000)
    return program.options_of(parser)


def carry_out(place, options):
    phones = segment.phones(options.devices)
    dead = [phone.start_token for phone in phones if phone.kind == "dead_token"]
    servers = Servers(place, dead)
    secrets = servers.tenant("mixed", phones)
    say(f"{len(phones)} phones imported")
    life = Life(servers, phones, secrets, random.Random(options.seed))
    life.live()
    states = life.states()
    ledger = servers.end(phones, [segment.MATCH])
    found = audit.violations(phones, states, ledger, UPDATES)
    for record in life.broadcasts:
        wrong = audit.sums(record)
        if wrong:
            found.setdefault("sums", []).append(f"the {record['kind']}: {wrong}")
    if servers.misdeeds:
        found["gateways"] = servers.misdeeds
    counts = [f"{list(states.values()).count(state)} {state}" for state in sorted(set(states.values()))]
    print(f"{len(phones)} phones, {len(states)} listed: {', '.join(counts)}; {len(ledger.channel_of)} follow"
          f" {len(ledger.published)} channels; {servers.kills} gateways killed")
    return found


def main():
    options = arguments()
    found = program.carry_out("mixed", options, lambda place: carry_out(place, options))
    return program.verdict("mixed", options, found)


if __name__ == "__main__":
    sys.exit(main())
