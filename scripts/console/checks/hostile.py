"""Data that would be markup or script, were it not shown as text: in names, contents, addresses and answers."""

import json
from urllib.parse import quote

from playwright.sync_api import expect

from ..case import ConsoleTest
from ..customer import iphone
from ..scenery import is_whole
from ..world import here

HTML = "<img src=x onerror=\"window.hurt=1;alert(1)\"><script>window.hurt=2</script>'\"&lt;"
#: What would be a link that runs script.
LINK = "javascript:window.hurt=3"


class HostileTests(ConsoleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        world = here()
        cls.customer = customer = world.customer(f"<b>{HTML}</b>")
        salt = world.fresh()
        customer.import_devices([{
            **iphone(number, salt=salt), "insider_id": f"{HTML}{number}", "udid": f"{LINK}{HTML}",
            "app_version": "<i>1</i>"} for number in range(3)])
        customer.ask("PUT", "events/settings", {"stream": True})
        cls.activity = customer.register(users=[f"{HTML}{number}" for number in range(3)], activity_type=HTML)
        cls.broadcast = customer.broadcast("start", cls.activity, {
            "title": HTML, "message": HTML, "content_state": {HTML: HTML}, "attributes": {}}, activity_type=HTML, wait=True)
        customer.report("POST", "sync", {
            "insider_id": f"{HTML}0", "udid": f"{LINK}{HTML}", "activity_type": "OwnAttributes", "external_id": HTML, "token": "ab" * 32})
        customer.ask("POST", "live-activity/schedule", {
            "activity_id": cls.activity, "event": "end", "offset": 3600, "name": HTML})
        customer.ask("PUT", "topics/~topic", {"activity_type": HTML, "state": "upcoming"})
        customer.ask("PUT", "topics/~topic/followers", {"insider_ids": [HTML]})
        world.receiver.answer = (503, HTML.encode())
        cls.addClassCleanup(setattr, world.receiver, "answer", (204, b""))
        cls.webhook = customer.ask("POST", "webhooks", {"url": world.receiver.url + "?%3Cb%3E'&lt;"})["id"]
        customer.ask("POST", f"webhooks/{cls.webhook}/test")

    def opened(self, view):
        return self.as_operator(f"#/tenants/{self.customer.id}/{view}")

    def is_harmless(self, visit):
        """Nothing of it has become an element, a link that runs, or has run."""
        is_whole(visit.page)
        self.is_text(visit)

    def is_text(self, visit):
        """The same while something is on its way, as the answer to a question."""
        self.assertEqual([], visit.page.evaluate("""() => [
            ...document.querySelectorAll('main :is(img, script, b, i, iframe), dialog :is(img, script, b, i), [onerror], nav :is(b, img)'),
            ...[...document.querySelectorAll('[href], [src]')].filter(each =>
                /^\\s*javascript:/i.test(each.getAttribute('href') ?? each.getAttribute('src')))
        ].map(each => each.outerHTML)"""))
        self.assertIsNone(visit.page.evaluate("window.hurt ?? null"))

    def test_in_every_view(self):
        texts = {
            f"broadcasts/{self.broadcast}": self.customer.name, "broadcasts": HTML, "activities": HTML,
            "activities?opened_by=device": HTML, f"activities/{self.activity}": HTML, "topics": HTML, "topics/~topic": HTML,
            "segments": self.customer.name, f"compose?activity={self.activity}": HTML,
            f"compose?activity={self.activity}&for=restart": HTML, "compose?topic=~topic": HTML, "webhooks": self.customer.name,
            f"webhooks/{self.webhook}": HTML, "limits": self.customer.name,
            f"phone?insider_id={quote(HTML + '0')}": HTML}
        visit = self.opened("limits")
        for view, text in texts.items():
            with self.subTest(view):
                visit.open(f"#/tenants/{self.customer.id}/{view}")
                # As text, whole.
                expect(visit.page.locator("body")).to_contain_text(text)
                self.is_harmless(visit)

    def test_in_the_list_of_tenants_and_in_questions(self):
        visit = self.as_operator("#/tenants")
        expect(visit.row(self.customer.name, "Tenants")).to_be_visible()
        self.is_harmless(visit)
        visit.open(f"#/tenants/{self.customer.id}")
        visit.is_at(self.customer.name)
        visit.page.get_by_role("button", name="Disable tenant").click()
        dialog = visit.dialog(f"Disable {self.customer.name}?")
        expect(dialog).to_contain_text(f"Type {self.customer.name} to confirm")
        self.is_harmless(visit)
        for view, name, text in (
                (f"activities/{self.activity}", "Cancel the end", HTML), (f"phone?insider_id={quote(HTML + '0')}", "Erase user", HTML),
                ("compose?topic=~topic", "Set state", HTML), (f"compose?activity={self.activity}", "Schedule", HTML)):
            visit.open(f"#/tenants/{self.customer.id}/{view}")
            visit.page.get_by_role("button", name=name).click()
            expect(visit.page.get_by_role("dialog")).to_contain_text(text)
            self.is_text(visit)

    def test_in_what_is_composed(self):
        visit = self.opened("compose")
        for label in ("Activity type", "Title", "Message"):
            visit.page.get_by_label(label, exact=True).fill(HTML)
        for state in (
                {"home": HTML, "away": LINK, "homeTeam": HTML}, {"status": HTML, "eta": HTML, "progress": HTML},
                {HTML: HTML, "__proto__": HTML, "constructor": 1}):
            visit.page.get_by_label("content_state", exact=True).fill(json.dumps(state))
            expect(visit.page.get_by_role("img", name="Preview of the Live Activity")).to_be_visible()
            for layout in ("match", "progress", "facts"):
                visit.page.get_by_label("Layout").select_option(layout)
                self.is_harmless(visit)
        expect(visit.page.locator(".locks")).to_contain_text(HTML)

    def test_in_addresses(self):
        visit = self.as_operator("#/gateway")
        visit.is_at("Gateway")
        for route in (
                f"#/tenants/{quote(HTML)}/limits", f"#/{quote(HTML)}", f"#/tenants/{quote('../../operator')}/broadcasts",
                "#/tenants/%ZZ/limits", "#//"):
            with self.subTest(route):
                visit.allow(404, "/limits")
                visit.allow(404, "/live-activity")
                visit.open(route)
                expect(visit.page.get_by_role("heading", level=1)).to_be_visible()
                self.is_harmless(visit)

    def test_in_what_the_gateway_says(self):
        visit = self.visit()
        problem = {"name": HTML, "text": HTML}
        told = {"ready": False, "version": HTML, "commit": HTML, "warnings": [problem], "reasons": [problem]}
        visit.page.route("**/console/operator/health", lambda route: route.fulfill(json=told))
        metrics = ('fanfare_push_paused{provider="<img src=x onerror=alert(1)>",reason="<b>x</b>"} 1\n'
                   'fanfare_redis_check{check="<b>y</b>"} 0\n')
        visit.page.route(
            "**/console/operator/metrics", lambda route: route.fulfill(body=metrics, content_type="text/plain"))
        visit.open("#/gateway")
        visit.sign_in(self.world.operator)
        expect(visit.panel("Health")).to_contain_text(HTML)
        expect(visit.panel("Providers")).to_contain_text("<img src=x")
        self.is_harmless(visit)
        visit.allow(500, "/limits")
        visit.page.route("**/limits", lambda route: route.fulfill(status=500, json={"error": HTML, "code": HTML}))
        visit.open(f"#/tenants/{self.customer.id}/limits")
        expect(visit.page.get_by_role("alert")).to_contain_text(HTML)
        self.is_harmless(visit)

    def test_a_secret_never_comes_into_an_address(self):
        visit = self.signed_in(self.customer.api_key)
        visit.is_at("Broadcasts")
        self.assertFalse([url for _, url in visit.requests if self.customer.api_key in url])
