import socket
import threading
import unittest

from bench import figures_small, keep_alive, redis_keys, redis_yardstick, wrk
from bench.failure import BenchFailure

_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


class AnswerTests(unittest.TestCase):
    def test_an_answer_is_as_long_as_its_head_says(self):
        self.assertEqual(keep_alive.answer_length(_ANSWER), len(_ANSWER))
        self.assertEqual(keep_alive.body_of(_ANSWER), b"{}")

    def test_a_head_that_is_not_whole_has_no_length_yet(self):
        self.assertIsNone(keep_alive.answer_length(_ANSWER[:30]))

    def test_an_answer_without_a_length_is_a_failure(self):
        with self.assertRaises(BenchFailure):
            keep_alive.answer_length(b"HTTP/1.1 200 OK\r\n\r\n")

    def test_a_refusal_is_a_failure_that_tells_its_text(self):
        with self.assertRaisesRegex(BenchFailure, "too many"):
            keep_alive.check_answer(b"HTTP/1.1 429 X\r\n\r\ntoo many")


class TimeTests(unittest.TestCase):
    def test_a_percentile_is_a_value_that_was_measured(self):
        values = list(range(1, 101))
        self.assertEqual([keep_alive.percentile(values, each) for each in (0.5, 0.99, 1.0)], [50, 99, 100])
        self.assertEqual(keep_alive.percentile([7], 0.99), 7)

    def test_times_due_grow_and_have_the_rate(self):
        times = keep_alive.poisson(10_000, 500, seed=1)
        self.assertEqual(times, sorted(times))
        self.assertAlmostEqual(times[-1], 20, delta=1)


class LoopTests(unittest.TestCase):
    """Against a server that answers in halves, with the number that it was sent."""

    def setUp(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.listener.close)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    @staticmethod
    def _answer(connection):
        with connection:
            while data := connection.recv(65_536):
                body = keep_alive.body_of(data)
                answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
                connection.sendall(answer[:20])
                connection.sendall(answer[20:])

    def _requests(self, count):
        return [keep_alive.request(self.port, "/", b"%d" % number, {}) for number in range(count)]

    def test_each_call_gets_its_own_answer(self):
        seen = {}
        keep_alive.all_of(self.port, self._requests(200), 8, seen.__setitem__)
        self.assertEqual(seen, {number: b"%d" % number for number in range(200)})

    def test_calls_wait_for_their_times(self):
        loop = keep_alive.at_times(self.port, self._requests(20), [number / 100 for number in range(20)], 4)
        self.assertGreaterEqual(loop.seconds, 0.19)
        self.assertEqual(len(loop.waited), 20)
        self.assertEqual(len(loop.late), 20)

    def test_one_after_the_other_has_a_time_for_each(self):
        self.assertEqual(len(keep_alive.one_by_one(self.port, self._requests(10))), 10)


class ReadingTests(unittest.TestCase):
    def test_wrk_tells_calls_and_refusals(self):
        load = wrk.read("  8300 requests in 2.00s, 1.53MB read\n  Non-2xx or 3xx responses: 12\n"
                        "  Socket errors: connect 0, read 1, write 0, timeout 2\n", 0.5)
        self.assertEqual((load.calls, load.seconds, load.rate, load.refused, load.errors), (8300, 2.0, 4150, 12, 3))
        self.assertEqual(wrk.read("100 requests in 500.00ms, 1KB read", 0).rate, 200)

    def test_what_is_no_report_of_wrk_is_a_failure(self):
        with self.assertRaises(BenchFailure):
            wrk.read("unable to connect", 0)

    def test_redis_benchmark_tells_a_rate(self):
        self.assertEqual(redis_yardstick.rate("SET: rps=1.0\rSET: 160256.41 requests per second, p50=0.2 msec\n"),
                         160256.41)

    def test_h2loads_log_has_microseconds(self):
        self.assertEqual(figures_small.read_times("1\t200\t54\n2\t200\t100\n"), [54e-6, 100e-6])
        with self.assertRaises(BenchFailure):
            figures_small.read_times("1\t400\t54\n")

    def test_commandstats_are_counted_by_command(self):
        text = "# Commandstats\r\ncmdstat_hset:calls=12,usec=3\r\ncmdstat_script|load:calls=1,usec=3\r\n"
        self.assertEqual(redis_keys.parse_command_counts(text), {"HSET": 12, "SCRIPT|LOAD": 1})


class KeyTests(unittest.TestCase):
    ID = "4978e9e5-e872-46c3-97e6-dca11aa6a53e"

    def test_keys_of_one_kind_have_one_form(self):
        self.assertEqual(redis_keys.form(f"fanfare:{{12}}:a:{self.ID}:b:{self.ID}"), "fanfare:{N}:a:ID:b:ID")
        self.assertEqual(redis_keys.form(f"fanfare:{{{self.ID}.0}}:u:3"), "fanfare:{ID.N}:u:N")
        self.assertEqual(redis_keys.form("fanfare:{u:tenant:user-1}"), "fanfare:{u}")
        self.assertEqual(redis_keys.form("fanfare:{b:4978e9e5e87246c3}"), "fanfare:{b:ID}")

    def test_what_has_come_is_told_for_each(self):
        before = {"a": redis_keys.KeyKind(10, 1000, 10, 1000)}
        after = {"a": redis_keys.KeyKind(30, 5000, 30, 5000), "b": redis_keys.KeyKind(20, 8000, 0, 0)}
        rows = redis_keys.difference(after, before, 20)
        self.assertEqual(list(rows), ["b", "a"])
        self.assertEqual(rows["a"], {"keys": 1, "bytes": 200, "lasting_keys": 1, "lasting_bytes": 200})
        self.assertEqual(rows["b"]["lasting_keys"], 0)

    def test_records_are_told_from_what_only_runs(self):
        for form in ("fanfare:{N}:a:ID:b:ID", "fanfare:{N}:a:ID:ended"):
            self.assertTrue(figures_small.is_record(form))
        self.assertFalse(figures_small.is_record("fanfare:{ID.N}:u:N"))
