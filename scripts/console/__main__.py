"""Tests the console in a real Chromium.

    python -m console BINARY [--only NAMES] [--screenshots]

Starts Redis, mocks of the providers and a gateway with its console, and visits each view, by mouse and by keyboard, as an
operator and as a tenant: each action and what comes of it, data that is hostile, accessibility, and an hour of live updates.
With --screenshots it takes the pictures of docs/images instead.
"""

import argparse
import importlib
import os
import pkgutil
import signal
import sys
import unittest

from . import checks, pictures
from .servers import Stage
from .world import world


def suite(names):
    """The checks of all modules, or of those that are named, as `segments` or `segments.SegmentTests.test_delete`."""
    loader = unittest.TestLoader()
    modules = sorted(module.name for module in pkgutil.iter_modules(checks.__path__))
    return unittest.TestSuite(
        loader.loadTestsFromName(f"{checks.__name__}.{name}") for name in names or modules)


def main(stage=Stage):
    parser = argparse.ArgumentParser(prog="console", description="Tests the console in a real Chromium.")
    parser.add_argument("binary", type=os.path.abspath, help="the fanfare executable")
    parser.add_argument("--only", default="", metavar="NAMES", help="these checks alone, separated by commas")
    parser.add_argument("--screenshots", action="store_true", help="take the pictures of the documents instead")
    options = parser.parse_args()
    # As Ctrl-C: everything is ended and removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for module in pkgutil.iter_modules(checks.__path__):
        importlib.import_module(f"{checks.__name__}.{module.name}")
    with world(options.binary, stage) as there:
        if options.screenshots:
            return pictures.take(there)
        result = unittest.TextTestRunner(verbosity=2).run(suite([name for name in options.only.split(",") if name]))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
