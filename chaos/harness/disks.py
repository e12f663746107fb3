"""Disks that are slow: redis-servers run with a library that has each sync of a file take as long as a file says."""

import os
import shutil

from .failure import ChaosFailure

_SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "slow_disk.c")
_COMPILERS = ("cc", "gcc", "clang")


class Disks:
    """One for each server, by its name. `lack` says why they cannot be slow; None when they can."""

    def __init__(self, place, compilers=_COMPILERS):
        self.place, self.lack = place, None
        self.library = place.path("slow_disk.so")
        compiler = next(filter(None, map(shutil.which, compilers)), None)
        if compiler is None:
            self.lack = "there is no C compiler (Debian: gcc and libc6-dev)"
            return
        try:
            place.run(compiler, [compiler, "-O", "-shared", "-fPIC", "-o", self.library, _SOURCE])
        except ChaosFailure as failure:
            self.lack = str(failure)

    def environment(self, name):
        """What a server is started with, so that its disk can be slow."""
        if self.lack:
            return dict(os.environ)
        return os.environ | {"LD_PRELOAD": self.library, "SLOW_DISK": self._file(name)}

    def slow_down(self, name, seconds):
        """From now on each sync takes so long; with 0 as long as the disk itself takes."""
        path = self._file(name)
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write(f"{seconds * 1000:.0f}")
        os.replace(path + ".new", path)

    def _file(self, name):
        return self.place.path(f"{name}.disk")
