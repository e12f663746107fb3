"""A relay in front of a server, so that connections can be reset, attempts refused, and packets swallowed at any moment."""

import selectors
import socket
import struct
import threading

#: SO_LINGER with time 0: close() sends a reset and forgets what was not sent yet.
_RESET = struct.pack("ii", 1, 0)
_CHUNK = 1 << 16
#: No more is taken from one side than the other has room for.
_BACKLOG = 1 << 18


class _Pipe:
    """One way of a connection: what was read from one socket and waits for the other."""

    def __init__(self, source, sink):
        self.source, self.sink = source, sink
        self.waiting = bytearray()
        self.is_at_end = False


class Relay:
    """TCP on loopback, carried by a thread of its own. It listens at as many ports as there are to be told apart."""

    def __init__(self, target_port, doors=1):
        self.target = ("127.0.0.1", target_port)
        self.selector = selectors.DefaultSelector()
        self.listeners = [socket.create_server(("127.0.0.1", 0), backlog=128) for _ in range(doors)]
        self.ports = [each.getsockname()[1] for each in self.listeners]
        self.port = self.ports[0]
        #: By which of the ports they came: the connections to the target, in the order in which it accepts them.
        self.doors = []
        self.waker, self.wakened = socket.socketpair()
        self.wakened.setblocking(False)
        self.pairs = {}
        self.orders = []
        self.is_refusing = False
        self.is_holding = False
        self.is_closing = False
        self.resets = 0
        for each in self.listeners:
            each.setblocking(False)
            self.selector.register(each, selectors.EVENT_READ)
        self.selector.register(self.wakened, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self._carry, name="relay", daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_closing = True
        self.waker.send(b"x")
        self.thread.join(5)

    def reset_all(self):
        """Every connection ends with a reset on both sides."""
        self._carry_out(self._reset_all)

    def refuse(self, is_refusing):
        """From now on attempts to connect are reset at once, or accepted again."""
        self._carry_out(lambda: setattr(self, "is_refusing", is_refusing))

    def hold(self, is_holding):
        """From now on nothing is passed on, as when packets are lost; attempts to connect hang. Afterwards what was sent
        meanwhile arrives."""
        self._carry_out(lambda: setattr(self, "is_holding", is_holding))

    def _carry_out(self, order):
        """By the thread that carries; done when this returns."""
        done = threading.Event()
        self.orders.append((order, done))
        self.waker.send(b"x")
        done.wait(5)

    def _carry(self):
        while not self.is_closing:
            if self.is_holding:
                self.wakened.settimeout(1)
                try:
                    self.wakened.recv(1024)
                except TimeoutError:
                    pass
                self.wakened.setblocking(False)
            for key, events in () if self.is_holding else self.selector.select(1):
                if key.fileobj in self.listeners:
                    self._accept(key.fileobj)
                elif key.fileobj is self.wakened:
                    self.wakened.recv(1024)
                elif key.fileobj in self.pairs:
                    self._move(key.fileobj, events)
            while self.orders:
                order, done = self.orders.pop(0)
                order()
                done.set()
        for each in [*self.pairs, *self.listeners, self.waker, self.wakened]:
            each.close()

    def _reset_all(self):
        for each in list(self.pairs):
            if each in self.pairs:
                self.resets += 1
                self._end(each)

    def _accept(self, listener):
        try:
            client, _ = listener.accept()
        except OSError:
            return
        if self.is_refusing:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            client.close()
            return
        try:
            server = socket.create_connection(self.target, timeout=2)
        except OSError:
            client.close()
            return
        self.doors.append(self.listeners.index(listener))
        to_server, to_client = _Pipe(client, server), _Pipe(server, client)
        for one, reading, writing in ((client, to_server, to_client), (server, to_client, to_server)):
            one.setblocking(False)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.pairs[one] = (reading, writing)
            self.selector.register(one, selectors.EVENT_READ)

    def _move(self, one, events):
        reading, writing = self.pairs[one]
        try:
            if events & selectors.EVENT_READ:
                data = one.recv(_CHUNK)
                reading.waiting += data
                reading.is_at_end = not data
            for pipe in (reading, writing):
                if pipe.waiting:
                    try:
                        del pipe.waiting[:pipe.sink.send(pipe.waiting)]
                    except BlockingIOError:
                        pass
        except BlockingIOError:
            pass
        except OSError:
            return self._end(one)
        if any(pipe.is_at_end and not pipe.waiting for pipe in (reading, writing)):
            return self._end(one, orderly=True)
        for each in (reading.source, reading.sink):
            self._watch(each)
        return None

    def _watch(self, one):
        reading, writing = self.pairs[one]
        events = 0
        if len(reading.waiting) < _BACKLOG and not reading.is_at_end:
            events |= selectors.EVENT_READ
        if writing.waiting:
            events |= selectors.EVENT_WRITE
        # A selector does not take an empty set; a write that is due at once costs one turn.
        self.selector.modify(one, events or selectors.EVENT_WRITE)

    def _end(self, one, orderly=False):
        reading, _ = self.pairs[one]
        for each in (reading.source, reading.sink):
            self.selector.unregister(each)
            del self.pairs[each]
            if not orderly:
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            each.close()
