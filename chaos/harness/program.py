"""What all programs here have in common: options, a place of their own, and how they end."""

import argparse
import os
import random
import signal
import sys

from .failure import ChaosFailure
from .place import Place
from .progress import say
from .resp import RedisError

_BINARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.build/release/fanfare")
#: So many sentences of a kind are printed.
_SHOWN = 5


def parser(name, description, seed, keep="keeps logs and the ledger there"):
    """A parser for what each program takes; `seed` and `keep` say what that is good for."""
    made = argparse.ArgumentParser(prog=name, description=description)
    made.add_argument("--binary", default=_BINARY, metavar="FILE", help="the fanfare executable")
    made.add_argument("--seed", default=None, help=seed)
    made.add_argument("--keep", metavar="DIR", help=keep)
    made.add_argument("--upgrade-from", metavar="FILE", help="an executable of another version, with which gateways begin; in"
                      " place of faults they are replaced one after the other, forth, back and forth again")
    return made


def options_of(made):
    """What was given, with a seed in any case."""
    options = made.parse_args()
    options.seed = options.seed or str(random.SystemRandom().randrange(10**9))
    for binary in filter(None, (options.binary, options.upgrade_from)):
        if not os.access(binary, os.X_OK):
            made.error(f"{binary} is not built: make build")
    return options


def carry_out(name, options, body):
    """What `body` comes to in a place of its own. When it cannot be carried out, or by Ctrl-C, the program ends."""
    # Whoever started this may have it ignore Ctrl-C, as shells do with what they start in the background.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # As Ctrl-C: everything is ended and removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    say(f"seed {options.seed}")
    try:
        with Place(options.binary, options.keep, getattr(options, "upgrade_from", None)) as place:
            return body(place)
    except (ChaosFailure, RedisError) as failure:
        print(f"{name}: {failure} (seed {options.seed})", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print(f"{name}: ended by Ctrl-C, nothing is left running", file=sys.stderr)
        sys.exit(130)


def verdict(name, options, found):
    """Prints what does not hold, sentences by their kind, and says with which status the program ends."""
    for kind, sentences in found.items():
        print(f"{kind}: {len(sentences)}")
        for sentence in sentences[:_SHOWN]:
            print(f"    {sentence}")
    if found:
        print(f"{name}: violations; repeat with --seed {options.seed}", file=sys.stderr)
    return 1 if found else 0
