"""One phone looked up, and its user erased."""

from playwright.sync_api import expect

from ..case import ConsoleTest
from ..customer import TYPE, iphone, phone

CONTENT = {"title": "Kick-off", "message": "Ajax against PSV", "content_state": {"home": 0}}


class PhoneTests(ConsoleTest):
    def setUp(self):
        super().setUp()
        self.customer = self.world.customer()
        salt = self.world.fresh()
        self.phones = [iphone(number, "ann", salt) for number in range(3)]
        self.customer.import_devices(self.phones)
        self.addCleanup(self.world.stage.apns.behave)

    def look_up(self, visit, user):
        visit.page.get_by_label("insider_id").fill(user)
        visit.page.get_by_role("button", name="Look up").click()

    def test_its_devices_tokens_and_activities_are_shown(self):
        user = self.phones[0]["insider_id"]
        activity = self.customer.register(users=[user])
        self.customer.broadcast("start", activity, CONTENT, wait=True)
        visit = self.as_tenant(self.customer, "phone")
        self.look_up(visit, user)
        device = visit.panel(f"Device {self.phones[0]['udid']}")
        for text in ("iOS 18.1", "7.4.0", "production", "allowed", "given"):
            expect(device).to_contain_text(text)
        token = device.get_by_role("table", name="Tokens of").get_by_role("row").filter(has_text="push to start")
        expect(token).to_contain_text(self.phones[0]["push_to_start_token"][-6:])
        expect(token).to_contain_text("usable")
        shown = device.get_by_role("table", name="Live Activities of").get_by_role("row").filter(has_text=TYPE)
        expect(shown).to_contain_text("pending")
        expect(shown).to_contain_text("accepted")
        self.assertTrue(visit.page.url.endswith(f"phone?insider_id={user}"))
        shown.get_by_role("link").click()
        visit.is_at(f"{TYPE} {activity[:8]}")

    def test_what_was_pushed_and_what_came_back_is_listed(self):
        self.customer.ask("PUT", "events/settings", {"stream": True})
        user = self.phones[1]["insider_id"]
        activity = self.customer.register(users=[user])
        self.customer.broadcast("start", activity, CONTENT, wait=True)
        self.customer.sync(activity, phone(1, "ann"), 7 * 10**6)
        self.customer.broadcast("update", activity, {"content_state": {"home": 1}}, wait=True)
        self.customer.broadcast("end", activity, None, wait=True)
        visit = self.as_tenant(self.customer, f"phone?insider_id={user}")
        pushed = visit.panel("Push history")
        for event in ("started", "updated", "ended"):
            expect(pushed.get_by_role("row").filter(has_text=event)).to_contain_text(activity[:8])

    def test_a_token_that_was_refused_says_so(self):
        dead = self.phones[2]
        self.world.stage.apns.behave({"rules": [{
            "tokens": [dead["push_to_start_token"]], "status": 400, "reason": "BadDeviceToken"}]})
        activity = self.customer.register(users=[dead["insider_id"]])
        self.customer.broadcast("start", activity, CONTENT, wait=True)
        visit = self.as_tenant(self.customer, f"phone?insider_id={dead['insider_id']}")
        device = visit.panel(f"Device {dead['udid']}")
        expect(device.get_by_role("table", name="Tokens of")).to_contain_text("refused")
        expect(device.get_by_role("table", name="Live Activities of")).to_contain_text("BadDeviceToken")

    def test_a_user_of_whom_nothing_is_known_is_told(self):
        visit = self.as_tenant(self.customer, "phone")
        self.look_up(visit, "nobody")
        expect(visit.page.get_by_text("No known device of nobody.")).to_be_visible()
        self.look_up(visit, "")
        expect(visit.page.get_by_label("insider_id")).to_have_attribute("aria-invalid", "true")

    def test_names_are_taken_byte_for_byte(self):
        for user in ("a/b?c#d%20e", "Zoë 🙂", " spaced ", "..x"):
            with self.subTest(user):
                self.customer.import_devices([{**self.phones[0], "insider_id": user, "udid": "odd"}])
                visit = self.as_tenant(self.customer, "phone")
                self.look_up(visit, user)
                expect(visit.panel("Device odd")).to_be_visible()
                visit.page.reload()
                expect(visit.page.get_by_label("insider_id")).to_have_value(user)
                expect(visit.panel("Device odd")).to_be_visible()

    def test_without_the_stream_it_says_how_to_switch_it_on(self):
        visit = self.as_tenant(self.customer, f"phone?insider_id={self.phones[0]['insider_id']}")
        pushed = visit.panel("Push history")
        expect(pushed).to_contain_text("The event stream is off.")
        pushed.get_by_role("link", name="Enable it").click()
        visit.is_at("Webhooks")

    def test_a_user_is_erased_once_the_insider_id_is_typed(self):
        gone, stays = self.phones[0]["insider_id"], self.phones[1]["insider_id"]
        activity = self.customer.register(users=[gone, stays])
        self.customer.broadcast("start", activity, CONTENT, wait=True)
        self.customer.sync(activity, phone(0, "ann"), 13 * 10**6)
        visit = self.as_tenant(self.customer, f"phone?insider_id={gone}")
        visit.page.get_by_role("button", name="Erase user").click()
        dialog = visit.dialog("Erase this user?")
        expect(dialog).to_contain_text("This cannot be undone.")
        erase = dialog.get_by_role("button", name="Erase user")
        expect(erase).to_be_disabled()
        dialog.get_by_label(f"Type {gone} to confirm").fill(stays)
        expect(erase).to_be_disabled()
        dialog.get_by_role("button", name="Cancel").click()
        self.assertEqual(1, len(self.devices(gone)))
        visit.page.get_by_role("button", name="Erase user").click()
        dialog.get_by_label(f"Type {gone} to confirm").fill(gone)
        erase.click()
        told = visit.page.get_by_role("status").filter(has_text="Erased")
        for text in (gone, "devices 1", "live activities ended 1"):
            expect(told).to_contain_text(text)
        self.assertEqual((0, 1), (len(self.devices(gone)), len(self.devices(stays))))
        self.look_up(visit, gone)
        expect(visit.page.get_by_text(f"No known device of {gone}.")).to_be_visible()

    def test_a_user_without_a_device_is_erased_from_lists_too(self):
        self.customer.upload("listed", ["a/b?c", "other"])
        visit = self.as_tenant(self.customer, "phone")
        self.look_up(visit, "a/b?c")
        visit.page.get_by_role("button", name="Erase user").click()
        dialog = visit.dialog("Erase this user?")
        dialog.get_by_label("to confirm").fill("a/b?c")
        dialog.get_by_role("button", name="Erase user").click()
        expect(visit.page.get_by_role("status").filter(has_text="Erased")).to_contain_text("segments 1")
        self.assertEqual(1, self.customer.ask("GET", "segments/listed")["users"])

    def devices(self, user):
        return self.customer.ask("GET", f"users/{user}/devices")["devices"]
