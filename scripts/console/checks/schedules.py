"""Schedules: made from Compose, listed at their activity, canceled."""

import datetime

from playwright.sync_api import expect

from ..case import SendingTest
from ..customer import TYPE, phone
from ..ledger import accepted
from ..servers import wait_for

CONTENT = {"title": "Kick-off", "message": "Ajax against PSV", "content_state": {"home": 0}}


def minutes_ahead(minutes):
    """What a field of date and time takes, by the browser's clock, which is UTC's here."""
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
    return at.strftime("%Y-%m-%dT%H:%M")


class ScheduleTests(SendingTest):
    def started(self, synced=0):
        activity = self.customer.register("fans")
        self.customer.broadcast("start", activity, CONTENT, wait=True)
        for number in range(synced):
            self.customer.sync(activity, phone(number), self.world.fresh() * 10**4 + number)
        return activity

    def pending(self, activity):
        told = self.customer.ask("GET", f"live-activity/schedule?activity_id={activity}")["schedules"]
        return [each for each in told if each["state"] == "pending"]

    def row(self, visit, name):
        return visit.page.get_by_role("table", name="Schedules").get_by_role("row").filter(has_text=name)

    def test_an_update_is_scheduled_and_canceled_and_the_others_stay(self):
        activity = self.started()
        self.customer.ask("POST", "live-activity/schedule", {
            "activity_id": activity, "event": "end", "offset": 3600, "name": "full time"})
        other = self.started()
        self.customer.ask("POST", "live-activity/schedule", {"activity_id": other, "event": "end", "offset": 3600})
        visit = self.as_tenant(self.customer, f"compose?activity={activity}")
        visit.is_at(f"Update {TYPE}")
        visit.page.get_by_label("content_state", exact=True).fill('{"home": 1.0}')
        later = visit.panel("Schedule")
        later.get_by_label("Name").fill("second half")
        # In the past, and when the activity is over.
        for wrong, said in ((minutes_ahead(-5), "in the past"), (minutes_ahead(60 * 24), "ended by then"), ("", "Enter a date")):
            later.get_by_label("When").fill(wrong)
            later.get_by_role("button", name="Schedule").click()
            expect(later).to_contain_text(said)
        self.assertEqual(1, len(self.pending(activity)))
        due = minutes_ahead(45)
        later.get_by_label("When").fill(due)
        later.get_by_role("button", name="Schedule").click()
        dialog = visit.dialog(f"Schedule an update of {TYPE} {activity[:8]}?")
        expect(dialog).to_contain_text("300 devices")
        dialog.get_by_role("button", name="Schedule the update").dblclick()
        visit.is_at(f"{TYPE} {activity[:8]}")
        expect(self.row(visit, "second half")).to_contain_text("waits")
        made, = (each for each in self.pending(activity) if each["event"] == "update")
        self.assertEqual(("second half", f"{due}:00Z"), (made["name"], made["deliver_at"]))

        self.row(visit, "second half").get_by_role("button", name="Cancel the update").click()
        dialog = visit.dialog("Cancel the update?")
        expect(dialog).to_contain_text("second half")
        dialog.get_by_role("button", name="Cancel", exact=True).click()
        self.assertEqual(2, len(self.pending(activity)))
        self.row(visit, "second half").get_by_role("button", name="Cancel the update").click()
        dialog.get_by_role("button", name="Cancel the update").click()
        visit.is_told("The update is canceled.")
        expect(self.row(visit, "second half")).to_have_count(0)
        expect(self.row(visit, "full time")).to_contain_text("waits")
        self.assertEqual((["full time"], 1), ([each["name"] for each in self.pending(activity)], len(self.pending(other))))

    def test_an_end_is_scheduled_with_and_without_a_last_content(self):
        activity = self.started()
        visit = self.as_tenant(self.customer, f"compose?activity={activity}")
        later = visit.panel("Schedule")
        for what, name in (("end without new content", "bare"), ("end with this content", "with content")):
            visit.open(f"#/tenants/{self.customer.id}/compose?activity={activity}")
            # What goes along has to be good, and nothing else.
            state = visit.page.get_by_label("content_state", exact=True)
            state.fill("{")
            later.get_by_label("What").select_option(label=what)
            later.get_by_label("Name").fill(name)
            later.get_by_role("button", name="Schedule").click()
            if name == "with content":
                expect(state).to_be_focused()
                state.fill('{"home": 2}')
                later.get_by_role("button", name="Schedule").click()
            visit.dialog("Schedule an end").get_by_role("button", name="Schedule the end").click()
            visit.is_at(f"{TYPE} {activity[:8]}")
            expect(self.row(visit, name)).to_contain_text("end")
        self.assertEqual(["end", "end"], [each["event"] for each in self.pending(activity)])

    def test_what_was_carried_out_leads_to_its_broadcast_and_what_was_refused_says_why(self):
        mark = f"mark-{self.world.fresh()}-"
        activity = self.started(synced=5)
        say = {"activity_id": activity, "event": "update", "offset": 0, "content": {"content_state": {"mark": mark}}}
        self.customer.ask("POST", "live-activity/schedule", {**say, "name": "done"})
        silent = self.started()
        self.customer.ask("POST", "live-activity/schedule", {**say, "activity_id": silent, "name": "refused"})
        visit = self.as_tenant(self.customer, f"activities/{activity}")
        self.row(visit, "done").get_by_role("link", name="its broadcast").click()
        visit.is_at("Update ")
        wait_for(lambda: accepted(self.mock, mark) == {"update": 5}, "the scheduled update")
        visit.open(f"#/tenants/{self.customer.id}/activities/{silent}")
        # For half a minute after its start, an update waits for the first report.
        expect(self.row(visit, "refused")).to_contain_text("DEVICE NOT SYNCED", timeout=45_000)

    def test_there_are_none_at_first(self):
        visit = self.as_tenant(self.customer, f"activities/{self.started()}")
        expect(visit.panel("Schedules")).to_contain_text("No schedules.")
