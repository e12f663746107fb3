"""What is besieged: two gateways on one Redis with a mock of the provider, and tenants on them."""

import json
import os

from harness import ledger
from harness.gateways import Gateways
from harness.provider import Provider
from harness.redis_servers import SingleRedis

#: Everything else is as it is shipped. Broadcasts that may wait are fewer, so that one key's rate fills them in seconds.
MAX_WAITING = 100
_OVERRIDES = {"FANFARE_BROADCAST_MAX_WAITING": str(MAX_WAITING)}


class Scene:
    def __init__(self, place, more=None):
        """`more`: variables for the gateways."""
        self.place = place
        # Not with every write: a disk would slow attackers down, and the siege is to be as hard as it can.
        self.redis = SingleRedis(place, "everysec")
        self.provider = Provider(place, {})
        sealing_key = place.path("webhooks.key")
        with open(os.open(sealing_key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(os.urandom(32))
        environment = self.provider.environment() | self.redis.environment | _OVERRIDES | {
            "FANFARE_EVENTS_SEALING_KEY_FILE": sealing_key} | (more or {})
        self.gateways = Gateways(place, environment, [{}, {}])
        self._help = {}
        self.neighbour = self.tenant("neighbour")

    @property
    def ports(self):
        return [gateway.port for gateway in self.gateways.all]

    @property
    def pids(self):
        return [gateway.server.pid for gateway in self.gateways.all]

    def tenant(self, name, signs=False):
        """A new one with its keys. Only one that `signs` demands identity signatures: the others stand for those whose
        SDK key is all that an app needs."""
        arguments = ["tenant", "create", name, "--json"]
        if signs and self.knows("tenant create", "--require-identity-signature"):
            arguments.append("--require-identity-signature")
        for option in () if signs else ("--no-identity-signature", "--no-require-identity-signature"):
            if self.knows("tenant create", option):
                arguments.append(option)
                break
        return json.loads(self.fanfare(*arguments))

    def knows(self, command, option):
        """Whether the executable's command has such an option."""
        if command not in self._help:
            self._help[command] = self.fanfare(*command.split(), "--help")
        return option in self._help[command]

    def fanfare(self, *arguments):
        return self.place.run(" ".join(arguments[:2]), [self.place.binary, *arguments], self.gateways.environment)

    def end(self):
        """Ends gateways and mock, and returns the pushes that the provider saw."""
        self.gateways.end()
        return ledger.read(self.provider.end())
