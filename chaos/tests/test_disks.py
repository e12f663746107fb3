import os
import sys
import time
import unittest

from harness.disks import Disks
from harness.place import Place

_SYNC = [sys.executable, "-c", """
import os
with open("data", "w") as file:
    print("up", flush=True)
    os.{0}(file.fileno())
    print("synced", flush=True)
"""]


class DisksTests(unittest.TestCase):
    """On a program that syncs a file once."""

    def setUp(self):
        self.place = Place("/bin/true")
        self.place.__enter__()
        self.addCleanup(self.place.__exit__)
        self.disks = Disks(self.place)
        self.assertIsNone(self.disks.lack)

    def start(self, sync, name):
        arguments = [each.format(sync) for each in _SYNC]
        return self.place.start(name, arguments, self.disks.environment("server"))

    def test_a_sync_takes_as_long_as_it_is_told(self):
        for sync in ("fsync", "fdatasync"):
            self.disks.slow_down("server", 0.3)
            begin = time.monotonic()
            server = self.start(sync, sync)
            server.process.wait(30)
            self.assertIn("synced", server.said())
            self.assertGreaterEqual(time.monotonic() - begin, 0.3)

    def test_a_disk_that_is_well_again_ends_a_sync_at_once(self):
        self.disks.slow_down("server", 3600)
        server = self.start("fdatasync", "program")
        server.wait_until("up", lambda: "up" in server.said())
        self.disks.slow_down("server", 0)
        server.process.wait(30)
        self.assertIn("synced", server.said())

    def test_the_others_disks_are_as_they_are(self):
        self.disks.slow_down("another", 3600)
        server = self.start("fsync", "program")
        server.process.wait(30)
        self.assertIn("synced", server.said())

    def test_without_a_compiler_it_is_said_and_servers_start_all_the_same(self):
        disks = Disks(self.place, compilers=("no-such-compiler",))
        self.assertIn("there is no C compiler", disks.lack)
        self.assertEqual(dict(os.environ), disks.environment("server"))


if __name__ == "__main__":
    unittest.main()
