"""A temporary directory, and the processes that live in it."""

import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import time

from .failure import BenchFailure

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1
#: Longer than any call of a whole run takes.
LONGEST = 900


def _end_with_parent():
    """Also when this program is killed, no server stays behind."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


class Server:
    """A process in the background. What it says is in its log."""

    def __init__(self, name, arguments, directory, environment=None):
        self.name = name
        self.log = os.path.join(directory, f"{name}.log")
        with open(self.log, "wb") as log:
            try:
                self.process = subprocess.Popen(
                    arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=directory, env=environment,
                    start_new_session=True, preexec_fn=_end_with_parent)
            except OSError as error:
                raise BenchFailure(f"{name} cannot be started: {error}") from error

    @property
    def pid(self):
        return self.process.pid

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def wait_until(self, what, condition, timeout=30):
        """Waits until `condition` returns something, and returns that."""
        deadline = time.monotonic() + timeout
        while True:
            result = condition()
            if result:
                return result
            if self.process.poll() is not None:
                raise BenchFailure(f"{self.name} ended with status {self.process.returncode} instead of {what}."
                                   f" It said:\n{tail(self.said())}")
            if time.monotonic() > deadline:
                raise BenchFailure(f"{self.name}: {what} did not come about in {timeout} s."
                                   f" It said:\n{tail(self.said())}")
            time.sleep(0.02)

    def stop(self):
        if self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(timeout=35)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Workplace:
    """Use it in a `with` statement: whatever happens, its servers end, the last one first, and its files go."""

    def __init__(self, binaries):
        self.binaries = os.path.abspath(binaries)
        self.servers = []

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="fanfare-bench-")
        return self

    def __exit__(self, *_):
        try:
            for server in reversed(self.servers):
                server.stop()
        finally:
            shutil.rmtree(self.directory, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def binary(self, name):
        return os.path.join(self.binaries, name)

    def start(self, name, arguments, environment=None):
        server = Server(name, arguments, self.directory, environment)
        self.servers.append(server)
        return server

    def stop(self, server):
        server.stop()
        self.servers.remove(server)

    def run(self, name, arguments, environment=None, timeout=LONGEST):
        """Runs a program to its end. Returns what it printed, and its CPU time from fork to end in seconds."""
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            try:
                process = subprocess.Popen(
                    arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, cwd=self.directory,
                    env=environment, start_new_session=True, preexec_fn=_end_with_parent)
            except OSError as error:
                raise BenchFailure(f"{name} cannot be started: {error}") from error
            usage = _reap(process, name, timeout)
            texts = []
            for file in (output, errors):
                file.seek(0)
                texts.append(file.read().decode(errors="replace"))
        if process.returncode != 0:
            said = tail(texts[0] + texts[1])
            raise BenchFailure(f"{name} ended with status {process.returncode}. It said:\n{said}")
        return texts[0], usage.ru_utime + usage.ru_stime


def _reap(process, name, timeout):
    """Waits for a process with wait4, which tells what this one child has used."""
    deadline = time.monotonic() + timeout
    try:
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                return usage
            if time.monotonic() > deadline:
                raise BenchFailure(f"{name} did not end within {timeout} s")
            time.sleep(0.01)
    except BaseException:
        if process.returncode is None:
            process.kill()
            process.wait()
        raise


def tail(text, lines=15):
    return "\n".join("    " + line for line in text.strip().splitlines()[-lines:]) or "    (nothing)"
