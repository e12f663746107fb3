"""The Redis that all gateways share: one server, or a cluster. Both keep what they confirmed, whatever kills them."""

import os
import signal
import time

from .disks import Disks
from .failure import ChaosFailure
from .place import free_ports
from .progress import say
from .resp import Redis, RedisError

#: How long a server that answers in bursts is stopped, and goes on.
_STOPPED, _GOING = 0.6, 0.15


def _start_node(place, disks, appendfsync, name, port, *more):
    directory = place.path(name)
    os.mkdir(directory)
    return place.start(name, [
        "redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", directory, "--save", "",
        "--appendonly", "yes", "--appendfsync", appendfsync, "--hash-max-listpack-value", "256", *more],
        disks.environment(name))


def _answers(port):
    try:
        with Redis(port, timeout=1) as redis:
            return redis.call("PING") == b"PONG"
    except RedisError:
        return False


class _Servers:
    """What can be done to one server as well as to many."""

    def slow_disk(self, choice, seconds):
        """Each sync of one server's disk takes so long. Returns the server, and what makes its disk well again."""
        ports = self.master_ports()
        server = self.server_of(ports[choice % len(ports)])
        self.disks.slow_down(server.name, seconds)
        return server, lambda: self.disks.slow_down(server.name, 0)

    def slow_down(self, is_over, seconds, choice):
        """One server answers in bursts only, for a while."""
        server = self.server_of(self.master_ports()[choice % len(self.master_ports())])
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end and not is_over.is_set():
                server.send(signal.SIGSTOP)
                is_over.wait(_STOPPED)
                server.send(signal.SIGCONT)
                time.sleep(_GOING)
        finally:
            server.send(signal.SIGCONT)

    def configure(self, **settings):
        """CONFIG SET on every master."""
        for port in self.master_ports():
            with Redis(port) as redis:
                for name, value in settings.items():
                    redis.call("CONFIG", "SET", name.replace("_", "-"), value)

    def used_memory(self):
        """Of the master that uses least, in bytes."""
        used = []
        for port in self.master_ports():
            with Redis(port) as redis:
                lines = redis.text("INFO", "memory").splitlines()
            used.append(int(next(line for line in lines if line.startswith("used_memory:")).split(":")[1]))
        return min(used)


class SingleRedis(_Servers):
    """One redis-server."""

    name = "single"

    def __init__(self, place, appendfsync):
        self.ports, self.disks = free_ports(1), Disks(place)
        self.server = _start_node(place, self.disks, appendfsync, "redis", self.ports[0])
        self.server.wait_until("answering", lambda: _answers(self.ports[0]))

    @property
    def environment(self):
        return {"FANFARE_REDIS_URL": f"redis://127.0.0.1:{self.ports[0]}"}

    def server_of(self, _port):
        return self.server

    def kill_one(self, _choice):
        """kill -9. Returns what restores it."""
        self.server.kill()
        return f"redis pid {self.server.pid}", self.restore

    def restore(self):
        if not self.server.is_running:
            self.server.start()
        self.wait_until_well()

    def wait_until_well(self):
        self.server.wait_until("answering", lambda: _answers(self.ports[0]))

    def is_well(self):
        return _answers(self.ports[0])

    def master_ports(self):
        return list(self.ports)


class ClusterRedis(_Servers):
    """Three masters, and a replica of each."""

    name = "cluster"

    def __init__(self, place, appendfsync):
        self.ports, self.disks = free_ports(6), Disks(place)
        self.servers = [
            _start_node(place, self.disks, appendfsync, f"redis-{index}", port, "--cluster-enabled", "yes", "--cluster-node-timeout", "2000",
                        "--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0")
            for index, port in enumerate(self.ports)]
        for server, port in zip(self.servers, self.ports):
            server.wait_until("answering", lambda port=port: _answers(port))
        say("forming a Redis cluster of three masters and three replicas")
        place.run("redis-cli --cluster create", [
            "redis-cli", "--cluster", "create", *(f"127.0.0.1:{port}" for port in self.ports),
            "--cluster-replicas", "1", "--cluster-yes"])
        self.wait_until_well()

    @property
    def environment(self):
        return {"FANFARE_REDIS_URL": ",".join(f"redis://127.0.0.1:{port}" for port in self.ports)}

    def _roles(self):
        """What each node that answers is, by index."""
        roles = {}
        for index, port in enumerate(self.ports):
            try:
                with Redis(port, timeout=1) as redis:
                    info = redis.text("INFO", "replication")
                    fields = dict(line.split(":", 1) for line in info.splitlines() if ":" in line)
                    state = redis.text("CLUSTER", "INFO")
            except RedisError:
                continue
            is_synced = (fields.get("connected_slaves", "0") != "0" and "state=online" in fields.get("slave0", "")
                         if fields["role"] == "master" else fields.get("master_link_status") == "up")
            roles[index] = (fields["role"], is_synced and "cluster_state:ok" in state)
        return roles

    def is_well(self):
        """All six nodes there, the cluster whole, and every master with a replica that follows."""
        roles = self._roles()
        return (len(roles) == 6 and all(well for _, well in roles.values())
                and sum(role == "master" for role, _ in roles.values()) == 3)

    def wait_until_well(self, timeout=40):
        deadline = time.monotonic() + timeout
        while not self.is_well():
            if time.monotonic() > deadline:
                raise ChaosFailure(f"the Redis cluster was not well within {timeout} s: {self._roles()}")
            time.sleep(0.2)

    def server_of(self, port):
        return self.servers[self.ports.index(port)]

    def kill_one(self, choice):
        """kill -9 of a master; its replica takes over."""
        masters = [index for index, (role, _) in self._roles().items() if role == "master"]
        if not masters:
            raise ChaosFailure("the Redis cluster has no master")
        server = self.servers[masters[choice % len(masters)]]
        server.kill()
        return f"{server.name} (master) pid {server.pid}", self.restore

    def restore(self):
        for server in self.servers:
            if not server.is_running:
                server.start()

    def master_ports(self):
        return [self.ports[index] for index, (role, _) in self._roles().items() if role == "master"]
