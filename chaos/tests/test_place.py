import os
import signal
import sys
import threading
import unittest

from harness.place import Place, free_ports

_SLEEP = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)"]


class PlaceTests(unittest.TestCase):
    def test_whatever_happens_processes_end_and_files_go(self):
        with self.assertRaises(ZeroDivisionError):
            with Place("/bin/true") as place:
                server = place.start("sleeper", _SLEEP)
                server.wait_until("up", lambda: "up" in server.said())
                server.send(signal.SIGSTOP)
                raise ZeroDivisionError
        self.assertFalse(server.is_running)
        self.assertFalse(os.path.exists(place.directory))

    def test_a_process_outlives_the_thread_that_asked_for_it(self):
        with Place("/bin/true") as place:
            servers = []
            thread = threading.Thread(target=lambda: servers.append(place.start("sleeper", _SLEEP)))
            thread.start()
            thread.join()
            servers[0].wait_until("up", lambda: "up" in servers[0].said())
            self.assertTrue(servers[0].is_running)

    def test_a_log_goes_on_when_a_process_is_started_again(self):
        with Place("/bin/true") as place:
            server = place.start("sleeper", _SLEEP)
            server.wait_until("up", lambda: server.said().count("up") == 1)
            server.kill()
            server.start()
            server.wait_until("up", lambda: server.said().count("up") == 2)

    def test_free_ports_are_different(self):
        self.assertEqual(5, len(set(free_ports(5))))
