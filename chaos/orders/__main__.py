"""Tracks many orders at once while gateways and Redis are harmed, and compares answers, the ledger and what is kept."""

import collections
import sys
import time

from harness import ledger, program
from harness.progress import say

from . import audit, plan, settle
from .callers import Greedy, Rival, Sender
from .faults import Faults
from .scene import TENANTS, Scene

#: Of each tenant.
SENDERS = 2
#: So long nothing is asked, before the last words: what a gateway still has of others is recorded by then.
_QUIET = 2.0
_PATIENCE = 60
#: With this limit all can be read.
_NO_LIMIT = "10000000"


def arguments():
    parser = program.parser("orders", "Updates many small activities without pause, while gateways are killed, stopped and"
                            " ended, Redis stands still and the provider is slow.", seed="repeats the faults and the choices"
                            " of a run", keep="keeps logs and the ledger there")
    parser.add_argument("--seconds", type=float, default=None, help="of load; default 60, with --quick 20")
    parser.add_argument("--quick", action="store_true", help="20 seconds of load")
    parser.add_argument("--calm", action="store_true", help="nothing is harmed")
    options = program.options_of(parser)
    options.seconds = options.seconds or (20 if options.quick else 60)
    return options


def carry_out(place, options):
    begin = time.time()
    scene = Scene(place, options.seed, options.seconds)
    say(f"{len(scene.journal.activities)} activities; {scene.limit} requests of a key in a minute")
    planned = [] if options.calm else plan.rolling(options.seconds, 2) if options.upgrade_from else plan.plan(
        options.seed, options.seconds, 2)
    _load(scene, options.seconds, planned)
    time.sleep(_QUIET)
    words = settle.last_words(scene)
    say("waiting until all has ended")
    inventory = settle.wait_until_tidy(scene, _PATIENCE)
    left = settle.left_in(inventory)
    _restart_without_limit(scene)
    say("reading what was answered")
    records = settle.read_records(scene)
    inventory = settle.wait_until_tidy(scene, _PATIENCE)
    left += [f"later {sentence}" for sentence in settle.left_in(inventory)]
    # An hour that has begun meanwhile has had some of them.
    hours = settle.read_hours(scene)
    hours = hours if time.time() // 3600 == begin // 3600 else {}
    scene.gateways.end()
    pushes = ledger.read(scene.provider.end())
    journal = scene.journal
    evidence = audit.Evidence(
        activities=journal.activities, calls=journal.calls, starts=journal.starts, requests=journal.requests,
        limit=scene.limit, records=records, kept=inventory.records, pushes=pushes, hours=hours, last_words=words, leftovers=left,
        misdeeds=scene.gateways.misdeeds, oddities=journal.oddities)
    print(_line(evidence, planned))
    return audit.violations(evidence)


def _load(scene, seconds, planned):
    begin = time.monotonic()
    threads = [Sender(scene, index % TENANTS, index) for index in range(SENDERS * TENANTS)]
    threads += [Rival(scene), Greedy(scene, seconds)]
    faults = Faults(scene, planned)
    while time.monotonic() < begin + seconds:
        time.sleep(0.1)
        for gateway in scene.gateways.all:
            if gateway.notice_end():
                gateway.restart()
    for thread in threads:
        thread.end()
    faults.join()
    scene.redis.wait_until_well()
    scene.gateways.restore()
    for thread in threads:
        thread.join(_PATIENCE)


def _restart_without_limit(scene):
    for gateway in scene.gateways.all:
        gateway.terminate()
        gateway.server.environment |= {"FANFARE_RATE_LIMIT_REQUESTS_PER_MINUTE": _NO_LIMIT}
    scene.gateways.restore()


def _line(evidence, planned):
    outcomes = collections.Counter(
        call.attempts[-1].status or "unanswered" if call.attempts else "unsent" for call in evidence.calls)
    faults = collections.Counter(fault.kind for fault in planned)
    keyed = sum(call.key is not None for call in evidence.calls)
    repeated = sum(len(call.attempts) > 1 for call in evidence.calls)
    return (f"{len(evidence.calls)} updates of {len(evidence.activities)} activities"
            f" ({', '.join(f'{count} {what}' for what, count in sorted(outcomes.items(), key=str))}),"
            f" {keyed} with a key, {repeated} repeated; {len(evidence.starts)} starts; {len(evidence.kept)} broadcasts kept,"
            f" {len(evidence.pushes)} pushes; "
            + (", ".join(f"{count} {kind}" for kind, count in sorted(faults.items())) or "no faults"))


def main():
    options = arguments()
    found = program.carry_out("orders", options, lambda place: carry_out(place, options))
    return program.verdict("orders", options, found)


if __name__ == "__main__":
    sys.exit(main())
