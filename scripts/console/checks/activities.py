"""Activities: listed, looked into, restarted, ended."""

from playwright.sync_api import expect

from ..case import SendingTest
from ..customer import TYPE, phone
from ..ledger import accepted
from ..world import ANDROIDS, IPHONES

CONTENT = {"title": "Kick-off", "message": "Ajax against PSV", "content_state": {"home": 0}}


class ActivityTests(SendingTest):
    def started(self, segment="fans"):
        activity = self.customer.register(segment)
        self.customer.broadcast("start", activity, CONTENT, wait=True)
        return activity

    def opened(self, activity, **options):
        visit = self.as_tenant(self.customer, f"activities/{activity}", **options)
        visit.is_at(f"MatchAttributes {activity[:8]}")
        return visit

    def legend(self, visit, state):
        return visit.panel("Devices by state").get_by_role("listitem").filter(has_text=state).first

    def test_they_are_listed_by_state_and_type(self):
        registered = self.customer.register("fans")
        order = self.customer.register("fans", activity_type="OrderAttributes")
        ended = self.started()
        self.customer.broadcast("end", ended, None, wait=True, force=True)
        visit = self.as_tenant(self.customer, "activities")
        for activity in (registered, order, ended):
            expect(visit.row(activity[:8], "Activities")).to_be_visible()
        visit.page.get_by_label("State").select_option(label="dead")
        expect(visit.row(ended[:8])).to_contain_text("ended_by_api")
        expect(visit.row(registered[:8])).to_have_count(0)
        self.assertIn("state=DEAD", visit.page.url)
        visit.page.get_by_label("State").select_option(label="any")
        kind = visit.page.get_by_label("Activity type")
        kind.fill("OrderAttributes")
        kind.press("Enter")
        expect(visit.row(order[:8])).to_contain_text("registered")
        expect(visit.row(registered[:8])).to_have_count(0)
        # The address keeps the choice.
        visit.page.reload()
        expect(visit.row(order[:8])).to_be_visible()
        expect(visit.page.get_by_label("Activity type")).to_have_value("OrderAttributes")
        visit.row(order[:8]).get_by_role("link").click()
        visit.is_at(f"OrderAttributes {order[:8]}")

    def test_devices_by_state_change_as_they_sync(self):
        activity = self.started()
        visit = self.opened(activity)
        expect(self.legend(visit, "pending")).to_contain_text(str(IPHONES))
        bar = visit.page.get_by_role("img", name="Devices by state:")
        expect(bar).to_have_attribute("aria-label", f"Devices by state: {IPHONES} pending")
        for number in range(30):
            self.customer.sync(activity, phone(number), 2 * 10**6 + number)
        expect(self.legend(visit, "active")).to_contain_text("30")
        expect(self.legend(visit, "pending")).to_contain_text(str(IPHONES - 30))

    def test_the_time_to_sync_is_drawn_and_can_be_read(self):
        activity = self.started()
        for number in range(30):
            self.customer.sync(activity, phone(number), 3 * 10**6 + number)
        visit = self.opened(activity)
        told = self.customer.ask("GET", f"live-activity/{activity}")["time_to_sync"]
        panel = visit.panel("Time to sync")
        expect(panel.get_by_role("img", name="Devices that have synced: ")).to_be_visible()
        panel.get_by_text("As a table").click()
        for seconds, name in (("1", "1.0 s"), ("60", "1 min"), ("900", "15 min")):
            row = panel.get_by_role("row").filter(has=visit.page.get_by_role("rowheader", name=name, exact=True))
            expect(row).to_contain_text(str(told["within"][seconds]))
        expect(panel.get_by_role("listitem").filter(has_text="half")).to_be_visible()

    def test_cohorts_have_bars_of_their_own(self):
        activity = self.started("everybody")
        visit = self.opened(activity)
        for cohort, devices in (("apns", IPHONES), ("fcm", ANDROIDS)):
            expect(visit.page.get_by_role("img", name=f"Devices by state, cohort {cohort}: {devices} pending")).to_be_visible()

    def test_devices_are_listed_by_state_in_pages(self):
        activity = self.started()
        self.customer.sync(activity, phone(3), 4 * 10**6)
        visit = self.opened(activity)
        table = visit.page.get_by_role("table", name="Devices of the activity")
        expect(table.get_by_role("row")).to_have_count(51)
        visit.page.get_by_role("navigation", name="Pages of devices").get_by_role("button", name="Next").click()
        expect(visit.page.get_by_text("Page 2", exact=True)).to_be_visible()
        visit.page.get_by_label("Devices in state").select_option(label="active")
        row = visit.row("fan-00003", "Devices of the activity")
        expect(row).to_contain_text("accepted")
        expect(row).to_contain_text("phone-fan-00003")
        expect(table.get_by_role("row")).to_have_count(2)
        row.get_by_role("link").click()
        expect(visit.page).to_have_url(f"{visit.base}#/tenants/{self.customer.id}/phone?insider_id=fan-00003")

    def test_last_broadcasts_lead_to_them(self):
        activity = self.started()
        visit = self.opened(activity)
        row = visit.row("start", "Last broadcasts")
        expect(row).to_contain_text("done")
        expect(row).to_contain_text("100%")
        row.get_by_role("link").click()
        visit.is_at("Start ")

    def test_ending_it_asks_first(self):
        activity = self.started()
        for number in range(4):
            self.customer.sync(activity, phone(number), 5 * 10**6 + number)
        visit = self.opened(activity)
        end = visit.page.get_by_role("button", name="End activity")
        end.click()
        dialog = visit.dialog(f"End MatchAttributes {activity[:8]}?")
        expect(dialog).to_contain_text(f"{IPHONES} devices")
        dialog.get_by_role("button", name="Cancel").click()
        self.assertEqual("STARTED", self.customer.ask("GET", f"live-activity/{activity}")["state"])
        end.click()
        dialog.get_by_role("button", name="End activity").click()
        visit.is_told("is ending")
        expect(end).to_have_count(0)
        expect(self.legend(visit, "ended")).to_contain_text("4")
        self.assertEqual("DEAD", self.customer.ask("GET", f"live-activity/{activity}")["state"])

    def test_one_of_which_no_device_has_synced_is_ended_by_force(self):
        activity = self.started()
        visit = self.opened(activity)
        visit.allow(409, "/live-activity/end")
        visit.page.get_by_role("button", name="End activity").click()
        dialog = visit.dialog(f"End MatchAttributes {activity[:8]}?")
        dialog.get_by_label("force").uncheck()
        dialog.get_by_role("button", name="End activity").click()
        expect(dialog.get_by_role("alert")).to_contain_text("DEVICE_NOT_SYNCED")
        dialog.get_by_label("force").check()
        dialog.get_by_role("button", name="End activity").click()
        expect(dialog).to_have_count(0)
        expect(visit.page.get_by_role("main")).to_contain_text("dead")

    def test_one_that_was_not_started_is_canceled(self):
        activity = self.customer.register("fans")
        visit = self.opened(activity)
        visit.page.get_by_role("button", name="End activity").click()
        dialog = visit.dialog(f"End MatchAttributes {activity[:8]}?")
        expect(dialog).to_contain_text("cancels it")
        dialog.get_by_role("button", name="End activity").click()
        expect(dialog).to_have_count(0)
        self.assertEqual("DEAD", self.customer.ask("GET", f"live-activity/{activity}")["state"])

    def test_who_was_left_out_is_started_again_and_nobody_else(self):
        mark = f"mark-{self.world.fresh()}-"
        self.mock.behave({"rules": [{"every": 10, "status": 400, "reason": "BadPriority"}]})
        activity = self.started()
        self.mock.behave()
        refused = self.customer.ask("GET", f"live-activity/{activity}")["counts"]["failed"]
        self.assertGreater(refused, 1)
        visit = self.opened(activity)
        expect(self.legend(visit, "failed")).to_contain_text(str(refused))
        visit.page.get_by_role("link", name="Restart", exact=True).click()
        visit.is_at(f"Restart {TYPE} {activity[:8]}")
        panel = visit.panel("Restart")
        who = panel.get_by_label("Devices to restart")
        expect(who.locator("option")).to_have_text([
            f"{refused} devices failed: the provider refused the start",
            f"{IPHONES - refused} devices not synced: started, without a report since"])
        expect(panel.get_by_label("Silent for at least")).to_be_hidden()
        # A start needs title and message.
        title = visit.page.get_by_label("Title", exact=True)
        title.fill("")
        panel.get_by_role("button", name="Count and restart").click()
        expect(title).to_be_focused()
        title.fill(mark)
        visit.page.get_by_label("Message", exact=True).fill("Again")
        visit.page.get_by_label("attributes", exact=True).fill('{"league": 1.0}')
        panel.get_by_role("button", name="Count and restart").click()
        dialog = visit.dialog(f"Restart {TYPE} {activity[:8]}?")
        expect(dialog).to_contain_text(f"Up to {refused} devices get a start")
        self.assertEqual({}, accepted(self.mock, mark))
        # However often it is pressed.
        dialog.get_by_role("button", name=f"Restart on up to {refused} devices").dblclick()
        visit.is_at("Start ")
        article = visit.page.get_by_role("article", name="Broadcast start")
        expect(article).to_have_attribute("data-state", "done")
        expect(article.get_by_role("listitem").filter(has_text="accepted")).to_contain_text(str(refused))
        self.assertEqual({"start": refused}, accepted(self.mock, mark))

    def test_a_restart_that_finds_nobody_says_so_and_sends_nothing(self):
        activity = self.started()
        visit = self.as_tenant(self.customer, f"compose?activity={activity}&for=restart")
        visit.allow(422, "/restart")
        panel = visit.panel("Restart")
        expect(panel.get_by_label("Silent for at least")).to_be_visible()
        for label in ("Title", "Message"):
            visit.page.get_by_label(label, exact=True).fill("Again")
        panel.get_by_role("button", name="Count and restart").click()
        dialog = visit.dialog("Restart ")
        dialog.get_by_role("button", name="Restart on").click()
        expect(dialog.get_by_role("alert")).to_contain_text("NO_ELIGIBLE_DEVICE")

    def test_where_nobody_was_left_out_there_is_no_restart(self):
        activity = self.customer.register(users=["fan-00000"])
        self.customer.broadcast("start", activity, CONTENT, wait=True)
        self.customer.sync(activity, phone(0), 12 * 10**6)
        visit = self.opened(activity)
        expect(self.legend(visit, "active")).to_contain_text("1")
        expect(visit.page.get_by_role("link", name="Restart", exact=True)).to_have_count(0)
