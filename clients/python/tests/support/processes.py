"""Starts the programs that the tests run against, and ends them: these alone, by their ids."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

PATIENCE = 20.0
"""Seconds that a program may take for what is asked of it."""


def free_port() -> int:
    """A port of this machine at which nobody listens at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def eventually(what: str, condition: Callable[[], bool], timeout: float = PATIENCE, pause: float = 0.02) -> None:
    """Waits until it is so; fails with `what` when the time is over."""
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, f"not in {timeout} s: {what}"
        time.sleep(pause)


class Program:
    """A program that runs in a folder, with its output in a file there."""

    def __init__(self, name: str, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self._log = folder / f"{name}.log"
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env={**_plain_environment(), **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.name = name

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def output(self) -> str:
        return self._log.read_text(errors="replace")

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def kill(self) -> None:
        """Ends it without a word, and waits until it is gone."""
        self._process.kill()
        self._process.wait(PATIENCE)

    def stop(self) -> None:
        """Asks it to end, and waits; one that does not is killed."""
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()


def _plain_environment() -> dict[str, str]:
    """Without settings of a gateway that the tests' own would be mixed with."""
    return {name: value for name, value in os.environ.items() if not name.startswith("FANFARE_")}
