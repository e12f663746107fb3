"""A tenant that does what tenants do, at a steady pace, and writes down how each call went."""

import datetime
import hashlib
import hmac
import http.client
import json
import threading
import time

from .samples import Sample

#: Where it calls from: another address than the attackers'.
ADDRESS = "127.0.0.2"
TYPE = "NeighbourAttributes"
_TIMEOUT = 10


def signature_of_device(secret, insider_id, udid, expiry):
    """Version 2, which holds for one device until `expiry`."""
    user, device = insider_id.encode(), udid.encode()
    message = b"\xffv2.%d.%d:%b.%d:%b" % (expiry, len(user), user, len(device), device)
    return f"v2.{expiry}.{hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()}"


def signature(secret, insider_id):
    """As a tenant's server signs an insider_id for its apps."""
    return hmac.new(secret.encode(), insider_id.encode(), hashlib.sha256).hexdigest()


class Call:
    """One step of a life: what is asked, and what it may be answered."""

    def __init__(self, kind, method, path, body=None, is_app=False, expected=(200,), content="application/json", headers=None):
        self.kind, self.method, self.path, self.body = kind, method, path, body
        self.is_app, self.expected, self.content, self.headers = is_app, expected, content, headers or {}


def life(worker, number, phones):
    """The calls of one activity; each is sent the answer to the one before."""
    for phone in phones:
        yield Call("device", "PUT", "/api/v1/sdk/device", phone | {
            "platform": "ios", "os_version": "17.5", "push_opt_in": True, "gdpr_consent": True,
            "environment": "production"}, is_app=True)
        yield Call("token", "PUT", "/api/v1/sdk/push-to-start-token",
                   phone | {"token": _token(f"start {phone['udid']}")}, is_app=True)
    yield Call("upload", "PUT", f"/api/v1/segments/neighbour-{worker}",
               "".join(f"{phone['insider_id']}\n" for phone in phones), content="text/csv")
    ends_at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
    answer = yield Call("register", "POST", "/api/v1/live-activity/register", {
        "activity_type": TYPE, "ends_at": ends_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "insider_ids": [phone["insider_id"] for phone in phones]})
    named = {"activity_id": answer.get("activity_id", ""), "activity_type": TYPE}
    soon = {"Prefer": "respond-async"}
    yield Call("start", "POST", "/api/v1/live-activity/start", named | {
        "content": {"title": "t", "message": "m", "content_state": {"step": 0}, "attributes": {}}}, expected=(200, 202),
        headers=soon)
    for phone in phones:
        yield Call("sync", "POST", "/api/v1/sdk/sync", phone | {
            "activity_id": named["activity_id"], "token": _token(f"update {phone['udid']} {number}")}, is_app=True)
    yield Call("listing", "GET", "/api/v1/live-activity?limit=20")
    yield Call("update", "POST", "/api/v1/live-activity/update", named | {"content": {"content_state": {"step": 1}}},
               expected=(200, 202), headers=soon)
    yield Call("status", "GET", f"/api/v1/live-activity/{named['activity_id']}")
    yield Call("end", "POST", "/api/v1/live-activity/end", named, expected=(200, 202), headers=soon)


def _token(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Neighbour:
    """A few threads, each with a pace of its own, that ask both gateways by turns. Of the threads half keep their
    connections and half open one for each call."""

    WORKERS = 6

    def __init__(self, ports, tenant, rate):
        """`rate`: calls a second, of all threads together."""
        self.ports, self.tenant, self.rate = ports, tenant, rate
        self.samples, self.is_over = [], threading.Event()
        #: When the call that each thread waits for was made.
        self.under_way = {}
        self.threads = [threading.Thread(target=self._work, args=(index,), name=f"neighbour-{index}", daemon=True)
                        for index in range(self.WORKERS)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join(_TIMEOUT + 5)

    def pending(self, until):
        """How many calls that were made before have no answer yet."""
        return sum(1 for at in list(self.under_way.values()) if at < until)

    def _work(self, worker):
        pause, connection = self.WORKERS / self.rate, None
        keeps, next_at, number = worker % 2 == 0, time.monotonic() + worker / self.rate, 0
        while not self.is_over.is_set():
            number += 1
            phones = [{"insider_id": f"neighbour-{worker}-{index}", "udid": f"phone-{worker}-{index}"} for index in range(2)]
            port = self.ports[(worker + number) % len(self.ports)]
            steps, answer = life(worker, number, phones), None
            while True:
                try:
                    call = steps.send(answer)
                except StopIteration:
                    break
                if self.is_over.wait(max(0.0, next_at - time.monotonic())):
                    return
                # Whoever was held up for long does not make up for it in a rush.
                next_at = max(next_at + pause, time.monotonic() - pause)
                if connection is None or not keeps or connection.port != port:
                    if connection:
                        connection.close()
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT, source_address=(ADDRESS, 0))
                answer, failure = self._call(connection, call)
                if failure:
                    connection.close()
                    connection = None
                    break

    def _call(self, connection, call):
        headers = {"Content-Type": call.content} | call.headers
        if call.is_app:
            headers |= {"X-Sdk-Key": self.tenant["sdk_key"],
                        "X-Identity-Signature": signature(self.tenant["identity_secret"], call.body["insider_id"])}
        else:
            headers["X-Api-Key"] = self.tenant["api_key"]
        body = call.body if call.body is None or isinstance(call.body, str) else json.dumps(call.body)
        begin, answer, failure = time.monotonic(), {}, None
        self.under_way[threading.get_ident()] = begin
        try:
            connection.request(call.method, call.path, body, headers)
            reply = connection.getresponse()
            text = reply.read()
            if reply.status in call.expected:
                answer = json.loads(text) if text else {}
            else:
                failure = f"{reply.status} {_code(text)}"
        except (OSError, http.client.HTTPException, ValueError) as error:
            failure = type(error).__name__
        del self.under_way[threading.get_ident()]
        self.samples.append(Sample(begin, call.kind, time.monotonic() - begin, failure))
        return answer, failure


def _code(text):
    try:
        return json.loads(text).get("code", "")
    except (ValueError, AttributeError):
        return ""
