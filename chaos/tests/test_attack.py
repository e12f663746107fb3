import json
import os
import socket
import subprocess
import sys
import threading
import time
import unittest

from attack import attacks, bounds, comparison, lasting, report
from attack.attacks import hostile, signatures, strangers, webhooks
from attack.neighbour import life, signature, signature_of_device
from attack.raid import Raid
from attack.raider import rendered
from attack.samples import Sample, percentile, stretch
from attack.siege import Check, Result
from attack.watch import Reading, descriptors, peak, resident
from attack.wire import AnswerReader, BrokenAnswer, request


class _Server:
    """Answers every request with 200, or as `answers` says, and counts them."""

    def __init__(self, test, answer=b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"):
        self.listener, self.answer, self.requests, self.connections = socket.create_server(("127.0.0.1", 0)), answer, 0, 0
        self.port = self.listener.getsockname()[1]
        test.addCleanup(self.listener.close)
        # What is in accept learns of it.
        test.addCleanup(self.listener.shutdown, socket.SHUT_RDWR)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        rest = b""
        with connection:
            while data := connection.recv(65536):
                *whole, rest = (rest + data).split(b"\r\n\r\n")
                for _ in whole:
                    self.requests += 1
                    connection.sendall(self.answer)


class WireTests(unittest.TestCase):
    def test_answers_are_read_wherever_they_are_split(self):
        data = (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 503 Not\r\nX-Request-Id: r\r\n"
                b"Transfer-Encoding: chunked\r\n\r\n2;a=b\r\n{\"\r\n7\r\ncode\":1\r\n1\r\n}\r\n0\r\n\r\nHTTP/1.1 204 No\r\n\r\n")
        for at in range(len(data)):
            reader = AnswerReader()
            found = reader.feed(data[:at]) + reader.feed(data[at:])
            self.assertEqual([200, 503, 204], [answer.status for answer in found], f"at {at}")
            self.assertEqual(b"abc", found[0].body)
            self.assertEqual(1, found[1].code)
            self.assertEqual("r", found[1].header("x-request-id"))

    def test_what_is_no_http_is_told(self):
        with self.assertRaises(BrokenAnswer):
            AnswerReader().feed(b"SSH-2.0-none\r\n\r\n")

    def test_a_request_has_its_length_and_its_fields(self):
        self.assertEqual(b"PUT /a HTTP/1.1\r\nHost: fanfare\r\nX-A: b\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{\"c\": 1}",
                         request("PUT", "/a", {"X-A": "b"}, {"c": 1}))

    def test_a_template_gets_a_number_wherever_it_has_the_mark(self):
        data = rendered({"method": "PUT", "path": "/@@", "body": '{"a":"x-@@"}'}, 17)
        self.assertIn(b"PUT /17 ", data)
        self.assertTrue(data.endswith(b'{"a":"x-17"}'))


class SampleTests(unittest.TestCase):
    def test_percentiles_are_nearest_ranks(self):
        values = list(range(1, 101))
        self.assertEqual((50, 99, 100, 1), tuple(percentile(values, share) for share in (0.5, 0.99, 1, 0)))
        self.assertEqual(0.0, percentile([], 0.5))

    def test_a_stretch_has_the_calls_that_were_made_in_it(self):
        samples = [Sample(at, "start", at / 10, "503" if at == 3 else None) for at in range(6)]
        found = stretch(samples, 2, 5)
        self.assertEqual((3, {"start: 503": 1}, 0.4), (found.calls, found.failures, found.longest))
        self.assertAlmostEqual(200 / 3, found.success)

    def test_small_latencies_are_not_told_apart(self):
        self.assertEqual(bounds.LATENCY_FLOOR, bounds.latency(0.001))
        self.assertEqual(0.2, bounds.latency(0.1))

    def test_memory_is_bounded_by_the_budget_of_bodies_and_by_the_connections(self):
        self.assertEqual(256 << 20, bounds.resident(-3))
        self.assertEqual((256 << 20) + 2_000 * 65_536, bounds.resident(2_000))

    def test_the_most_of_a_stretch_is_of_each_gateway(self):
        readings = [Reading(1, (9, 9), (9, 9), 9, 9), Reading(2, (1, 4), (5, 2), 3, 1), Reading(3, (2, 3), (1, 6), 2, 2)]
        self.assertEqual(Reading(3, (2, 4), (5, 6), 3, 2), peak(readings, 2, 4))
        self.assertIsNone(peak(readings, 5, 6))

    def test_memory_and_descriptors_of_a_process_are_read(self):
        before = descriptors(os.getpid())
        with open(os.devnull, encoding="ascii"):
            self.assertEqual(before + 1, descriptors(os.getpid()))
        self.assertGreater(resident(os.getpid()), 1 << 20)


class RaiderTests(unittest.TestCase):
    def test_a_flood_is_bounded_by_its_count(self):
        server = _Server(self)
        with Raid("flood", ports=[server.port], connections=3, depth=4, count=50, seconds=20,
                  templates=[{"method": "GET", "path": "/@@"}]) as raid:
            raid.wait(20)
        self.assertEqual((50, {"200": 50}), (raid.tally["sent"], raid.tally["answers"]))
        self.assertEqual((50, 3), (server.requests, server.connections))

    def test_refusals_are_counted_by_their_code(self):
        body = json.dumps({"code": "RATE_LIMITED"}).encode()
        server = _Server(self, b"HTTP/1.1 429 Many\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        with Raid("flood", ports=[server.port], connections=1, depth=5, count=5, seconds=20,
                  templates=[{"method": "GET", "path": "/"}]) as raid:
            raid.wait(20)
        self.assertEqual({"429 RATE_LIMITED": 5}, raid.tally["answers"])

    def test_connections_are_held_until_the_siege_says_so(self):
        server = _Server(self)
        with Raid("hold", ports=[server.port], connections=20, seconds=60, opening="GET / HTTP/1.1\r\nX: ", padding=10) as raid:
            self.assertTrue(raid.wait_until_ready(20))
        self.assertEqual(20, raid.tally["answers"]["still open"])
        self.assertEqual(0, server.requests)

    def test_it_ends_when_whoever_started_it_is_killed(self):
        server = _Server(self)
        spec = json.dumps({"play": "hold", "ports": [server.port], "connections": 1, "seconds": 300})
        program = ("import json, sys\nfrom attack.raid import Raid\n"
                   f"raid = Raid(**json.loads({spec!r})).__enter__()\nraid.wait_until_ready(20)\n"
                   "print(raid.process.pid, flush=True)\nsys.stdin.read()\n")
        parent = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        pid = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        parent.stdin.close()
        parent.stdout.close()
        deadline = time.monotonic() + 20
        while os.path.exists(f"/proc/{pid}") and _state(pid) != "Z":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)


