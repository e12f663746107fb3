"""Topics: where they stand, who follows, what has happened; said to stand elsewhere, and deleted."""

from playwright.sync_api import expect

from ..case import ConsoleTest
from ..customer import TYPE, phone
from ..ledger import accepted, payloads
from ..servers import wait_for
from ..world import here

LIVE = {"title": "Kick-off", "message": "Ajax against PSV", "content_state": {"home": 0}}


class TopicTests(ConsoleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.customer = here().crowded()

    def say(self, topic, state, content=None, name=None):
        self.customer.ask("PUT", f"topics/{topic}", {"activity_type": TYPE, "state": state, "content": content, "name": name})

    def follow(self, topic, users):
        self.customer.ask("PUT", f"topics/{topic}/followers", {"insider_ids": [f"fan-{number:05d}" for number in range(users)]})

    def test_they_are_listed_by_state(self):
        self.say("list-upcoming", "upcoming")
        self.follow("list-upcoming", 12)
        self.say("list-live", "live", LIVE, name="Ajax against PSV")
        visit = self.as_tenant(self.customer, "topics")
        expect(visit.row("list-upcoming", "Topics")).to_contain_text("12")
        expect(visit.row("list-live", "Topics")).to_contain_text("live")
        expect(visit.row("list-live", "Topics")).to_contain_text("Ajax against PSV")
        visit.page.get_by_label("State", exact=True).select_option(label="live")
        expect(visit.row("list-upcoming")).to_have_count(0)
        expect(visit.row("list-live")).to_be_visible()
        self.assertIn("state=live", visit.page.url)
        visit.row("list-live").get_by_role("link").click()
        visit.is_at("list-live")

    def test_a_match_is_told_as_it_goes(self):
        self.say("match", "upcoming")
        self.follow("match", 20)
        visit = self.as_tenant(self.customer, "topics/match")
        visit.is_at("match")
        tile = visit.page.get_by_role("listitem").filter(has_text="on the customer's list")
        expect(tile).to_contain_text("20")
        main = visit.page.get_by_role("main")
        expect(main.get_by_text("upcoming", exact=True)).to_be_visible()
        timeline = visit.panel("Timeline")
        expect(timeline).to_contain_text("created")

        self.say("match", "live", LIVE)
        expect(main.get_by_text("live", exact=True)).to_be_visible()
        expect(timeline).to_contain_text("went live")
        expect(timeline.get_by_role("listitem").filter(has_text="start").first).to_contain_text("of 20 accepted")
        expect(visit.page.get_by_role("img", name="Devices by state: 20 pending")).to_be_visible()
        activity = self.customer.ask("GET", "topics/match")["activity_id"]
        for number in range(20):
            self.customer.sync(activity, phone(number), 6 * 10**6 + number)
        expect(visit.page.get_by_role("img", name="Devices by state: 20 active")).to_be_visible()

        self.say("match", "live", {**LIVE, "content_state": {"home": 1}})
        expect(timeline.get_by_role("listitem").filter(has_text="update")).to_contain_text("20 of 20 accepted")
        self.say("match", "ended", {"content_state": {"home": 1}})
        expect(main.get_by_text("ended", exact=True).first).to_be_visible()
        expect(timeline.get_by_role("listitem").filter(
            has=visit.page.get_by_role("link", name="end "))).to_contain_text("20 of 20 accepted")
        visit.page.get_by_role("link", name="Its activity").click()
        visit.is_at(f"{TYPE} {activity[:8]}")

    def test_followers_are_listed_in_pages_and_lead_to_their_phones(self):
        self.say("followed", "upcoming")
        self.follow("followed", 60)
        self.customer.report("PUT", "topics/followed/follow", phone(200))
        visit = self.as_tenant(self.customer, "topics/followed")
        expect(visit.page.get_by_role("listitem").filter(has_text="follow in the app")).to_contain_text("1")
        seen = set()
        pages = visit.page.get_by_role("navigation", name="Pages of followers")
        table = visit.page.get_by_role("table", name="Followers")
        number = 1
        while True:
            expect(table).to_be_visible()
            seen |= set(table.get_by_role("rowheader").all_inner_texts())
            if pages.get_by_role("button", name="Next").is_disabled():
                break
            pages.get_by_role("button", name="Next").click()
            number += 1
            expect(pages.get_by_text(f"Page {number}", exact=True)).to_be_visible()
        self.assertEqual({f"fan-{each:05d}" for each in [*range(60), 200]}, seen)
        user = table.get_by_role("rowheader").first.inner_text()
        table.get_by_role("link", name=user).click()
        expect(visit.page).to_have_url(f"{visit.base}#/tenants/{self.customer.id}/phone?insider_id={user}")

    def test_there_are_none_at_first(self):
        visit = self.as_tenant(self.world.customer(), "topics")
        expect(visit.page.get_by_text("No matching topics")).to_be_visible()

    def set_state(self, visit, topic, state, **fields):
        """Says it in Compose; answers with the question."""
        visit.page.get_by_role("link", name="Set its state").click()
        visit.is_at(f"Topic {topic}")
        for label, text in fields.items():
            visit.page.get_by_label(label, exact=True).fill(text)
        panel = visit.panel("Set the state")
        panel.get_by_label("State", exact=True).select_option(state)
        panel.get_by_role("button", name="Set state").click()
        return visit.dialog(f"Set {topic} {state}?")

    def test_it_goes_live_and_is_ended_from_compose(self):
        mark = f"mark-{self.world.fresh()}-"
        mock = self.world.stage.apns
        self.say("said", "upcoming")
        self.follow("said", 15)
        visit = self.as_tenant(self.customer, "topics/said")
        dialog = self.set_state(visit, "said", "live", Title="Kick-off", Message=mark, content_state='{"home": 0.0}')
        for text in ("phones of its 15 followers", "Kick-off", TYPE):
            expect(dialog).to_contain_text(text)
        self.assertEqual("upcoming", self.customer.ask("GET", "topics/said")["state"])
        dialog.get_by_role("button", name="Set it live").click()
        visit.is_told("said is live.")
        visit.is_at("said")
        wait_for(lambda: accepted(mock, mark) == {"start": 15}, "the starts")
        self.assertTrue(all(b'{"home": 0.0}' in body for body in payloads(mock, mark)))
        activity = self.customer.ask("GET", "topics/said")["activity_id"]
        for number in range(15):
            self.customer.sync(activity, phone(number), 30 * 10**6 + number)

        # What is live is ended or goes on, and cannot be upcoming.
        visit.page.get_by_role("link", name="Set its state").click()
        state = visit.panel("Set the state").get_by_label("State", exact=True)
        expect(state.locator("option")).to_have_text(["live", "ended"])
        expect(visit.page.get_by_label("With the content above")).to_be_disabled()
        visit.page.get_by_label("content_state", exact=True).fill(f'{{"last": "{mark}"}}')
        state.select_option("ended")
        visit.panel("Set the state").get_by_role("button", name="Set state").click()
        dialog = visit.dialog("Set said ended?")
        expect(dialog).to_contain_text("disappear from the lock screens of its 15 followers")
        dialog.get_by_role("button", name="Set it ended").click()
        visit.is_at("said")
        wait_for(lambda: accepted(mock, mark).get("end") == 15, "the ends")
        self.assertEqual("ended", self.customer.ask("GET", "topics/said")["state"])

    def test_without_content_it_is_said_too_and_what_is_refused_says_why(self):
        self.say("bare", "upcoming")
        visit = self.as_tenant(self.customer, "topics/bare")
        visit.allow(400, "/topics/bare")
        dialog = self.set_state(visit, "bare", "live", Title="", Message="")
        dialog.get_by_role("button", name="Set it live").click()
        expect(dialog.get_by_role("alert")).to_contain_text("CONTENT_REQUIRED")
        dialog.get_by_role("button", name="Cancel").click()
        panel = visit.panel("Set the state")
        panel.get_by_label("State", exact=True).select_option("ended")
        visit.page.get_by_label("content_state", exact=True).fill("{")
        panel.get_by_label("With the content above").uncheck()
        panel.get_by_role("button", name="Set state").click()
        dialog = visit.dialog("Set bare ended?")
        expect(dialog).to_contain_text("No push is sent")
        dialog.get_by_role("button", name="Set it ended").click()
        visit.is_at("bare")
        self.assertEqual("ended", self.customer.ask("GET", "topics/bare")["state"])

    def test_one_is_deleted_once_its_name_is_typed(self):
        self.say("gone", "live", LIVE)
        self.follow("gone", 7)
        self.say("kept", "upcoming")
        visit = self.as_tenant(self.customer, "topics/gone")
        expect(visit.page.get_by_role("listitem").filter(has_text="on the customer's list")).to_contain_text("7")
        visit.page.get_by_role("button", name="Delete").click()
        dialog = visit.dialog("Delete topic gone?")
        for text in ("The topic is live", "7 followers"):
            expect(dialog).to_contain_text(text)
        drop = dialog.get_by_role("button", name="Delete topic")
        dialog.get_by_label("Type gone to confirm").fill("gon")
        expect(drop).to_be_disabled()
        dialog.get_by_label("Type gone to confirm").fill("gone")
        # It is looked for while it goes.
        visit.allow(404, "/topics/gone")
        drop.click()
        visit.is_told("gone is deleted.")
        visit.is_at("Topics")
        expect(visit.row("kept", "Topics")).to_be_visible()
        expect(visit.row("gone", "Topics")).to_have_count(0)
        self.customer.ask("GET", "topics/gone", expected=(404,))
