"""Compose: a content is written, looked at, tried on a phone, and sent to a segment."""

import json
import re

from playwright.sync_api import expect

from ..case import SendingTest
from ..customer import TYPE, phone
from ..ledger import accepted, payloads
from ..servers import wait_for
from ..world import ANDROIDS, IPHONES


def containing(text):
    return re.compile(re.escape(text))


def begin_with(visit, template):
    visit.page.get_by_role("group", name="Templates").get_by_role("button", name=template).click()


class ComposeTests(SendingTest):
    def setUp(self):
        super().setUp()
        #: In the content of this test's pushes alone.
        self.mark = f"mark-{self.world.fresh()}-"

    def opened(self, query=""):
        visit = self.as_tenant(self.customer, f"compose{query}")
        visit.is_at("Compose" if "activity=" not in query else "Update")
        if "activity=" not in query:
            begin_with(visit, "Match")
        return visit

    def write(self, visit, state=None, **fields):
        """Fills the form."""
        state = json.dumps({"home": 0, "mark": self.mark}) if state is None else state
        for label, text in {"content_state": state, **fields}.items():
            visit.page.get_by_label(label, exact=True).fill(text)

    def send_to_test_device(self, visit, user):
        visit.page.get_by_label("Test device's insider_id").fill(user)
        visit.page.get_by_role("button", name="Send to test device").click()

    def preview(self, visit):
        return visit.page.get_by_role("img", name="Preview of the Live Activity")

    def size(self, visit):
        """The bytes that the page says the push has."""
        text = visit.page.get_by_role("meter", name="Push size").get_attribute("aria-valuetext")
        return int(text.split()[0])

    def test_it_starts_empty(self):
        activity = self.customer.register("fans")
        self.customer.broadcast("start", activity, {"title": "a", "message": "b", "content_state": {}}, wait=True)
        for query, head in (("", "Compose"), (f"?activity={activity}", "Update"), (f"?activity={activity}&for=restart", "Restart")):
            visit = self.as_tenant(self.customer, f"compose{query}")
            visit.is_at(head)
            for label in ("Title", "Message"):
                expect(visit.page.get_by_label(label, exact=True)).to_have_value("")
            expect(visit.page.get_by_label("content_state", exact=True)).to_have_value("{}")
        visit = self.as_tenant(self.customer, "compose?segment=fans")
        visit.is_at("Compose")
        visit.page.get_by_role("button", name="Count and send").click()
        expect(visit.page.get_by_label("Activity type")).to_be_focused()

    def test_what_is_written_is_seen_on_a_lock_screen(self):
        visit = self.opened()
        self.write(visit, '{"home": 3, "away": 2, "minute": "88\'"}', Title="Late goal", Message="What a match",
                   attributes='{"homeTeam": "Ajax", "awayTeam": "PSV"}')
        for text in ("Ajax 3, PSV 2", "Late goal: What a match", "in light and dark"):
            expect(self.preview(visit)).to_have_attribute("aria-label", containing(text))
        visit.page.get_by_label("Layout").select_option(label="Facts")
        expect(self.preview(visit)).to_have_attribute("aria-label", containing("home 3, away 2"))
        visit.page.get_by_role("group", name="Templates").get_by_role("button", name="Delivery").click()
        visit.page.get_by_label("Layout").select_option(label="By content")
        expect(visit.page.get_by_label("Activity type")).to_have_value("OrderAttributes")
        expect(self.preview(visit)).to_have_attribute("aria-label", containing("40%"))

    def test_what_is_no_object_is_told_and_not_sent(self):
        visit = self.opened()
        state = visit.page.get_by_label("content_state", exact=True)
        for text, said in (("{", "Not JSON"), ("[1]", "Not an object"), ("", "Empty"), ('{"a":1,}', "Not JSON")):
            state.fill(text)
            expect(state).to_have_attribute("aria-invalid", "true")
            expect(visit.page.get_by_role("form", name="Content")).to_contain_text(said)
        self.send_to_test_device(visit, "fan-00000")
        expect(state).to_be_focused()
        self.write(visit, Title="")
        visit.page.get_by_role("button", name="Send to test device").click()
        expect(visit.page.get_by_label("Title", exact=True)).to_be_focused()
        self.assertEqual([], [method for method, url in visit.requests if method == "POST" and "/live-activity/" in url])

    def test_one_phone_gets_it_byte_for_byte_in_the_size_that_was_said(self):
        visit = self.opened()
        state = '{"ratio": 1.0,\n  "mark":"' + self.mark + '", "text": "Zo\u00eb \\u00e9 \U0001F642"}'
        attributes = '{ "league":"Eredivisie" }'
        self.write(visit, state, Title="Één \"goal\"", Message="back\\slash", attributes=attributes)
        said = self.size(visit)
        self.send_to_test_device(visit, "fan-00000")
        article = visit.page.get_by_role("region", name="Started here").get_by_role("article").first
        expect(article.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "100")
        pushed, = payloads(self.mock, self.mark)
        self.assertIn(state.encode(), pushed)
        self.assertIn(attributes.encode(), pushed)
        self.assertEqual(("Één \"goal\"", "back\\slash"), tuple(json.loads(pushed)["aps"]["alert"][key] for key in ("title", "body")))
        self.assertEqual(len(pushed), said)

    def test_the_attribute_for_the_id_counts_and_comes_along(self):
        visit = self.opened()
        self.write(visit)
        visit.page.get_by_text("Duration and options").click()
        visit.page.get_by_label("Attribute for the activity's id").fill("fanfareID")
        said = self.size(visit)
        self.send_to_test_device(visit, "fan-00001")
        started = visit.page.get_by_role("region", name="Started here")
        expect(started.get_by_role("progressbar").first).to_have_attribute("aria-valuenow", "100")
        pushed, = payloads(self.mock, self.mark)
        self.assertIn("fanfareID", json.loads(pushed)["aps"]["attributes"])
        self.assertEqual(len(pushed), said)

    def test_what_was_tried_is_updated_and_ended(self):
        visit = self.opened()
        self.write(visit)
        self.send_to_test_device(visit, "fan-00002")
        region = visit.page.get_by_role("region", name="Started here")
        expect(region.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "100")
        activity = region.get_by_role("link", name="test: fan-00002").get_attribute("href").split("/")[-1]
        self.customer.sync(activity, phone(2), 8 * 10**6)
        self.write(visit, json.dumps({"home": 1, "mark": self.mark}))
        region.get_by_role("button", name="Send update to test: fan-00002").click()
        expect(region.get_by_role("article", name="Broadcast update")).to_have_attribute("data-state", "done")
        region.get_by_role("button", name="End test: fan-00002").click()
        visit.dialog("End ").get_by_role("button", name="End activity").click()
        expect(region.get_by_role("article", name="Broadcast end")).to_have_attribute("data-state", "done")
        wait_for(lambda: self.customer.ask("GET", f"live-activity/{activity}")["state"] == "DEAD", "the end")
        self.assertEqual({"start": 1, "update": 1}, accepted(self.mock, self.mark))

    def test_a_phone_that_cannot_be_started_says_why(self):
        visit = self.opened()
        visit.allow(422, "/register")
        self.send_to_test_device(visit, "nobody")
        expect(visit.panel("Test").get_by_role("alert")).to_contain_text("NO_ELIGIBLE_DEVICE")

    def test_what_is_too_large_is_told_before_and_refused(self):
        visit = self.opened()
        visit.allow(413, "/start")
        self.write(visit, json.dumps({"text": "x" * 4000, "mark": self.mark}))
        self.assertGreater(self.size(visit), 4096)
        expect(visit.page.get_by_role("form", name="Content")).to_contain_text("the gateway will refuse it")
        self.send_to_test_device(visit, "fan-00003")
        expect(visit.panel("Test").get_by_role("alert")).to_contain_text("PAYLOAD_TOO_LARGE")
        self.assertEqual({}, accepted(self.mock, self.mark))

    def test_a_segment_gets_it_once_its_name_is_typed(self):
        self.mock.behave({"latency": {"min_ms": 0, "max_ms": 3000}})
        visit = self.opened("?segment=everybody")
        self.write(visit, Title="To all", Message="of you")
        segment = visit.panel("Send to a segment")
        expect(segment.get_by_role("status")).to_contain_text(f"{IPHONES + ANDROIDS} users in everybody")
        segment.get_by_role("button", name="Count and send").click()
        dialog = visit.dialog("Send to everybody?")
        for text in (f"{IPHONES + ANDROIDS} devices", "To all", "of you", TYPE, self.customer.name):
            expect(dialog).to_contain_text(text)
        start = dialog.get_by_role("button", name=f"Start on {IPHONES + ANDROIDS} devices")
        expect(start).to_be_disabled()
        self.assertEqual({}, accepted(self.mock, self.mark))
        dialog.get_by_label("Type everybody to confirm").fill("everybody")
        # However often it is pressed.
        start.dblclick()
        visit.is_at("Start ")
        broadcast = visit.page.url.split("/")[-1]
        article = visit.page.get_by_role("article", name="Broadcast start")
        expect(article).to_have_attribute("data-state", "done")
        expect(article.get_by_role("listitem").filter(has_text="accepted")).to_contain_text(str(IPHONES + ANDROIDS))
        told = self.customer.where(broadcast)
        self.assertEqual((IPHONES + ANDROIDS, {}), (told["accepted"], told["failed"]))
        self.assertEqual({"start": IPHONES}, accepted(self.mock, self.mark))
        self.assertEqual({"start": ANDROIDS}, accepted(self.world.stage.fcm, self.mark))

    def test_who_leaves_the_question_sends_nothing_and_leaves_nothing(self):
        visit = self.opened("?segment=fans")
        self.write(visit)
        visit.page.get_by_label("Activity type").fill("LeftAttributes")
        visit.panel("Send to a segment").get_by_role("button", name="Count and send").click()
        dialog = visit.dialog("Send to fans?")
        dialog.get_by_label("Type fans to confirm").fill("fans ")
        expect(dialog.get_by_role("button", name="Start on")).to_be_disabled()
        visit.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)

        def left():
            return self.customer.ask("GET", "live-activity?activity_type=LeftAttributes")["activities"]
        wait_for(lambda: [each["state"] for each in left()] == ["DEAD"], "the registration to be taken back")
        self.assertEqual({}, accepted(self.mock, self.mark))

    def test_a_segment_that_there_is_not_is_told(self):
        visit = self.opened()
        visit.allow(404, "/segments/nothing")
        box = visit.page.get_by_label("Segment", exact=True)
        box.fill("nothing")
        box.press("Tab")
        expect(box).to_have_attribute("aria-invalid", "true")
        expect(visit.panel("Send to a segment")).to_contain_text("The segment does not exist.")

    def test_a_running_activity_is_updated_and_ended(self):
        activity = self.customer.register("fans")
        self.customer.broadcast("start", activity, {"title": "a", "message": "b", "content_state": {}}, wait=True)
        for number in range(25):
            self.customer.sync(activity, phone(number), 9 * 10**6 + number)
        visit = self.opened(f"?activity={activity}")
        self.write(visit)
        for label in ("Title", "Message"):
            expect(visit.page.get_by_label(label, exact=True)).to_have_value("")
        send = visit.panel("Send")
        expect(send).to_contain_text("25 have synced")
        send.get_by_role("button", name="Send update").click()
        dialog = visit.dialog(f"Update {TYPE}")
        expect(dialog).to_contain_text("silently")
        dialog.get_by_role("button", name="Send update").click()
        visit.is_at("Update ")
        article = visit.page.get_by_role("article", name="Broadcast update")
        expect(article).to_have_attribute("data-state", "done")
        expect(article.get_by_role("listitem").filter(has_text="accepted")).to_contain_text("25")
        self.assertEqual({"update": 25}, accepted(self.mock, self.mark))
        visit.open(f"#/tenants/{self.customer.id}/compose?activity={activity}")
        visit.panel("Send").get_by_role("button", name="End activity").click()
        visit.dialog("End ").get_by_role("button", name="End activity").click()
        visit.is_at("End ")
        expect(visit.page.get_by_role("article", name="Broadcast end")).to_have_attribute("data-state", "done")

    def test_what_was_written_is_there_when_one_comes_back(self):
        visit = self.opened()
        self.write(visit, Title="Draft")
        visit.page.get_by_role("navigation", name="Console").get_by_role("link", name="Segments").click()
        visit.is_at("Segments")
        visit.page.get_by_role("navigation", name="Console").get_by_role("link", name="Compose").click()
        visit.is_at("Compose")
        expect(visit.page.get_by_label("Title", exact=True)).to_have_value("Draft")

    def test_what_was_written_outlives_a_reload_and_is_its_tenant_s_alone(self):
        visit = self.signed_in(self.world.operator, f"#/tenants/{self.customer.id}/compose")
        visit.is_at("Compose")
        self.write(visit, '{"kept":  1.0}', Title="Draft \u00e9")
        visit.page.reload()
        visit.is_at("Compose")
        expect(visit.page.get_by_label("Title", exact=True)).to_have_value("Draft \u00e9")
        expect(visit.page.get_by_label("content_state", exact=True)).to_have_value('{"kept":  1.0}')
        # Whoever only looks at another content loses nothing.
        activity = self.customer.register("fans", activity_type="OrderAttributes")
        self.customer.broadcast("start", activity, {"title": "a", "message": "b", "content_state": {}}, activity_type="OrderAttributes", wait=True)
        visit.open(f"#/tenants/{self.customer.id}/compose?activity={activity}")
        visit.is_at("Update OrderAttributes")
        other = self.world.customer("neighbour")
        visit.open(f"#/tenants/{other.id}/compose")
        expect(visit.page.get_by_role("navigation", name="Console")).to_contain_text(other.name)
        expect(visit.page.get_by_label("Title", exact=True)).not_to_have_value("Draft \u00e9")
        visit.open(f"#/tenants/{self.customer.id}/compose")
        expect(visit.page.get_by_label("Title", exact=True)).to_have_value("Draft \u00e9")
        # It goes with whoever signs out.
        visit.page.get_by_role("button", name="Sign out").click()
        visit.sign_in(self.world.operator)
        visit.is_at("Compose")
        expect(visit.page.get_by_label("Title", exact=True)).not_to_have_value("Draft \u00e9")
