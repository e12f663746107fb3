import os
import socket
import tempfile
import unittest

from bench import figures_commands, redis_commands, report
from bench.failure import BenchFailure
from bench.redis_commands import Commands, Monitor, counted, processed_commands, scripts
from bench.workplace import Workplace

LINES = [
    b'+1700000000.000001 [0 unix:/tmp/redis.sock] "EVALSHA" "aa01" "1" "key"\r\n',
    b'+1700000000.000002 [0 lua] "GET" "key"\r\n',
    b'+1700000000.000003 [0 lua] "EXISTS" "key"\r\n',
    b'+1700000000.000004 [0 127.0.0.1:1234] "hset" "key" "field" "EVALSHA"\r\n',
    b'+1700000000.000005 [0 127.0.0.1:1234] "evalsha" "bb02" "0"\r\n',
    b'+1700000000.000006 [0 lua] "SET" "key" "a \\"quoted\\" value"\r\n',
    b'+1700000000.000007 [0 127.0.0.1:1234] "PING"\r\n',
]


class CountingTests(unittest.TestCase):
    def test_commands_within_scripts_are_told_from_those_that_were_sent(self):
        self.assertEqual(counted(LINES, set()), Commands(sent=4, in_scripts=3))

    def test_a_polling_script_is_left_out_with_all_that_is_within_it(self):
        self.assertEqual(counted(LINES, {b"aa01"}), Commands(sent=3, in_scripts=1, polling=3))

    def test_scripts_are_known_by_their_hash_whatever_the_case_of_the_command(self):
        self.assertEqual(scripts(LINES), {b"aa01", b"bb02"})

    def test_a_field_of_info_is_found_at_the_begin_of_its_line(self):
        text = "# Stats\r\nnot_total_commands_processed:7\r\ntotal_commands_processed:42\r\n"
        self.assertEqual(redis_commands.info_field(text, "total_commands_processed"), 42)
        with self.assertRaises(BenchFailure):
            redis_commands.info_field(text, "uptime_in_seconds")


class TargetTests(unittest.TestCase):
    def test_a_start_takes_at_most_thirty_commands_for_a_thousand_devices(self):
        def figure(kind, sent):
            return figures_commands._figure(kind, 1000, [Commands(sent=sent, in_scripts=20)], [0.001])
        self.assertEqual([True, False], [figure("start", sent).is_met for sent in (10, 11)])
        self.assertEqual("at most 30", report.goal(figure("start", 10)))
        self.assertIsNone(figure("update", 11).is_met)


class RedisTests(unittest.TestCase):
    def setUp(self):
        # No program of Fanfare is started in it.
        self.place = self.enterContext(Workplace(tempfile.gettempdir()))
        self.path = self.place.path("redis.sock")
        self.redis = self.place.start("redis", [
            "redis-server", "--port", "0", "--unixsocket", self.path, "--save", ""])
        self.redis.wait_until("listening", lambda: os.path.exists(self.path))

    def send(self, command, replies):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(10)
            connection.connect(self.path)
            connection.sendall(command)
            answer = b""
            while answer.count(b"\r\n") < replies:
                answer += connection.recv(1000)

    def test_a_monitor_has_all_that_came_within_it_and_nothing_else(self):
        self.send(b"SET before 1\r\n", 1)
        with Monitor(self.path) as monitor:
            self.send(b'SET key 1\r\nEVAL "redis.call(\'GET\', KEYS[1]) return 1" 1 key\r\nGET key\r\n', 4)
        self.send(b"SET after 1\r\n", 1)
        self.assertEqual(counted(monitor.lines, set()), Commands(sent=3, in_scripts=1))

    def test_info_counts_what_is_within_scripts_as_well(self):
        before = processed_commands(self.path)
        self.send(b'EVAL "redis.call(\'GET\', KEYS[1]) return 1" 1 key\r\n', 1)
        # The script, what is in it, and the first question itself.
        self.assertEqual(processed_commands(self.path) - before, 3)

    def test_a_redis_that_goes_away_makes_the_measurement_fail(self):
        with self.assertRaises(BenchFailure):
            with Monitor(self.path):
                self.place.stop(self.redis)
