"""A case by its number: the bytes of a request, or the steps of a connection. Pure: randomness comes in."""

import dataclasses
import json
import random
import urllib.parse

from attack.wire import request

from . import mutations, transport
from .values import Maker, rendered

#: Media types whose bodies are lists of users.
_LISTS = ("text/csv", "application/x-ndjson")


@dataclasses.dataclass
class Case:
    number: int
    kind: str
    steps: list
    #: Of a request that is for an operation of the description.
    operation: object = None
    method: str | None = None
    #: The ids of requests that must be answered in this order, or None.
    ids: list | None = None
    gateway: int = 0


class Cases:
    def __init__(self, seed, description, keys):
        """`keys`: of the tenant that is played, `api_key` and `sdk_key`."""
        self.seed, self.description, self.keys = seed, description, keys

    def case(self, number, known):
        chance = random.Random(f"{self.seed} {number}")
        made = self._wire(number, chance, known) if chance.random() < 0.35 else self._request(number, chance, known)
        made.gateway = chance.randrange(2)
        return made

    def _request(self, number, chance, known):
        operation = chance.choice(self.description.operations)
        while operation.method == "DELETE" and chance.random() < 0.8:
            # Or nothing would be there for long.
            operation = chance.choice(self.description.operations)
        maker = Maker(self.description, chance, known)
        method, path, headers = operation.method, operation.path, self._key(operation, chance)
        query = []
        for place, name, schema, is_required in operation.parameters:
            if place == "path":
                value = _text(maker.of(schema, name))
                path = path.replace(f"{{{name}}}", urllib.parse.quote(value, safe="-._~:"))
            elif place == "query" and (is_required or chance.random() < 0.4):
                query.append((name, _text(maker.of(schema, name))))
            elif place == "header" and (is_required or chance.random() < 0.1):
                value = _text(maker.of(schema, name))
                if value.isascii() and value.isprintable():
                    headers[name] = value
        if query:
            path += "?" + urllib.parse.urlencode(query)
        body, is_ours = None, True
        if operation.bodies:
            media = chance.choice(list(operation.bodies))
            body = self._body(operation, media, maker, chance)
            headers["Content-Type"] = media if chance.random() < 0.95 else chance.choice(mutations.MEDIA)
        draw = chance.random()
        if draw < 0.12:
            path, is_ours = _on_the_wire(mutations.spoilt_path(path, chance)), False
        elif draw < 0.16:
            method, is_ours = chance.choice(("HEAD", "OPTIONS", "PATCH", "DELETE", "TRACE", "get", "X" * 300, "CONNECT")), False
        elif draw < 0.30:
            name, values = chance.choice(mutations.FIELDS)
            headers[name] = chance.choice(values)
        headers = {name: value.encode().decode("latin-1") for name, value in headers.items()}
        data = _assembled(method, path, headers, body)
        return Case(number, "request", [data], operation if is_ours else None, method)

    def _key(self, operation, chance):
        draw, name = chance.random(), {"api": "X-Api-Key", "sdk": "X-Sdk-Key", "none": "X-None"}[operation.key]
        key = {"api": self.keys["api_key"], "sdk": self.keys["sdk_key"], "none": "x"}[operation.key]
        if draw < 0.93:
            return {name: key}
        return chance.choice(({}, {name: ""}, {name: key[:-1]}, {name: key + "x"}, {"Authorization": f"Bearer {key}"}, {"Authorization": key},
                              {"X-Api-Key": self.keys["sdk_key"]}, {"X-Sdk-Key": self.keys["api_key"]}, {name: "x" * 5_000}))

    @staticmethod
    def _body(operation, media, maker, chance):
        schema, examples = operation.bodies[media]
        if media in _LISTS:
            lines = [_text(maker.of({"type": "string", "maxLength": 20}, "insider_id")) for _ in range(chance.choice((0, 1, 3, 300)))]
            data = "\n".join(json.dumps(line) if "json" in media else line for line in lines).encode()
        else:
            value = chance.choice(examples) if examples and chance.random() < 0.25 else maker.of(schema)
            if chance.random() < 0.6:
                value = mutations.spoilt(value, chance)
            data = rendered(value, chance)
        return mutations.spoilt_bytes(data, chance) if chance.random() < 0.12 else data

    def _wire(self, number, chance, known):
        requests, ids = [], []
        for index in range(chance.choice((1, 2, 3, 12))):
            ids.append(f"fuzz-{number}-{index}")
            requests.append(self._right(chance, known, ids[-1]))
        kind, steps, is_right = transport.case(requests, chance)
        if not is_right:
            return Case(number, kind, steps)
        return Case(number, kind, steps, ids=ids if kind == "pipelined" else ids[:1])

    def _right(self, chance, known, id_):
        """A request without a flaw, which ends or deletes nothing."""
        customer, app = {"X-Api-Key": self.keys["api_key"]}, {"X-Sdk-Key": self.keys["sdk_key"]}
        user = chance.randrange(len(known["insider_id"]))
        device = {"insider_id": known["insider_id"][user], "udid": known["udid"][user]}
        method, path, headers, body = chance.choice((
            ("GET", "/health/live", {}, None),
            ("GET", "/api/v1/live-activity?limit=3", customer, None),
            ("GET", f"/api/v1/live-activity/{known['activity_id'][0]}", customer, None),
            ("PUT", "/api/v1/sdk/push-to-start-token", app, device | {"token": "ab" * 32}),
            ("POST", "/api/v1/sdk/dismissed", app, device | {"system_activity_id": "none"}),
            ("POST", "/api/v1/segments/fuzz/users", customer, {"insider_ids": known["insider_id"][:2]}),
        ))
        return request(method, path, headers | {"X-Request-Id": id_}, body)


def _text(value):
    return value if isinstance(value, str) else rendered(value).decode(errors="replace")


def _on_the_wire(path):
    """Characters that end a request line would make it another case."""
    return path.replace(" ", "%20").replace("\r", "").replace("\n", "")


def _assembled(method, path, headers, body):
    lines = [f"{method} {path} HTTP/1.1", "Host: fanfare"]
    lines += [f"{name}: {value}" for name, value in headers.items() if "\r" not in value and "\n" not in value]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + (body or b"")
