"""What a tenant may use, and uses."""

from playwright.sync_api import expect

from ..case import ConsoleTest
from ..customer import iphone


class LimitTests(ConsoleTest):
    def test_limits_and_shares_are_those_of_the_api(self):
        customer = self.world.customer()
        self.world.stage.command("tenant", "set-limits", customer.id, "--devices", "4000", "--users", "off")
        salt = self.world.fresh()
        customer.import_devices([iphone(number, "limit", salt) for number in range(1234)])
        visit = self.as_tenant(customer, "limits")
        visit.is_at("Limits")
        told = customer.ask("GET", "limits")
        limits = visit.page.get_by_role("table", name="Limits")
        for each in told["limits"]:
            row = limits.get_by_role("row").filter(
                has=visit.page.get_by_role("rowheader", name=each["name"].replace("_", " "), exact=True))
            expect(row).to_contain_text("default" if each["default"] else "operator")
            if "bytes" not in each["name"]:
                expect(row).to_contain_text(f"{each['limit']:,}" if "limit" in each else "none")
        expect(visit.row("devices", "Limits").filter(has_text="4,000")).to_contain_text("1,234")
        meter = visit.page.get_by_role("meter", name="Use of devices", exact=True)
        expect(meter).to_have_attribute("aria-valuenow", "1234")
        for each in told["shares"]:
            expect(visit.row(each["name"].replace("_", " "), "Shares").first).to_be_visible()

    def test_what_is_used_is_counted_anew(self):
        customer = self.world.customer()
        visit = self.as_tenant(customer, "limits")
        meter = visit.page.get_by_role("meter", name="Use of users", exact=True)
        expect(meter).to_have_attribute("aria-valuenow", "0")
        salt = self.world.fresh()
        customer.import_devices([iphone(number, "more", salt) for number in range(3)])
        expect(meter).to_have_attribute("aria-valuenow", "3")