def _state(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


class AttackTests(unittest.TestCase):
    def test_attacks_have_names_of_their_own(self):
        names = [attack.NAME for attack in attacks.ALL]
        self.assertEqual(len(names), len(set(names)))
        for attack in attacks.ALL:
            self.assertEqual(attack.__name__.rsplit(".", 1)[1], attack.NAME)

    def test_a_hidden_request_stands_behind_each_framing(self):
        tenant = {"api_key": "k", "sdk_key": "s"}
        cases = list(hostile.smuggling(tenant, "kept"))
        self.assertEqual(len(cases), len({data for _, data in cases}))
        for what, data in cases:
            self.assertIn(b"DELETE /api/v1/segments/kept HTTP/1.1\r\n", data.partition(b"\r\n\r\n")[2], what)

    def test_a_stranger_asks_the_same_of_what_is_and_of_what_is_not(self):
        for kind in ("activity", "broadcast", "webhook", "segment", "topic"):
            pairs = zip(strangers.calls(kind, "A"), strangers.calls(kind, "B"))
            for (method, path, body), (other_method, other_path, other_body) in pairs:
                self.assertEqual((method, path), (other_method, other_path.replace("B", "A")))
                self.assertEqual(json.dumps(body), json.dumps(other_body).replace('"B"', '"A"'))

    def test_webhooks_name_this_machine_in_many_ways(self):
        self.assertGreater(len(set(webhooks.urls(1))), 20)

    def test_the_neighbour_lives_a_whole_life(self):
        steps = life(0, 1, [{"insider_id": "a", "udid": "b"}])
        calls, answer = [], None
        try:
            while True:
                calls.append(steps.send(answer))
                answer = {"activity_id": "id"}
        except StopIteration:
            pass
        self.assertEqual(["device", "token", "upload", "register", "start", "sync", "listing", "update", "status", "end"],
                         [call.kind for call in calls])
        self.assertTrue(all(call.body["activity_id"] == "id" for call in calls if call.kind in ("start", "sync", "update", "end")))

    def test_a_signature_is_the_hmac_of_the_user(self):
        self.assertEqual("f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8",
                         signature("key", "The quick brown fox jumps over the lazy dog"))


    def test_signatures_are_those_of_the_api_guide(self):
        secret = "ffi_000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f"
        self.assertEqual("a736db214580426bb76e87e5d82e63eba0c02a804081fc448ef2d58085ad9127", signature(secret, "ann"))
        self.assertEqual("v2.1795500000.0b9bb6aba7ce4fd059d1992f2dd36028f87cb68e965cb69d0247426114d490c0",
                         signature_of_device(secret, "ann", "phone-1", 1795500000))

    def test_one_signature_of_all_is_right(self):
        tenant, other = {"identity_secret": "one"}, {"identity_secret": "other"}
        cases = list(signatures.of_devices(tenant, other, 1_000_000))
        right = signature_of_device("one", "ann", "phone", 1_003_600)
        self.assertEqual([200], [statuses[0] for _, user, device, value, statuses in cases
                                 if (user, device, value) == ("ann", "phone", right)])
        self.assertEqual(1, sum(statuses == (200,) for *_, statuses in cases))


class LastingTests(unittest.TestCase):
    def test_what_nobody_takes_away_must_go_by_itself(self):
        kept = ["fanfare:tenants", "fanfare:layout", "fanfare:{u:3f0c:ann}", "fanfare:{g:3f}:s:vip", "fanfare:{17}:due", "fanfare:{news}:jobs", "fanfare:{t:3f0c}:use", "fanfare:{5fea4c84-a29c-4c6a-933d-421c57127523.0}:g:0"]
        found = lasting.lasting([(name, -1) for name in kept] + [
            ("fanfare:{r:3f0c}:12", -1), ("fanfare:{r:9a}:13", -1), ("fanfare:{r:9a}:14", 5), ("fanfare:{e:3f}:x", -1), ("fanfare:{1}:gone", -2)])
        self.assertEqual({"fanfare:{r:*}:*": 2, "fanfare:{e:*}:x": 1}, dict(found))


class ReportTests(unittest.TestCase):
    @staticmethod
    def _result(*checks):
        samples = [Sample(0, "start", 0.001, None)]
        reading = Reading(0, (50 << 20,), (30,), 5 << 20, 100)
        return Result("devices", "made-up devices", list(checks), sent=3, peace=stretch(samples, 0, 1),
                      attacked=stretch(samples, 0, 1), before=reading, peak=reading, after=reading)

    def test_what_does_not_hold_is_told(self):
        result = self._result(Check("good", True), Check("bad", False), Check("slow", False, is_timed=True))
        self.assertEqual(["bad", "slow"], [check.text for _, check in report.violations([result])])
        self.assertEqual(["bad"], [check.text for _, check in report.violations([result], is_timed=False)])
        self.assertIn("| 1 of 3 |", report.table([result]))

    def test_two_sieges_stand_side_by_side(self):
        before = report.record([self._result(Check("bad", False))])
        now = report.record([self._result(Check("good", True))])
        lines = comparison.table(before, now).splitlines()
        self.assertEqual(["| devices, before ", "| **devices** "], [line[:line.index("| ", 2)] for line in lines[2:]])
        self.assertEqual(({"devices": (1, 1)}, {"devices": (0, 1)}), (comparison.not_held(before), comparison.not_held(now)))

    def test_the_record_is_json(self):
        record = json.loads(json.dumps(report.record([self._result(Check("good", True))], seed="1")))
        self.assertEqual((100.0, 31457280 + 20971520), (record["attacks"][0]["neighbour"]["attack"]["success"],
                                                        record["attacks"][0]["readings"]["peak"]["resident"][0]))
