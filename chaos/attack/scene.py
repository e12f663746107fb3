"""What is besieged: two gateways on one Redis with a mock of the provider, and tenants on them."""

import json
import os

from harness import ledger
from harness.gateways import Gateways
from harness.place import free_ports
from harness.provider import Provider
from harness.redis_servers import SingleRedis

from . import bounds

#: Everything else is as it is shipped. A key may ask more often, so that one tenant fills what is shared in seconds, and
#: a gateway's connections do not depend on what this machine allows it.
_OVERRIDES = {"FANFARE_RATE_LIMIT_REQUESTS_PER_MINUTE": "3000",
              "FANFARE_HTTP_MAX_CONNECTIONS": str(bounds.MAX_CONNECTIONS)}


def base_environment():
    return {key: value for key, value in os.environ.items() if not key.startswith("FANFARE_")}


class Scene:
    def __init__(self, place, more=None, settings=None):
        """`more`: variables for the gateways. `settings`: values of keys, where the gateway knows them."""
        self.place = place
        # Not with every write: a disk would slow attackers down, and the siege is to be as hard as it can.
        self.redis = SingleRedis(place, "everysec")
        self.provider = Provider(place, {})
        sealing_key = place.path("webhooks.key")
        with open(os.open(sealing_key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(os.urandom(32))
        environment = self.provider.environment() | self.redis.environment | _OVERRIDES | {
            "FANFARE_EVENTS_SEALING_KEY_FILE": sealing_key} | (more or {})
        self._help, self.environment = {}, base_environment() | environment
        for key, value in (settings or {}).items():
            if self.reads(key):
                environment[f"FANFARE_{key.upper().replace('.', '_')}"] = str(value)
        #: Of the listeners that answer health alone, where gateways have them.
        # The first two of those that are free are the gateways'.
        self.health_ports = free_ports(4)[2:] if self.reads("health.port") else []
        self.gateways = Gateways(place, environment, [{"FANFARE_HEALTH_PORT": str(port)} for port in self.health_ports] or [{}, {}])
        self.environment = self.gateways.environment
        self.neighbour = self.tenant("neighbour", signature_version=1)

    @property
    def ports(self):
        return [gateway.port for gateway in self.gateways.all]

    @property
    def pids(self):
        return [gateway.server.pid for gateway in self.gateways.all]

    def tenant(self, name, signature_version=None, **limits):
        """A new one with its keys. Without a version it stands for those whose SDK key is all that an app needs, which is
        what most attacks are about; where signatures are demanded it comes to no more than a look at one.

        `limits` are options of `tenant set-limits`, for attacks in small; where there is none of this name the default holds.
        """
        arguments, command = ["tenant", "create", name, "--json"], "tenant create"
        if signature_version is None and self.knows(command, "--no-signatures"):
            arguments.append("--no-signatures")
        elif signature_version == 2 and self.knows(command, "--signature-version"):
            arguments += ["--signature-version", "2"]
        elif signature_version is not None:
            arguments.append("--require-identity-signature")
        made = json.loads(self.fanfare(*arguments))
        options = {f"--{name.replace('_', '-')}": value for name, value in limits.items()}
        known = [each for option, value in options.items() if self.has_limits and self.knows("tenant set-limits", option)
                 for each in (option, str(value))]
        if known:
            self.fanfare("tenant", "set-limits", made["tenant_id"], *known)
        return made

    @property
    def has_limits(self):
        """Whether tenants have limits at all."""
        return self.knows("tenant", "set-limits")

    def reads(self, key):
        """Whether the configuration has this key."""
        if "check-config" not in self._help:
            self._help["check-config"] = self.fanfare("check-config", "--show")
        return key in self._help["check-config"]

    def knows(self, command, option):
        """Whether the executable's command has such an option."""
        if command not in self._help:
            self._help[command] = self.fanfare(*command.split(), "--help")
        return option in self._help[command]

    def fanfare(self, *arguments):
        return self.place.run(" ".join(arguments[:2]), [self.place.binary, *arguments], self.environment)

    def end(self):
        """Ends gateways and mock, and returns the pushes that the provider saw."""
        self.gateways.end()
        return ledger.read(self.provider.end())
