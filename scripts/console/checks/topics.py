"""Topics: where they stand, who follows, and what has happened."""

from playwright.sync_api import expect

from ..case import ConsoleTest
from ..customer import TYPE, phone
from ..world import here

LIVE = {"title": "Kick-off", "message": "Ajax against PSV", "content_state": {"home": 0}}


class TopicTests(ConsoleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.customer = here().crowded()

    def say(self, topic, state, content=None):
        self.customer.ask("PUT", f"topics/{topic}", {"activity_type": TYPE, "state": state, "content": content})

    def follow(self, topic, users):
        self.customer.ask("PUT", f"topics/{topic}/followers", {"insider_ids": [f"fan-{number:05d}" for number in range(users)]})

    def test_they_are_listed_by_state(self):
        self.say("list-upcoming", "upcoming")
        self.follow("list-upcoming", 12)
        self.say("list-live", "live", LIVE)
        visit = self.as_tenant(self.customer, "topics")
        expect(visit.row("list-upcoming", "Topics")).to_contain_text("12")
        expect(visit.row("list-live", "Topics")).to_contain_text("live")
        visit.page.get_by_label("State").select_option(label="live")
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
        expect(timeline).to_contain_text("first heard of")

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
        expect(visit.page.get_by_role("listitem").filter(has_text="follow by an app")).to_contain_text("1")
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
        expect(visit.page.get_by_text("No topic is like that")).to_be_visible()
