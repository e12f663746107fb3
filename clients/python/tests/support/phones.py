"""Phones: they report themselves, and that a Live Activity is there when the provider was sent one for them."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass

import httpx

from fanfare_client import identity_signature

from .stack import Stack, Tenant


@dataclass(frozen=True)
class Phone:
    """One iPhone of one user."""

    insider_id: str
    udid: str
    start_token: str
    update_token: str

    @property
    def names(self) -> dict[str, str]:
        return {"insider_id": self.insider_id, "udid": self.udid}


class Phones:
    """A tenant's phones, one for each user."""

    def __init__(self, stack: Stack, tenant: Tenant, users: int | list[str]) -> None:
        """Of so many users that nobody has had before, or of those named."""
        self._stack = stack
        self._tenant = tenant
        self._http = httpx.Client(base_url=stack.url, timeout=10)
        run = secrets.token_hex(3)
        names = users if isinstance(users, list) else [f"fan-{run}-{number}" for number in range(users)]
        self.all = [Phone(name, f"phone-{name}", secrets.token_hex(32), secrets.token_hex(32)) for name in names]
        for phone in self.all:
            self._report("PUT", "/api/v1/sdk/device", phone, {
                "platform": "ios", "os_version": "17.5", "push_opt_in": True, "gdpr_consent": True,
                "environment": "production",
            })
            self._report("PUT", "/api/v1/sdk/push-to-start-token", phone, {"token": phone.start_token})

    @property
    def users(self) -> list[str]:
        return [phone.insider_id for phone in self.all]

    @property
    def start_tokens(self) -> set[str]:
        return {phone.start_token for phone in self.all}

    @property
    def update_tokens(self) -> set[str]:
        return {phone.update_token for phone in self.all}

    def sync(self, phone: Phone, activity_id: str) -> None:
        """The phone reports its update token."""
        self._report("POST", "/api/v1/sdk/sync", phone, {"token": phone.update_token, "activity_id": activity_id})

    def sync_all(self, activity_id: str) -> None:
        for phone in self.all:
            self.sync(phone, activity_id)

    def answering(self, activity_type: str) -> AnsweringPhones:
        """Reports update tokens as starts come in, as long as the context lasts."""
        return AnsweringPhones(self, self._stack, activity_type)

    def report_sync(self, phone: Phone, activity_type: str) -> None:
        """As `sync`, by a phone that knows the type alone."""
        self._report("POST", "/api/v1/sdk/sync", phone, {"token": phone.update_token, "activity_type": activity_type})

    def close(self) -> None:
        self._http.close()

    def _report(self, method: str, path: str, phone: Phone, body: dict[str, object]) -> None:
        signature = identity_signature(self._tenant.identity_secret, phone.insider_id, phone.udid, now=time.time())
        headers = {"X-Sdk-Key": self._tenant.sdk_key, "X-Identity-Signature": signature}
        self._http.request(method, path, json={**phone.names, **body}, headers=headers).raise_for_status()


class AnsweringPhones:
    """Looks at the provider's ledger ten times a second, and has each phone that was sent a start sync."""

    def __init__(self, phones: Phones, stack: Stack, activity_type: str) -> None:
        self._phones = phones
        self._stack = stack
        self._type = activity_type
        self._over = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> AnsweringPhones:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(20)
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        waiting = {phone.start_token: phone for phone in self._phones.all}
        seen = 0
        try:
            while not self._over.wait(0.1):
                pushes = self._stack.pushes(seen)
                seen += len(pushes)
                for push in pushes:
                    if push.event == "start" and push.token in waiting:
                        self._phones.report_sync(waiting.pop(push.token), self._type)
        except Exception as error:
            self._failure = error
