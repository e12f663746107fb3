import base64
import io
import json
import socket
import threading
import unittest

from harness import ledger
from harness.inventory import ended_in_activity, first_starts, read_ended
from harness.people import People
from harness.relay import Relay
from harness.resp import RedisError, read_reply


def _line(**more):
    payload = {"aps": {"timestamp": 1700, "event": "update", "content-state": {"call": 5, "activity": 2}}}
    record = {"time": 1_700_000_000_123, "path": "/3/device/ab01", "payload": base64.b64encode(
        json.dumps(payload).encode()).decode(), "headers": {"apns-id": "11111111-1111-4111-8111-111100000007"},
        "status": 200, "answer_sent": True, "connection": 3, "stream": 5}
    return json.dumps(record | more)


class LedgerTests(unittest.TestCase):
    def test_a_line_is_a_push(self):
        push = ledger.read_line(_line(), 4)
        self.assertEqual(("ab01", "update", 1700, 2, 5, 200), (
            push.token, push.event, push.timestamp, push.activity, push.call, push.status))
        self.assertEqual("11111111-1111-4111-8111-1111", push.broadcast)
        self.assertAlmostEqual(1_700_000_000.123, push.time)

    def test_a_line_without_a_status_had_no_answer(self):
        record = json.loads(_line(answer_sent=False))
        del record["status"]
        push = ledger.read_line(json.dumps(record), 4)
        self.assertIsNone(push.status)
        self.assertIn("no answer", str(push))
        self.assertTrue(push.may_be_delivered)

    def test_a_refused_stream_was_not_delivered(self):
        record = json.loads(_line(answer_sent=False, reset=ledger.REFUSED_STREAM))
        del record["status"]
        self.assertFalse(ledger.read_line(json.dumps(record), 4).may_be_delivered)
        self.assertTrue(ledger.read_line(_line(answer_sent=False), 4).may_be_delivered)
        self.assertFalse(ledger.read_line(_line(status=503), 4).may_be_delivered)


class InventoryTests(unittest.TestCase):
    def test_a_field_says_what_a_record_said(self):
        self.assertEqual(
            {"kind": "update", "state": "failed", "created_at": "1700000000123", "finished_at": "1700000000193",
             "timestamp": "1700000002"},
            read_ended(b"uf1700000000123 5 70 2 1 3     Odd One=2"))
        self.assertEqual({"kind": "start", "state": "superseded", "created_at": "1999", "timestamp": "1"},
                         read_ended(b"ss1999"))
        activity = "9952f218-426a-42ce-b74b-76b3388edca1"
        fields = {"created_at": b"1700000000000", "order": b"2", "ended": b"2", "97878b303dfa": b"ud+123 5",
                  "0878b303dfab": b"us-1"}
        self.assertEqual({
            "9952f218-426a-42ce-b74b-97878b303dfa": {
                "activity": activity, "kind": "update", "state": "done", "created_at": "1700000000123",
                "timestamp": "1700000000"},
            "9952f218-426a-42ce-b74b-0878b303dfab": {
                "activity": activity, "kind": "update", "state": "superseded", "created_at": "1699999999999",
                "timestamp": "1699999999"}}, ended_in_activity(activity, fields))

    def test_the_first_start_had_the_lock(self):
        records = {"a": {"activity": "x", "kind": "start", "created_at": "900"},
                   "b": {"activity": "x", "kind": "start", "created_at": "70"},
                   "c": {"activity": "x", "kind": "update", "created_at": "1"},
                   "d": {"activity": "y", "kind": "start"}}
        self.assertEqual({"x": "b"}, first_starts(records))


class RedisReplyTests(unittest.TestCase):
    def read(self, text):
        return read_reply(io.BytesIO(text))

    def test_replies(self):
        self.assertEqual(b"OK", self.read(b"+OK\r\n"))
        self.assertEqual(12, self.read(b":12\r\n"))
        self.assertIsNone(self.read(b"$-1\r\n"))
        self.assertEqual([b"a\r\n", [1]], self.read(b"*2\r\n$3\r\na\r\n\r\n*1\r\n:1\r\n"))

    def test_errors_and_broken_connections_are_errors(self):
        for text in (b"-ERR no\r\n", b"$5\r\nab", b"", b"?\r\n", b"+OK"):
            with self.assertRaises(RedisError):
                self.read(text)


class PeopleTests(unittest.TestCase):
    def test_tokens_are_hexadecimal_and_all_different(self):
        people = People(50, "1")
        tokens = [people.start_token(number) for number in range(50)]
        tokens += [people.update_token(activity, number) for number in range(50) for activity in range(3)]
        self.assertEqual(len(tokens), len(set(tokens)))
        for token in tokens:
            self.assertEqual(0, len(bytes.fromhex(token)) % 2)


class RelayTests(unittest.TestCase):
    def setUp(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.server.close)
        self.relay = Relay(self.server.getsockname()[1])
        self.addCleanup(self.relay.__exit__)

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.relay.port), timeout=10)
        self.addCleanup(client.close)
        return client

    def accept(self):
        peer, _ = self.server.accept()
        peer.settimeout(10)
        self.addCleanup(peer.close)
        return peer

    def test_bytes_go_both_ways_whole(self):
        client, data = self.connect(), bytes(range(256)) * 8000
        peer = self.accept()
        writer = threading.Thread(target=client.sendall, args=(data,))
        writer.start()
        received = bytearray()
        while len(received) < len(data):
            received += peer.recv(1 << 16)
        writer.join()
        self.assertEqual(data, received)
        peer.sendall(b"yes")
        self.assertEqual(b"yes", client.recv(3))

    def test_a_reset_reaches_both_sides(self):
        client = self.connect()
        peer = self.accept()
        client.sendall(b"x")
        self.assertEqual(b"x", peer.recv(1))
        self.relay.reset_all()
        for each in (client, peer):
            with self.assertRaises(ConnectionResetError):
                each.recv(1)

    def test_the_end_of_one_side_reaches_the_other(self):
        client = self.connect()
        peer = self.accept()
        peer.sendall(b"bye")
        peer.close()
        self.assertEqual(b"bye", client.recv(10))
        self.assertEqual(b"", client.recv(10))

    def test_refused_attempts_never_reach_the_server(self):
        self.relay.refuse(True)
        # The reset may come before the client knows that it is connected.
        with self.assertRaises(OSError):
            client = self.connect()
            if client.recv(1) == b"":
                raise ConnectionResetError
        self.server.settimeout(0.2)
        with self.assertRaises(TimeoutError):
            self.server.accept()
