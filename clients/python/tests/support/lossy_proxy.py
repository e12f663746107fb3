"""A proxy before the gateway that loses answers, or requests half-way, as a network does."""

from __future__ import annotations

import contextlib
import socket
import threading


class LossyProxy:
    """Passes bytes on between clients and the gateway at a port of this machine; loses what it is told to."""

    def __init__(self, port: int) -> None:
        self._upstream = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.lost = 0
        """How many answers or requests were lost."""
        self._answers_to_lose = 0
        self._cut_request_after: int | None = None
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def lose_answers(self, count: int) -> None:
        """The next answers reach nobody: the gateway has given them, and the connection breaks off."""
        with self._lock:
            self._answers_to_lose = count

    def cut_request(self, after: int) -> None:
        """The next connection that has sent so many bytes breaks off, once."""
        with self._lock:
            self._cut_request_after = after

    def break_connections(self) -> None:
        """All connections that are open now break off."""
        with self._lock:
            for end in self._open:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.close()

    def __enter__(self) -> LossyProxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                upstream = socket.create_connection(("127.0.0.1", self._upstream))
                with self._lock:
                    self._open |= {client, upstream}
                for source, target, is_answer in ((client, upstream, False), (upstream, client, True)):
                    threading.Thread(target=self._pass_on, args=(source, target, is_answer), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, is_answer: bool) -> None:
        passed = 0
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                passed += len(data)
                if self._is_to_be_lost(passed, is_answer):
                    break
                target.sendall(data)
        with self._lock:
            self._open -= {source, target}
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _is_to_be_lost(self, passed: int, is_answer: bool) -> bool:
        with self._lock:
            if is_answer and self._answers_to_lose > 0:
                self._answers_to_lose -= 1
            elif not is_answer and self._cut_request_after is not None and passed > self._cut_request_after:
                self._cut_request_after = None
            else:
                return False
            self.lost += 1
            return True
