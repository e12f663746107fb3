import socket
import unittest

from harness.relay import Relay


class RelayTests(unittest.TestCase):
    """A server that sends back what it gets, with a relay in front of it."""

    def setUp(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.relay = Relay(self.server.getsockname()[1])
        self.addCleanup(self.server.close)
        self.addCleanup(self.relay.__exit__)
        self.client, self.far = self.connect()

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.relay.port), timeout=10)
        self.addCleanup(client.close)
        far, _ = self.server.accept()
        far.settimeout(10)
        self.addCleanup(far.close)
        return client, far

    def test_it_passes_on_what_is_said(self):
        self.client.sendall(b"there")
        self.assertEqual(b"there", self.far.recv(10))
        self.far.sendall(b"and back")
        self.assertEqual(b"and back", self.client.recv(10))

    def test_what_is_said_while_it_holds_arrives_afterwards(self):
        self.relay.hold(True)
        self.client.sendall(b"later")
        self.client.settimeout(0.2)
        with self.assertRaises(TimeoutError):
            self.client.recv(1)
        self.far.settimeout(0.01)
        with self.assertRaises(TimeoutError):
            self.far.recv(1)
        self.far.settimeout(10)
        self.relay.hold(False)
        self.assertEqual(b"later", self.far.recv(10))

    def test_connections_are_reset_and_new_ones_refused_until_it_accepts_again(self):
        self.relay.refuse(True)
        self.relay.reset_all()
        with self.assertRaises(ConnectionError):
            if not self.client.recv(1):
                raise ConnectionError
        with self.assertRaises(ConnectionError), socket.create_connection(
                ("127.0.0.1", self.relay.port), timeout=10) as refused:
            if not refused.recv(1):
                raise ConnectionError
        self.relay.refuse(False)
        client, far = self.connect()
        client.sendall(b"again")
        self.assertEqual(b"again", far.recv(10))

    def test_it_tells_by_which_door_each_connection_came(self):
        with Relay(self.server.getsockname()[1], 3) as relay:
            for door in (2, 0, 1, 2):
                client = socket.create_connection(("127.0.0.1", relay.ports[door]), timeout=10)
                self.addCleanup(client.close)
                far, _ = self.server.accept()
                self.addCleanup(far.close)
                client.sendall(b"x")
                far.recv(1)
            self.assertEqual([2, 0, 1, 2], relay.doors)
