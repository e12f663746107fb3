"""A server that answers whatever a test says, byte for byte."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable


def reply(body: str | bytes, *headers: str, status: int = 200, media: str = "application/json") -> bytes:
    """A whole HTTP reply."""
    data = body.encode() if isinstance(body, str) else body
    head = [f"HTTP/1.1 {status} Said", f"Content-Type: {media}", f"Content-Length: {len(data)}", *headers]
    return "\r\n".join([*head, "", ""]).encode() + data


class ScriptedServer:
    """Answers each request on a connection of its own, with what `script` makes of its number and first line; with
    nothing, the connection is closed."""

    def __init__(self, script: Callable[[int, str], bytes]) -> None:
        self._script = script
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.heads: list[str] = []
        """Of each request, the first line and the headers."""
        self.bodies: list[bytes] = []
        """Of each request; in chunks if it came so."""
        self._stall: tuple[float, float] | None = None
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def stall(self, after: float, seconds: float) -> None:
        """Heads of replies come after so many seconds, and their bodies so many later."""
        self._stall = (after, seconds)

    def __enter__(self) -> ScriptedServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with contextlib.suppress(OSError), connection:
                    self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(10)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more(connection)
        head, _, body = received.partition(b"\r\n\r\n")
        text = head.decode("latin-1")
        if "transfer-encoding: chunked" in text.lower():
            while not body.endswith(b"0\r\n\r\n"):
                body += self._more(connection)
        else:
            length = int(text.lower().partition("content-length: ")[2].partition("\r\n")[0] or 0)
            while len(body) < length:
                body += self._more(connection)
        self.heads.append(text)
        self.bodies.append(body)
        answer = self._script(len(self.heads) - 1, text.partition("\r\n")[0])
        if self._stall is not None:
            time.sleep(self._stall[0])
            head, _, answer = answer.partition(b"\r\n\r\n")
            connection.sendall(head + b"\r\n\r\n")
            time.sleep(self._stall[1])
        connection.sendall(answer)

    @staticmethod
    def _more(connection: socket.socket) -> bytes:
        data = connection.recv(65536)
        if not data:
            raise OSError("the client is gone")
        return data
