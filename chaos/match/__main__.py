"""Plays a match: a topic goes live for followers that come and go, with gateways that are killed, and compares every
phone with the providers' ledgers."""

import collections
import random
import sys

from harness import program
from mixed import segment
from mixed.servers import Servers

from .audit import sentences_of_drops, violations
from .life import GOALS, OTHER_GOALS, Match


def arguments():
    parser = program.parser("match", "A topic for iPhones by token and by channel and Android phones, with gateways that are"
                            " killed.", seed="chooses who is killed, and when", keep="keeps logs and ledgers there")
    parser.add_argument("--devices", type=int, default=20_000)
    return program.options_of(parser)


def carry_out(place, options):
    phones = segment.phones(options.devices)
    servers = Servers(place, [phone.start_token for phone in phones if phone.kind == "dead_token"])
    secrets = servers.tenant("match", phones)
    match = Match(servers, phones, secrets, random.Random(options.seed))
    match.play()
    states = match.states(segment.MATCH)
    others = match.states(segment.OTHER)
    ledger = servers.end(phones, [segment.MATCH, segment.OTHER])
    found = violations(phones, {phone.udid for phone in match.left}, match.synced[segment.MATCH], states, ledger, GOALS)
    found |= {f"{kind} of the other match": sentences for kind, sentences in violations(
        match.others, set(), match.synced[segment.OTHER], others, ledger, OTHER_GOALS, segment.OTHER).items()}
    found |= {"dropped": dropped} if (dropped := sentences_of_drops(phones, ledger)) else {}
    if match.wrong_reports:
        found["reports"] = match.wrong_reports
    if servers.misdeeds:
        found["gateways"] = servers.misdeeds
    counts = collections.Counter(device["state"] for devices in states.values() for device in devices)
    print(f"{len(phones)} phones, {len(states)} listed: {dict(counts)};"
          f" {servers.kills} gateways killed")
    return found


def main():
    options = arguments()
    found = program.carry_out("match", options, lambda place: carry_out(place, options))
    return program.verdict("match", options, found)


if __name__ == "__main__":
    sys.exit(main())
