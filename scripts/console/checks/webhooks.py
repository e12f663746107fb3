"""Webhooks: made, tried, looked into, rotated, deleted."""

import base64

from playwright.sync_api import expect

from ..case import ConsoleTest
from ..servers import wait_for


class WebhookTests(ConsoleTest):
    def setUp(self):
        super().setUp()
        self.customer = self.world.customer()
        self.receiver = self.world.receiver
        #: An address that no other test has.
        self.path = f"/hook/{self.customer.id}"
        self.url = self.receiver.url.removesuffix("/hook") + self.path

    def made(self, **body):
        return self.customer.ask("POST", "webhooks", {"url": self.url, **body})["id"]

    def opened(self, webhook):
        visit = self.as_tenant(self.customer, f"webhooks/{webhook}")
        visit.is_at(self.url.split("/")[2])
        return visit

    def tile(self, visit, name):
        return visit.page.get_by_role("listitem").filter(has_text=name)

    def test_there_are_none_at_first(self):
        visit = self.as_tenant(self.customer, "webhooks")
        expect(visit.page.get_by_text("No webhooks yet.")).to_be_visible()

    def test_one_is_made_and_its_secret_is_shown_once(self):
        visit = self.as_tenant(self.customer, "webhooks")
        visit.page.get_by_role("button", name="Create webhook").click()
        dialog = visit.dialog("Create a webhook")
        dialog.get_by_label("URL").fill(self.url)
        dialog.get_by_label("broadcast.finished").check()
        dialog.get_by_role("button", name="Create webhook").click()
        secret = visit.dialog("The webhook's secret").get_by_label("Secret", exact=True).input_value()
        self.assertEqual(32, len(base64.b64decode(secret.removeprefix("whsec_"))))
        visit.dialog("The webhook's secret").get_by_role("button", name="I have saved").click()
        visit.is_at(self.url.split("/")[2])
        made, = self.customer.ask("GET", "webhooks")["webhooks"]
        self.assertEqual((self.url, ["broadcast.finished"]), (made["url"], made["types"]))
        self.assertTrue(visit.page.url.endswith(made["id"]))
        self.assertNotIn(secret, visit.page.content())
        visit.page.get_by_role("link", name="Webhooks", exact=False).first.click()
        expect(visit.row(self.url, "Webhooks")).to_contain_text("on")

    def test_a_receiver_that_is_refused_says_why(self):
        visit = self.as_tenant(self.customer, "webhooks")
        visit.allow(400, "/webhooks")
        visit.page.get_by_role("button", name="Create webhook").click()
        dialog = visit.dialog("Create a webhook")
        dialog.get_by_label("URL").fill("https://ann:secret@example.com/")
        dialog.get_by_role("button", name="Create webhook").click()
        expect(dialog.get_by_role("alert")).to_contain_text("VALIDATION_FAILED")
        dialog.get_by_label("URL").fill(self.url)
        dialog.get_by_role("button", name="Create webhook").click()
        expect(visit.dialog("The webhook's secret")).to_be_visible()

    def test_a_test_event_shows_its_attempt(self):
        visit = self.opened(self.made())
        visit.page.get_by_role("button", name="Send test event").click()
        visit.is_told("is on its way")
        attempts = visit.page.get_by_role("table", name="Attempts")
        expect(attempts.get_by_role("row")).to_have_count(2)
        expect(attempts).to_contain_text("delivered")
        expect(attempts).to_contain_text("204")

    def test_an_attempt_that_fails_shows_the_answer(self):
        self.receiver.answers[self.path] = (503, b"upstream unavailable")
        visit = self.opened(self.made())
        visit.page.get_by_role("button", name="Send test event").click()
        attempts = visit.page.get_by_role("table", name="Attempts")
        expect(attempts).to_contain_text("answered_5xx")
        expect(attempts).to_contain_text("503")
        expect(self.tile(visit, "failed attempts")).not_to_contain_text("0")

    def test_its_secret_is_rotated(self):
        webhook = self.made()
        visit = self.opened(webhook)
        visit.page.get_by_role("button", name="Rotate secret").click()
        visit.dialog("Rotate the secret?").get_by_role("button", name="Rotate secret").click()
        secret = visit.dialog("The new secret").get_by_label("Secret", exact=True)
        self.assertTrue(secret.input_value().startswith("whsec_"))
        visit.dialog("The new secret").get_by_role("button", name="I have saved").click()
        expect(visit.panel("Facts")).to_contain_text("Old secret signs until")
        self.assertIn("old_secret_until", self.customer.ask("GET", f"webhooks/{webhook}"))

    def test_one_is_switched_off_and_on(self):
        webhook = self.made()
        visit = self.opened(webhook)
        visit.page.get_by_role("button", name="Disable").click()
        visit.dialog("Disable the webhook?").get_by_role("button", name="Disable").click()
        on = visit.page.get_by_role("button", name="Enable")
        expect(on).to_be_visible()
        self.assertFalse(self.customer.ask("GET", f"webhooks/{webhook}")["enabled"])
        on.click()
        expect(visit.page.get_by_role("button", name="Disable")).to_be_visible()
        self.assertTrue(self.customer.ask("GET", f"webhooks/{webhook}")["enabled"])

    def test_one_is_deleted_after_a_question(self):
        webhook = self.made()
        visit = self.opened(webhook)
        visit.page.get_by_role("button", name="Delete").click()
        dialog = visit.dialog("Delete the webhook?")
        expect(dialog).to_contain_text(self.url)
        dialog.get_by_role("button", name="Delete webhook").click()
        visit.is_at("Webhooks")
        expect(visit.page.get_by_text("No webhooks yet.")).to_be_visible()
        self.customer.ask("GET", f"webhooks/{webhook}", expected=(404,))

    def test_dead_letters_are_listed_and_sent_again(self):
        self.customer.ask("PUT", "events/settings", {"audit": True})
        self.receiver.answers[self.path] = (500, b"")
        webhook = self.made(types=["audit.recorded"])
        # Each change is an event; what waits beyond a hundred of them is given up.
        for number in range(115):
            self.customer.upload("fans", [f"ann-{number}"])
        def told():
            return self.customer.ask("GET", f"webhooks/{webhook}")
        wait_for(lambda: told()["dead_letters"], "dead letters")
        visit = self.opened(webhook)
        tile = self.tile(visit, "dead letters")
        # Changes of a moment ago may still become some.
        wait_for(lambda: tile.inner_text().startswith(str(told()["dead_letters"])) or visit.page.wait_for_timeout(200),
                 "the page to show as many as there are")
        letters = visit.page.get_by_role("table", name="Dead letters")
        expect(letters).to_contain_text("audit.recorded")
        chosen = letters.get_by_role("checkbox", name="Select event").first
        chosen.check()
        # As many wait as may.
        visit.page.get_by_role("button", name="Resend 1 selected").click()
        visit.is_told("No event was resent")
        # There is room again when those that wait are delivered.
        self.receiver.answers[self.path] = (204, b"")
        wait_for(lambda: told()["pending"] < 20, "the receiver to have what waited")
        chosen.check()
        visit.page.get_by_role("button", name="Resend 1 selected").click()
        visit.is_told("1 event will be resent.")
        visit.page.get_by_role("button", name="Resend all").click()
        visit.dialog("Resend all dead letters?").get_by_role("button", name="Resend all").click()
        visit.is_told("will be resent.")
        expect(visit.page.get_by_text("No dead letters.")).to_be_visible()
        self.assertEqual(0, told()["dead_letters"])
        expect(self.tile(visit, "delivered").first).not_to_have_text("0delivered")

    def test_the_stream_and_the_audit_are_switched(self):
        visit = self.as_tenant(self.customer, "webhooks")
        stream = visit.page.get_by_label("Record events in the event stream")
        expect(stream).not_to_be_checked()
        stream.check()
        visit.is_told("Settings saved.")
        self.assertTrue(self.customer.ask("GET", "events/settings")["stream"])
        visit.page.get_by_label("Also record changes as events").check()
        wait_for(lambda: self.customer.ask("GET", "events/settings")["audit"], "the audit to be on")
        # It was switched while the console looked on: it says so when it is loaded anew.
        self.customer.ask("PUT", "events/settings", {"stream": False})
        visit.page.reload()
        expect(visit.page.get_by_label("Also record changes as events")).to_be_checked()
        expect(visit.page.get_by_label("Record events in the event stream")).not_to_be_checked()
