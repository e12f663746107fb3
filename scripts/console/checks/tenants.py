"""Tenants: made, switched, rotated, limited."""

import json

from playwright.sync_api import expect

from ..case import ConsoleTest
from ..servers import call


class TenantTests(ConsoleTest):
    def opened(self, customer):
        visit = self.as_operator(f"#/tenants/{customer.id}")
        visit.is_at(customer.name)
        return visit

    def show(self, tenant):
        return json.loads(self.world.stage.command("tenant", "show", tenant, "--json"))

    def status(self, api_key, sdk_key=None):
        """What the gateway answers to a key."""
        if sdk_key is not None:
            return call("GET", f"{self.world.stage.url}/api/v1/sdk/topics?insider_id=a&udid=b", headers={"X-Sdk-Key": sdk_key})[0]
        return call("GET", f"{self.world.stage.url}/api/v1/limits", headers={"X-Api-Key": api_key})[0]

    def test_all_are_listed_and_found(self):
        customer, other = self.world.customer("listed"), self.world.customer("other")
        self.world.stage.command("tenant", "disable", other.id)
        visit = self.as_operator("#/tenants")
        visit.is_at("Tenants")
        expect(visit.row(customer.name, "Tenants")).to_contain_text("enabled")
        expect(visit.row(other.name, "Tenants")).to_contain_text("disabled")
        expect(visit.row(customer.name, "Tenants")).to_contain_text("growth")
        expect(visit.row(customer.name, "Tenants")).to_contain_text("not required")
        visit.page.get_by_label("Filter").fill(other.name)
        expect(visit.row(customer.name)).to_have_count(0)
        expect(visit.page.get_by_text("1 tenant", exact=True)).to_be_visible()
        visit.page.get_by_label("Filter").fill(customer.id[:18])
        expect(visit.row(customer.name)).to_be_visible()
        visit.row(customer.name).get_by_role("link", name=customer.name).click()
        visit.is_at("Broadcasts")
        expect(visit.page.get_by_role("navigation", name="Console")).to_contain_text(customer.name)

    def test_one_is_made_and_its_keys_are_shown_once(self):
        visit = self.as_operator("#/tenants")
        visit.page.get_by_role("button", name="Create tenant").click()
        dialog = visit.dialog("Create a tenant")
        dialog.get_by_role("button", name="Create tenant").click()
        expect(dialog.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
        dialog.get_by_label("Name").fill("Brand new")
        dialog.get_by_label("Tier").select_option("growth")
        dialog.get_by_role("button", name="Create tenant").click()
        secrets = visit.dialog("The tenant's keys")
        api_key = secrets.get_by_label("API key", exact=True).input_value()
        sdk_key = secrets.get_by_label("SDK key", exact=True).input_value()
        self.assertTrue(secrets.get_by_label("Identity secret", exact=True).input_value())
        self.assertEqual(200, self.status(api_key))
        # What is shown once does not go by a slip of the hand, not even by two.
        visit.page.keyboard.press("Escape")
        visit.page.keyboard.press("Escape")
        expect(secrets).to_be_visible()
        secrets.get_by_role("button", name="I have saved").click()
        visit.is_at("Brand new")
        for key in (api_key, sdk_key):
            self.assertNotIn(key, visit.page.content())
        self.assertEqual("growth", self.show(visit.page.url.split("/")[-1])["tier"])

    def test_keys_are_copied(self):
        customer = self.world.customer()
        visit = self.opened(customer)
        visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
        visit.page.get_by_role("button", name="Rotate SDK key").click()
        visit.dialog("Rotate the SDK key").get_by_role("button", name="Rotate").click()
        secrets = visit.dialog("The new SDK key")
        secrets.get_by_role("button", name="Copy SDK key").click()
        expect(secrets.get_by_text("Copied")).to_be_visible()
        copied = visit.page.evaluate("navigator.clipboard.readText()")
        self.assertEqual(secrets.get_by_label("SDK key", exact=True).input_value(), copied)

    def test_a_key_is_rotated_with_an_overlap(self):
        customer = self.world.customer()
        visit = self.opened(customer)
        visit.page.get_by_role("button", name="Rotate API key").click()
        dialog = visit.dialog(f"Rotate the API key of {customer.name}?")
        dialog.get_by_label("The current key still works for").select_option(label="an hour")
        dialog.get_by_role("button", name="Rotate").click()
        secrets = visit.dialog("The new API key")
        expect(secrets).to_contain_text("The previous key works until")
        fresh = secrets.get_by_label("API key", exact=True).input_value()
        secrets.get_by_role("button", name="I have saved").click()
        self.assertEqual([200, 200], [self.status(fresh), self.status(customer.api_key)])
        keys = visit.page.get_by_role("table", name="Keys")
        expect(keys.get_by_role("row").filter(has_text="API key")).to_have_count(2)
        expect(keys.get_by_role("row").filter(has_text="overlap")).to_have_count(1)
        for each in self.show(customer.id)["keys"]:
            expect(keys).to_contain_text(each["sha256"])
        # The console goes on seeing the tenant, by its new key and by none.
        visit.open(f"#/tenants/{customer.id}/limits")
        visit.is_at("Limits")

    def test_a_key_is_revoked_at_once(self):
        customer = self.world.customer()
        visit = self.opened(customer)
        for kind in ("API key", "Identity secret"):
            visit.page.get_by_role("button", name=f"Rotate {kind}").click()
            dialog = visit.dialog(f"Rotate the {kind} of {customer.name}?")
            dialog.get_by_label("The current key still works for").select_option("0")
            dialog.get_by_role("button", name="Rotate").click()
            visit.dialog(f"The new {kind}").get_by_role("button", name="I have saved").click()
        self.assertEqual(401, self.status(customer.api_key))
        expect(visit.page.get_by_role("table", name="Keys").get_by_role("row")).to_have_count(4)

    def test_one_is_switched_off_when_its_name_is_typed_and_on_again(self):
        customer = self.world.customer()
        visit = self.opened(customer)
        visit.page.get_by_role("button", name="Disable tenant").click()
        dialog = visit.dialog(f"Disable {customer.name}?")
        disable = dialog.get_by_role("button", name="Disable tenant")
        expect(disable).to_be_disabled()
        dialog.get_by_label(f"Type {customer.name} to confirm").fill(customer.name)
        disable.click()
        visit.is_told(f"{customer.name} is disabled.")
        self.assertEqual(403, self.status(customer.api_key))
        expect(visit.panel("State")).to_contain_text("disabled")
        visit.page.get_by_role("button", name="Enable tenant").click()
        visit.dialog(f"Enable {customer.name}?").get_by_role("button", name="Enable tenant").click()
        visit.is_told(f"{customer.name} is enabled.")
        self.assertEqual(200, self.status(customer.api_key))

    def test_its_tier_is_changed_and_left(self):
        customer = self.world.customer()
        visit = self.opened(customer)
        tier = visit.page.get_by_label("Tier")
        expect(tier).to_have_value("growth")
        tier.select_option("enterprise")
        visit.page.keyboard.press("Escape")
        expect(tier).to_have_value("growth")
        tier.select_option("enterprise")
        visit.dialog(f"Set {customer.name} to enterprise?").get_by_role("button", name="Set tier").click()
        visit.is_told("The tier is enterprise.")
        self.assertEqual("enterprise", self.show(customer.id)["tier"])

    def test_a_limit_is_set_and_given_its_default(self):
        customer = self.world.customer()
        visit = self.opened(customer)
        row = visit.row("devices per user", "Limits")
        expect(row).to_contain_text("default")
        value = row.get_by_label("New value of devices per user")
        value.fill("none")
        row.get_by_role("button", name="Set").click()
        expect(value).to_have_attribute("aria-invalid", "true")
        value.fill("12")
        value.press("Enter")
        visit.is_told("devices per user is 12.")
        expect(row).to_contain_text("operator")
        self.assertEqual(12, self.show(customer.id)["limits"]["devices_per_user"])
        row.get_by_role("button", name="Reset devices per user to its default").click()
        visit.is_told("devices per user is reset to its default.")
        expect(row).to_contain_text("100")
        self.assertEqual(100, self.show(customer.id)["limits"]["devices_per_user"])

    def test_a_limit_out_of_its_range_is_refused_in_words(self):
        customer = self.world.customer()
        visit = self.opened(customer)
        visit.allow(400, f"/tenants/{customer.id}")
        row = visit.row("weight", "Limits")
        row.get_by_label("New value of weight").fill("99999999")
        row.get_by_role("button", name="Set").click()
        expect(visit.panel("Limits").get_by_role("alert")).to_be_visible()
        self.assertEqual(1, self.show(customer.id)["limits"]["weight"])
