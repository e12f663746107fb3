"""The gateway's own view: whether it is ready, its plots and tables."""

import re

from playwright.sync_api import expect

from ..case import ConsoleTest
from ..servers import wait_for
from ..world import IPHONES

CONTENT = {"title": "Kick-off", "message": "Ajax against PSV", "content_state": {"home": 0}}
NOT_SERVING = {"rules": [{"status": 503, "reason": "ServiceUnavailable"}]}


class GatewayTests(ConsoleTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.world.stage.apns.behave)

    def opened(self):
        visit = self.as_operator("#/gateway")
        visit.is_at("Gateway")
        return visit

    def tile(self, visit, name):
        return visit.page.get_by_role("listitem").filter(has_text=name)

    def test_it_is_ready_and_says_its_version(self):
        visit = self.opened()
        main = visit.page.get_by_role("main")
        expect(main.get_by_text("ready", exact=True).first).to_be_visible()
        version = self.world.stage.command("--version").strip()
        expect(main).to_contain_text(f"version {version}")
        expect(self.tile(visit, "Redis")).to_contain_text("up")

    def test_why_it_is_not_ready_is_said(self):
        visit = self.visit()
        told = {"ready": False, "version": "1", "commit": "", "warnings": [{"name": "slow", "text": "Redis is slow"}],
                "reasons": [{"name": "redis", "text": "Redis does not answer; start it"}]}
        visit.page.route("**/console/operator/health", lambda route: route.fulfill(json=told))
        visit.open("#/gateway")
        visit.sign_in(self.world.operator)
        health = visit.panel("Health")
        expect(health).to_contain_text("Redis does not answer; start it")
        expect(health).to_contain_text("Redis is slow")
        expect(visit.page.get_by_role("main").get_by_text("not ready", exact=True)).to_be_visible()

    def test_its_plots_move(self):
        customer = self.world.crowded()
        visit = self.opened()
        plots = visit.panel("Plots")
        pushes = plots.get_by_role("img", name="Pushes per second:")
        expect(plots.get_by_role("img")).to_have_count(6)
        expect(pushes).to_have_attribute("aria-label", "Pushes per second: accepted 0, rejected 0, unsent 0, unanswered 0")
        self.world.stage.apns.behave({"latency": {"min_ms": 0, "max_ms": 6000}})
        customer.broadcast("start", customer.register("fans"), CONTENT)
        expect(pushes).not_to_have_attribute("aria-label", "Pushes per second: accepted 0, rejected 0, unsent 0, unanswered 0")
        expect(self.tile(visit, "pushes in flight")).not_to_contain_text("—")
        expect(plots.get_by_role("img", name="Redis round trip: half within")).not_to_have_attribute(
            "aria-label", "Redis round trip: half within not known, 99 of 100 within not known")
        figure = plots.get_by_role("figure").filter(has_text="Pushes per second")
        figure.get_by_text("As a table").click()
        expect(figure.get_by_role("columnheader", name="accepted")).to_be_visible()

    def test_a_provider_that_does_not_serve_is_told_until_it_does(self):
        customer = self.world.crowded()
        visit = self.opened()
        providers = visit.panel("Providers")
        expect(providers).to_contain_text("breaker closed")
        self.world.stage.apns.behave(NOT_SERVING)
        broadcast = customer.broadcast("start", customer.register("fans"), CONTENT)
        expect(providers).to_contain_text("are paused: overloaded")
        expect(visit.panel("Health")).to_contain_text("pushes are paused")
        expect(self.tile(visit, "broadcasts running")).to_contain_text("1")
        self.world.stage.apns.behave()
        expect(providers).to_contain_text("breaker closed")
        expect(visit.panel("Health")).not_to_contain_text("pushes are paused")
        wait_for(lambda: customer.where(broadcast)["state"] == "done", "the start")
        self.assertEqual(IPHONES, customer.where(broadcast)["accepted"])

    def test_tables_are_those_of_the_metrics(self):
        visit = self.opened()
        for table in ("Connections to providers", "Jobs by lane", "Shared resources"):
            expect(visit.page.get_by_role("table", name=table)).to_be_visible()
        expect(visit.row("uploads", "Shared resources")).to_be_visible()
        redis = visit.panel("Redis")
        for check in ("eviction", "persistence", "version"):
            expect(redis.get_by_role("listitem").filter(has_text=check)).to_be_visible()

    def test_a_gateway_that_hangs_is_shown(self):
        visit = self.opened()
        main = visit.page.get_by_role("main")
        ready = main.locator(".badge", has_text=re.compile("^ready$"))
        expect(ready).to_be_visible()
        for path in ("metrics", "health"):
            visit.page.route(f"**/console/operator/{path}", lambda route: None)
        expect(main.get_by_text(re.compile(r"^last answer [4-9] s ago$"))).to_be_visible(timeout=10_000)
        expect(ready).to_have_count(0)
        for path in ("metrics", "health"):
            visit.page.unroute(f"**/console/operator/{path}")
        expect(ready).to_be_visible(timeout=30_000)

    def test_metrics_that_cannot_be_read_are_told_and_read_again(self):
        visit = self.opened()
        visit.allow(503, "/operator/metrics")
        expect(self.tile(visit, "Redis")).to_contain_text("up")
        refused = {"error": "the gateway is stopping", "code": "SHUTTING_DOWN"}
        visit.page.route("**/console/operator/metrics", lambda route: route.fulfill(status=503, json=refused))
        alert = visit.page.get_by_role("alert")
        expect(alert).to_contain_text("SHUTTING_DOWN")
        # What was true before is not shown as if it were now.
        expect(self.tile(visit, "Redis")).to_contain_text("—")
        main = visit.page.get_by_role("main")
        expect(main.get_by_text("no answer", exact=True)).to_be_visible()
        visit.page.unroute("**/console/operator/metrics")
        expect(alert).to_have_count(0)
        expect(self.tile(visit, "Redis")).to_contain_text("up")
        expect(main.get_by_text("ready", exact=True).first).to_be_visible()
