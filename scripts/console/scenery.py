"""A tenant in which something of everything is: what is looked at as a whole."""

from playwright.sync_api import expect

from .customer import TYPE, phone

CONTENT = {
    "title": "Kick-off", "message": "Ajax against PSV", "content_state": {"home": 0, "away": 0, "minute": 1},
    "attributes": {"homeTeam": "Ajax", "awayTeam": "PSV"}}


class Scenery:
    """Of a world: its customer, and the addresses of all views of an operator's, by name."""

    def __init__(self, world):
        self.world, self.customer = world, world.crowded("Ajax")
        customer, apns = self.customer, world.stage.apns
        customer.ask("PUT", "events/settings", {"stream": True, "audit": True})
        self.activity = customer.register("everybody")
        self.broadcast = customer.broadcast("start", self.activity, CONTENT, wait=True)
        for number in range(180):
            customer.sync(self.activity, phone(number), 20 * 10**6 + number)
        apns.behave({"rules": [{"every": 9, "status": 410, "reason": "Unregistered", "timestamp": 4000000000000}]})
        self.update = customer.broadcast("update", self.activity, {"content_state": {"home": 1}}, wait=True)
        apns.behave()
        ended = customer.register("fans", activity_type="OrderAttributes")
        customer.broadcast("start", ended, CONTENT, activity_type="OrderAttributes", wait=True)
        customer.broadcast("end", ended, None, activity_type="OrderAttributes", wait=True, force=True)
        customer.ask("POST", "live-activity/schedule", {
            "activity_id": self.activity, "event": "end", "offset": 3600, "name": "full time"})
        self._topics()
        path = f"/scenery/{customer.id}"
        world.receiver.answers[path] = (503, b"upstream unavailable")
        self.webhook = customer.ask("POST", "webhooks", {"url": world.receiver.url.removesuffix("/hook") + path})["id"]
        customer.ask("POST", f"webhooks/{self.webhook}/test")
        customer.ask("POST", "webhooks", {"url": world.receiver.url, "types": ["broadcast.finished"]})

    def _topics(self):
        say = {"activity_type": TYPE, "state": "upcoming"}
        self.customer.ask("PUT", "topics/ajax-psv", say)
        self.customer.ask("PUT", "topics/az-twente", say)
        self.customer.ask("PUT", "topics/ajax-psv/followers", {"insider_ids": [phone(number)["insider_id"] for number in range(80)]})
        self.customer.ask("PUT", "topics/ajax-psv", {**say, "state": "live", "content": CONTENT})

    def routes(self):
        """Of every view: its name, its address and its headline."""
        tenant = f"#/tenants/{self.customer.id}"
        return [
            ("gateway", "#/gateway", "Gateway"), ("tenants", "#/tenants", "Tenants"), ("tenant", tenant, self.customer.name),
            ("broadcasts", f"{tenant}/broadcasts", "Broadcasts"), ("broadcast", f"{tenant}/broadcasts/{self.update}", "Update "),
            ("activities", f"{tenant}/activities", "Activities"), ("activity", f"{tenant}/activities/{self.activity}", TYPE),
            ("topics", f"{tenant}/topics", "Topics"), ("topic", f"{tenant}/topics/ajax-psv", "ajax-psv"),
            ("segments", f"{tenant}/segments", "Segments"), ("compose", f"{tenant}/compose?segment=fans", "Compose"),
            ("compose update", f"{tenant}/compose?activity={self.activity}", f"Update {TYPE}"),
            ("compose restart", f"{tenant}/compose?activity={self.activity}&for=restart", f"Restart {TYPE}"),
            ("compose topic", f"{tenant}/compose?topic=ajax-psv", "Topic ajax-psv"),
            ("phone", f"{tenant}/phone?insider_id=fan-00003", "Phone"), ("webhooks", f"{tenant}/webhooks", "Webhooks"),
            ("webhook", f"{tenant}/webhooks/{self.webhook}", "127.0.0.1"), ("limits", f"{tenant}/limits", "Limits")]


def is_whole(page):
    """Waits until nothing on the page is on its way any more."""
    expect(page.locator("main p.waiting, main [aria-busy='true']")).to_have_count(0)
