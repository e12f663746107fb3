"""Clocks that are wrong: a process can be started under one with libfaketime (a Debian package)."""

import glob
import os

#: Seconds that a gateway's clock is ahead; behind when negative.
SHIFTS = (3 * 3600, -3 * 3600, 30, -30)


def library():
    """Where libfaketime is; None where it is not installed."""
    return next(iter(sorted(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
                            + glob.glob("/usr/lib*/faketime/libfaketimeMT.so.1"))), None)


def under(seconds, arguments):
    """A command line that runs another under a clock that is so far ahead. Intervals stay what they are."""
    # The library changes the environment of the first process that loads it, and Swift finds its arguments beside an
    # environment that nobody has changed: so the first is not the one that is to run, but `env` in its place.
    return ["env", f"LD_PRELOAD={library()}", f"FAKETIME={seconds:+d}s", "FAKETIME_DONT_FAKE_MONOTONIC=1", "env",
            *arguments]


def forget(pid):
    """Removes what the library of a killed process has left in memory."""
    for name in glob.glob(f"/dev/shm/*faketime*_{pid}"):
        os.unlink(name)
