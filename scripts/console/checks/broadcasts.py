"""Broadcasts: live by server-sent events, and what they came to."""

import re
import time

from playwright.sync_api import expect

from ..case import SendingTest, short
from ..customer import iphone, phone
from ..world import ANDROIDS, IPHONES

CONTENT = {"title": "Kick-off", "message": "Ajax against PSV", "content_state": {"home": 0}}
#: A provider whose answers come over some seconds.
SLOW = {"latency": {"min_ms": 0, "max_ms": 4000}}
NOT_SERVING = {"rules": [{"status": 503, "reason": "ServiceUnavailable"}]}


class BroadcastTests(SendingTest):
    def started(self, segment="fans", **options):
        """Activity and broadcast of a start."""
        activity = self.customer.register(segment)
        return activity, self.customer.broadcast("start", activity, CONTENT, **options)

    def figure(self, article, name):
        return article.get_by_role("listitem").filter(has_text=name)

    def article(self, visit, broadcast):
        return visit.page.get_by_role("article", name=short(broadcast))

    def test_one_moves_by_events_until_it_is_done(self):
        self.mock.behave(SLOW)
        _, broadcast = self.started()
        visit = self.as_tenant(self.customer, f"broadcasts/{broadcast}")
        visit.is_at(f"Start {short(broadcast)}")
        bar = visit.page.get_by_role("progressbar", name="Progress of start")
        expect(visit.page.get_by_text("live", exact=True)).to_be_visible()
        seen = set()
        while (now := bar.get_attribute("aria-valuenow")) != "100":
            seen.add(int(now))
            bar.locator(f"xpath=self::*[not(@aria-valuenow='{now}')]").wait_for(state="attached")
        self.assertGreater(len(seen), 2, "the bar moved")
        expect(bar).to_have_attribute("aria-valuetext", re.compile(f"done: {IPHONES} accepted.* of {IPHONES} devices"))
        way = visit.page.locator("[data-way]")
        expect(way).to_have_attribute("data-way", "ended")
        expect(way).to_have_text("ended")
        asked = [url for method, url in visit.requests if f"/broadcasts/{broadcast}" in url]
        self.assertEqual(1, sum(url.endswith("/events") for url in asked))
        # By events, and not by asking: it was asked for once, before them.
        self.assertEqual(1, sum(not url.endswith("/events") for url in asked), asked)

    def test_the_first_round_is_asked_for_at_once(self):
        for _ in range(20):
            self.customer.register("fans")
        activity, broadcast = self.started()
        began = time.monotonic()
        visit = self.as_tenant(self.customer, "broadcasts")
        expect(visit.page.get_by_role("main")).to_contain_text(short(broadcast))
        self.assertLess(time.monotonic() - began, 10)

    def test_the_rate_is_plotted_and_can_be_read_as_a_table(self):
        self.mock.behave(SLOW)
        _, broadcast = self.started()
        visit = self.as_tenant(self.customer, f"broadcasts/{broadcast}")
        rate = visit.panel("Rate")
        expect(rate.get_by_role("img", name="Outcomes per second: accepted")).to_be_visible()
        rate.get_by_text("As a table").click()
        expect(rate.get_by_role("columnheader", name="accepted")).to_be_visible()
        expect(rate.get_by_role("rowheader").first).to_be_visible()

    def test_those_under_way_move_in_the_list_and_become_recent(self):
        self.mock.behave(SLOW)
        activity, broadcast = self.started()
        visit = self.as_tenant(self.customer, "broadcasts")
        article = self.article(visit, broadcast)
        expect(article).to_be_visible()
        expect(article.get_by_role("link", name="MatchAttributes")).to_have_attribute(
            "href", f"#/tenants/{self.customer.id}/activities/{activity}")
        expect(article.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "100")
        recent = visit.row(f"start {short(broadcast)}", "Broadcasts that have ended")
        expect(recent).to_contain_text(f"{IPHONES} / {IPHONES}")
        recent.get_by_role("link", name="start").click()
        visit.is_at(f"Start {short(broadcast)}")

    def test_what_is_not_known_yet_is_not_said_to_be_not_there(self):
        self.started(wait=True)
        visit = self.as_tenant(self.customer, "limits")
        visit.is_at("Limits")
        held, way = [], ["hold"]
        visit.page.route("**/live-activity/*-*", lambda route: held.append(route) if way == ["hold"] else route.continue_())
        with visit.page.expect_request(lambda request: "/live-activity/" in request.url):
            visit.open(f"#/tenants/{self.customer.id}/broadcasts")
        # Both lists have come, and no activity.
        main = visit.page.get_by_role("main")
        expect(main.get_by_text("Loading")).to_have_count(2)
        for text in ("No ended broadcasts yet", "No running broadcasts", "running"):
            self.assertEqual(0, main.get_by_text(f"{text}", exact=text == "running").count())
        way.clear()
        for route in held:
            route.continue_()
        expect(visit.page.get_by_role("table", name="Broadcasts that have ended")).to_be_visible()

    def test_where_there_is_none_it_is_said(self):
        visit = self.as_tenant(self.world.customer(), "broadcasts")
        for text in ("No ended broadcasts yet.", "No running broadcasts."):
            expect(visit.page.get_by_text(text)).to_be_visible()

    def test_why_it_pauses_is_said_and_that_it_goes_on(self):
        self.mock.behave(NOT_SERVING)
        _, broadcast = self.started()
        visit = self.as_tenant(self.customer, f"broadcasts/{broadcast}")
        article = self.article(visit, broadcast)
        expect(article.get_by_text("Paused", exact=True)).to_be_visible()
        expect(article.get_by_role("code").filter(has_text="ServiceUnavailable")).to_be_visible()
        expect(article).to_have_attribute("data-state", "paused")
        self.mock.behave()
        expect(article).to_have_attribute("data-state", "done")
        expect(article.get_by_text("Paused", exact=True)).to_be_hidden()
        expect(self.figure(article, "accepted")).to_contain_text(str(IPHONES))

    def test_failures_and_skipped_are_told_by_reason(self):
        customer = self.world.customer()
        salt = self.world.fresh()
        phones = [iphone(number, salt=salt) for number in range(60)]
        customer.import_devices(phones)
        customer.upload("fans", [each["insider_id"] for each in phones])
        self.mock.behave({"rules": [{
            "tokens": [each["push_to_start_token"] for each in phones[:7]], "status": 400, "reason": "BadDeviceToken"}]})
        activity = customer.register("fans")
        broadcast = customer.broadcast("start", activity, CONTENT, wait=True)
        for number in range(10, 15):
            customer.sync(activity, phone(number), 10**6 + number)
        update = customer.broadcast("update", activity, {"content_state": {"home": 1}}, wait=True)
        visit = self.as_tenant(customer, f"broadcasts/{broadcast}")
        outcomes = visit.panel("Outcomes")
        expect(outcomes.get_by_role("listitem").filter(has_text="BadDeviceToken")).to_contain_text("7")
        expect(self.figure(self.article(visit, broadcast), "failed")).to_contain_text("7")
        told = customer.where(update)
        self.assertGreater(told["skipped"]["not_synced"], 0)
        visit.open(f"#/tenants/{customer.id}/broadcasts/{update}")
        visit.is_at(f"Update {short(update)}")
        expect(outcomes.get_by_role("listitem").filter(has_text="not synced")).to_contain_text(str(told["skipped"]["not_synced"]))

    def test_of_what_has_ended_nothing_is_left(self):
        activity, _ = self.started(wait=True)
        self.customer.sync(activity, phone(0), 11 * 10**6)
        update = self.customer.broadcast("update", activity, {"content_state": {"home": 1}}, wait=True)
        visit = self.as_tenant(self.customer, "broadcasts")
        row = visit.row(f"update {short(update)}", "Broadcasts that have ended")
        expect(row).to_contain_text(f"1 / {IPHONES}")
        expect(row.get_by_role("progressbar")).not_to_have_attribute("aria-valuetext", re.compile("[1-9][0-9]* left"))

    def test_the_rate_is_told_while_it_runs(self):
        self.mock.behave({"latency": {"min_ms": 0, "max_ms": 10_000}})
        _, broadcast = self.started()
        visit = self.as_tenant(self.customer, f"broadcasts/{broadcast}")
        article = self.article(visit, broadcast)
        expect(self.figure(article, "pushes/s")).to_contain_text(re.compile("[0-9]"))
        expect(article).to_have_attribute("data-state", "running")

    def test_cohorts_and_stages_are_told(self):
        _, broadcast = self.started("everybody", wait=True)
        visit = self.as_tenant(self.customer, f"broadcasts/{broadcast}")
        told = self.customer.where(broadcast)["cohorts"]
        self.assertEqual(ANDROIDS, told["fcm"]["devices"])
        for cohort, counts in told.items():
            row = visit.row(cohort, "Pushes by kind of destination")
            expect(row).to_contain_text(str(counts["devices"]))
        article = self.article(visit, broadcast)
        for stage in ("created", "waited", "started", "took", "finished"):
            expect(article).to_contain_text(stage)

    def test_one_is_opened_by_its_id(self):
        _, broadcast = self.started(wait=True)
        visit = self.as_tenant(self.customer, "broadcasts")
        box = visit.page.get_by_label("Broadcast id")
        box.fill("not an id")
        box.press("Enter")
        expect(box).to_have_attribute("aria-invalid", "true")
        box.fill(broadcast)
        visit.page.get_by_role("button", name="Open").click()
        visit.is_at(f"Start {short(broadcast)}")

    def test_one_that_there_is_not_says_so(self):
        visit = self.visit()
        visit.allow(404, "/broadcasts/4978e9e5-e872-46c3-97e6-dca11aa6a53e")
        visit.open(f"#/tenants/{self.customer.id}/broadcasts/4978e9e5-e872-46c3-97e6-dca11aa6a53e")
        visit.sign_in(self.customer.api_key)
        visit.is_at("Not shown")
        expect(visit.page.get_by_role("alert")).to_contain_text("NOT_FOUND")
