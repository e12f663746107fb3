"""What a Redis is asked to do, as it tells itself: INFO and MONITOR."""

import re
import socket
import threading
from dataclasses import dataclass

from .failure import BenchFailure

#: Longer than anything that a Redis on this machine takes to answer.
_PATIENCE = 30
_END = b"the end of what is counted"
_LINE = re.compile(rb'^\+[\d.]+ \[\d+ ([^\]]*)\] "([^"]*)"(?: "([^"]*)")?')


def processed_commands(path):
    """How many commands the Redis on this unix socket has carried out so far, those within scripts included."""
    return info_field(_ask(path, b"INFO stats\r\n", b"latest_fork_usec"), "total_commands_processed")


def calls_by_command(path):
    """How often each command was carried out so far, those within scripts included."""
    text = _ask(path, b"INFO commandstats\r\n", b"\r\n\r\n")
    return {name: int(calls) for name, calls in re.findall(r"^cmdstat_([^:]+):calls=(\d+)", text, re.MULTILINE)}


def info_field(text, name):
    match = re.search(rf"^{name}:(\d+)", text, re.MULTILINE)
    if match is None:
        raise BenchFailure(f"INFO has no {name}")
    return int(match.group(1))


def _ask(path, command, last):
    """Sends a command and reads until the answer has `last` in it."""
    with _connected(path) as connection:
        connection.sendall(command)
        answer = b""
        while last not in answer:
            part = connection.recv(65_536)
            if not part:
                raise BenchFailure("Redis closed the connection")
            answer += part
        return answer.decode(errors="replace")


def _connected(path):
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(_PATIENCE)
        connection.connect(path)
    except OSError as error:
        connection.close()
        raise BenchFailure(f"Redis cannot be reached: {error}") from error
    return connection


@dataclass
class Commands:
    """Numbers of commands: those that clients sent, and those within the scripts among them."""

    sent: int = 0
    in_scripts: int = 0
    #: Both kinds, of the scripts that were named as polling; not in the other two.
    polling: int = 0


def scripts(lines):
    """The scripts (by their SHA-1) that lines of MONITOR have."""
    found = set()
    for line in lines:
        match = _LINE.match(line)
        if match and match.group(2).upper() == b"EVALSHA":
            found.add(match.group(3))
    return found


def counted(lines, polling):
    """Counts lines of MONITOR. A script's own line comes before those of the commands within it."""
    commands, is_polling = Commands(), False
    for line in lines:
        match = _LINE.match(line)
        if match is None:
            continue
        is_inside = match.group(1) == b"lua"
        if not is_inside:
            is_polling = match.group(2).upper() == b"EVALSHA" and match.group(3) in polling
        if is_polling:
            commands.polling += 1
        elif is_inside:
            commands.in_scripts += 1
        else:
            commands.sent += 1
    return commands


class Monitor:
    """Between the begin and the end of a `with` statement: every command. Redis is slower meanwhile."""

    def __init__(self, path):
        self.path = path
        self.lines = []

    def __enter__(self):
        self._connection = _connected(self.path)
        self._connection.sendall(b"MONITOR\r\n")
        self._file = self._connection.makefile("rb")
        if self._file.readline() != b"+OK\r\n":
            raise BenchFailure("Redis does not let itself be monitored")
        self._failure = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def _read(self):
        try:
            for line in self._file:
                if _END in line:
                    return
                self.lines.append(line)
            self._failure = "the connection was closed"
        except OSError as error:
            self._failure = str(error)

    def __exit__(self, *_):
        try:
            _ask(self.path, b'ECHO "' + _END + b'"\r\n', _END)
            self._reader.join(_PATIENCE)
            if self._failure or self._reader.is_alive():
                raise BenchFailure(f"Redis could not be monitored: {self._failure or 'it says no more'}")
        finally:
            self._connection.close()
