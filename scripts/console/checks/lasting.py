"""An hour of live updates without growth: the page's clock runs ahead, and an hour's events come in minutes."""

import json

from playwright.sync_api import expect

from ..case import ConsoleTest
from ..memory import held
from ..scenery import Scenery, is_whole
from ..servers import wait_for
from ..world import here

#: Readings of the metrics, one in two seconds: what fills the plots, and an hour.
FIRST, HOUR = 320, 1800
#: Events of a broadcast, ten a second at most: those of ten minutes on one connection, six times.
EVENTS, CONNECTIONS = 6000, 6
#: Walks through all views.
WARM, WALKS = 2, 8


class LastingTests(ConsoleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.scenery = Scenery(here())

    def has_not_grown(self, early, late):
        print(f"\n    early {early}\n    late  {late}", flush=True)
        self.assertEqual(early.documents, late.documents)
        self.assertLessEqual(late.nodes, early.nodes * 1.05 + 20)
        self.assertLessEqual(late.listeners, early.listeners * 1.05 + 10)
        self.assertLessEqual(late.heap, early.heap * 1.1 + 1_000_000)

    def test_an_hour_of_readings_of_the_gateway(self):
        visit = self.visit()
        visit.page.clock.install()
        visit.open("#/gateway")
        visit.sign_in(self.world.operator)
        visit.is_at("Gateway")
        early = None
        for number in range(HOUR):
            with visit.page.expect_response("**/console/operator/metrics"):
                visit.page.clock.fast_forward(2000)
            if number == FIRST:
                early = held(visit.page)
        expect(visit.page.get_by_role("img", name="Pushes per second: accepted 0")).to_be_visible()
        self.has_not_grown(early, held(visit.page))

    def test_an_hour_of_events_of_a_broadcast(self):
        record = {
            **self.scenery.customer.where(self.scenery.broadcast), "state": "running", "total": EVENTS * CONNECTIONS,
            "accepted": 0, "failed": {}}
        del record["finished_at"]
        connections, held_back = [], []

        def stream(route):
            first = len(connections) * EVENTS
            connections.append(first)
            events = ["retry: 20\n\n"]
            for number in range(first, first + EVENTS):
                failed = number // 10
                now = {**record, "accepted": number - failed, "failed": {"Unregistered": failed} if failed else {}}
                events.append(f"event: progress\ndata: {json.dumps(now)}\n\n")
            if len(connections) == CONNECTIONS:
                over = {**record, "state": "done", "accepted": EVENTS * CONNECTIONS, "finished_at": record["started_at"]}
                events.append(f"event: end\ndata: {json.dumps(over)}\n\n")
            body = "".join(events)
            # The second one waits until the first has been looked at.
            if len(connections) == 2:
                held_back.append(lambda: route.fulfill(body=body, content_type="text/event-stream"))
            else:
                route.fulfill(body=body, content_type="text/event-stream")

        visit = self.visit()
        path = f"**/broadcasts/{self.scenery.broadcast}"
        visit.page.route(path, lambda route: route.fulfill(json=record))
        visit.page.route(f"{path}/events", stream)
        visit.open(f"#/tenants/{self.scenery.customer.id}/broadcasts/{self.scenery.broadcast}")
        visit.sign_in(self.world.operator)
        article = visit.page.get_by_role("article", name="Broadcast start")
        accepted = article.get_by_role("listitem").filter(has_text="accepted")
        last = EVENTS - 1
        expect(accepted).to_contain_text(f"{last - last // 10:,}")
        wait_for(lambda: held_back or visit.page.wait_for_timeout(20), "the second stream")
        early = held(visit.page)
        held_back.pop()()
        expect(article).to_have_attribute("data-state", "done", timeout=120_000)
        expect(accepted).to_contain_text(f"{EVENTS * CONNECTIONS:,}")
        self.assertEqual(CONNECTIONS, len(connections))
        self.has_not_grown(early, held(visit.page))

    def test_walks_through_all_views_leave_nothing_behind(self):
        visit = self.as_operator("#/gateway")
        early = None
        for walk in range(WARM + WALKS):
            for _, route, headline in self.scenery.routes():
                visit.page.evaluate("hash => { location.hash = hash }", route)
                visit.is_at(headline)
                is_whole(visit.page)
            visit.page.evaluate("location.hash = '#/tenants'")
            visit.is_at("Tenants")
            if walk == WARM - 1:
                early = held(visit.page)
        self.has_not_grown(early, held(visit.page))
