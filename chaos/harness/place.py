"""A temporary directory, and the processes that live in it."""

import concurrent.futures
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from .failure import ChaosFailure

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1
#: Starts all processes: the kernel ends them with the thread that started them, so it must be one that stays.
_starter = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="starter")


def _end_with_parent():
    """Also when this program is killed, no server stays behind; not even one that is stopped."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Server:
    """A process in the background. What it says is in its log, which goes on when it is started again."""

    def __init__(self, name, arguments, directory, environment=None):
        self.name = name
        self.arguments = arguments
        self.directory = directory
        self.environment = environment
        self.log = os.path.join(directory, f"{name}.log")
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            try:
                self.process = _starter.submit(
                    subprocess.Popen, self.arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    cwd=self.directory, env=self.environment, start_new_session=True,
                    preexec_fn=_end_with_parent).result()
            except OSError as error:
                raise ChaosFailure(f"{self.name} cannot be started: {error}") from error

    @property
    def pid(self):
        return self.process.pid

    @property
    def is_running(self):
        return self.process.poll() is None

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
            if not self.is_running:
                raise ChaosFailure(f"{self.name} ended with status {self.process.returncode} instead of {what}."
                                   f" It said:\n{tail(self.said())}")
            if time.monotonic() > deadline:
                raise ChaosFailure(f"{self.name}: {what} did not come about in {timeout} s."
                                   f" It said:\n{tail(self.said())}")
            time.sleep(0.02)

    def send(self, number):
        if self.is_running:
            self.process.send_signal(number)

    def kill(self):
        """kill -9, also of a stopped process."""
        self.send(signal.SIGKILL)
        self.process.wait()

    def stop(self, timeout=35):
        """Asks it to end. Returns its status, or None when it had to be killed."""
        if not self.is_running:
            return self.process.returncode
        self.send(signal.SIGCONT)
        self.send(signal.SIGTERM)
        try:
            return self.process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            return None


class Place:
    """Use it in a `with` statement: whatever happens, its servers end, the last one first, and its files go."""

    def __init__(self, binary, keep=None, first=None):
        self.binary = os.path.abspath(binary)
        #: What gateways begin with, and commands are of: another version when that is to be replaced.
        self.first = os.path.abspath(first or binary)
        self.keep = keep
        self.servers = []
        self.directory = None

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="fanfare-chaos-")
        return self

    def __exit__(self, *_):
        try:
            for server in reversed(self.servers):
                if server.is_running:
                    server.kill()
        finally:
            if self.keep:
                shutil.copytree(self.directory, self.keep, dirs_exist_ok=True,
                                ignore=shutil.ignore_patterns("*.sock", "appendonlydir"))
            shutil.rmtree(self.directory, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def start(self, name, arguments, environment=None):
        server = Server(name, arguments, self.directory, environment)
        self.servers.append(server)
        return server

    def run(self, name, arguments, environment=None, timeout=60):
        """Runs a program to its end and returns what it printed."""
        try:
            done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, cwd=self.directory,
                                  env=environment, timeout=timeout, check=False, preexec_fn=_end_with_parent)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ChaosFailure(f"{name} cannot be run: {error}") from error
        if done.returncode != 0:
            said = tail((done.stdout + done.stderr).decode(errors="replace"))
            raise ChaosFailure(f"{name} ended with status {done.returncode}. It said:\n{said}")
        return done.stdout.decode(errors="replace")


def free_ports(count):
    """Ports that are free now, all different, and below the range that the kernel gives to outgoing connections (one
    of which could otherwise take the port of a server that is just being restarted)."""
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
            first = int(file.read().split()[0])
    except (OSError, ValueError):
        first = 32768
    # Those who run side by side are given ports of their own to begin with: one that is free for a moment, because its server is
    # being restarted, is nobody else's.
    ports, port = [], int(os.environ.get("FANFARE_CHAOS_PORTS") or 10_000) + os.getpid() % 5_000
    while len(ports) < count:
        port += 1
        if port >= min(first, 55_000):
            raise ChaosFailure("there are no free ports")
        # A node of a cluster takes a second port, 10,000 above.
        if all(_is_free(each) for each in (port, port + 10_000)):
            ports.append(port)
    return ports


def _is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def tail(text, lines=15):
    return "\n".join("    " + line for line in text.strip().splitlines()[-lines:]) or "    (nothing)"
