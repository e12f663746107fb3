"""HTTP as clients of a gateway behind a balancer do it: each try goes to some gateway, and is tried again elsewhere."""

import dataclasses
import http.client
import json
import time

from .journal import Attempt, now


@dataclasses.dataclass
class Answer:
    status: int | None
    body: dict
    is_refused: bool = False

    @property
    def code(self):
        return self.body.get("code")


class Client:
    """One thread's."""

    #: Longer than a gateway waits for a fan-out, shorter than one is stopped.
    TIMEOUT = 9

    def __init__(self, ports, headers, random, is_over):
        self.ports, self.headers, self.random = ports, headers, random
        #: Says when a client has to come to an end with its retries.
        self.is_over = is_over

    def request(self, gateway, method, path, body=None, headers=None, timeout=TIMEOUT):
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[gateway], timeout=timeout)
        try:
            try:
                connection.connect()
            except ConnectionRefusedError:
                return Answer(None, {}, is_refused=True)
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Content-Type": "application/json"} | self.headers | (headers or {}))
            reply = connection.getresponse()
            text = reply.read()
            return Answer(reply.status, _object(text))
        except (OSError, http.client.HTTPException):
            return Answer(None, {})
        finally:
            connection.close()

    def any_gateway(self, other_than=None):
        choices = [index for index in range(len(self.ports)) if index != other_than] or [0]
        return self.random.choice(choices)

    def persist(self, method, path, body=None, headers=None, record=None, budget=60, gateway=None, timeout=TIMEOUT):
        """Tries until there is an answer that another try would not change. `record` gets an attempt each."""
        deadline = time.monotonic() + budget
        gateway = self.any_gateway() if gateway is None else gateway
        while True:
            attempt = Attempt(gateway, now())
            if record is not None:
                record.attempts.append(attempt)
            answer = self.request(gateway, method, path, body, headers, timeout)
            attempt.answered_at, attempt.status, attempt.code = now(), answer.status, answer.code
            attempt.is_refused = answer.is_refused
            attempt.broadcast_id = answer.body.get("broadcast_id")
            attempt.sessions = answer.body.get("sessions_triggered")
            if answer.status is not None and answer.status < 500 and answer.status != 429:
                return answer
            if time.monotonic() > deadline or self.is_over():
                return answer
            time.sleep(self.random.uniform(0.1, 0.6))
            gateway = self.any_gateway(other_than=gateway)


def _object(text):
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
