"""Signing in and out, and what becomes of a session that is over."""

from playwright.sync_api import expect

from ..case import ConsoleTest


class SignInTests(ConsoleTest):
    def is_at_sign_in(self, visit):
        visit.is_at("Sign in to the console")
        expect(visit.page.get_by_label("Key", exact=True)).to_be_focused()

    def test_addresses_lead_to_the_console(self):
        visit = self.visit()
        for path in ("/", "/console"):
            visit.page.goto(self.world.stage.console_url + path)
            self.assertEqual(visit.base, visit.page.url)
        self.is_at_sign_in(visit)

    def test_a_wrong_key_is_refused(self):
        visit = self.visit()
        visit.open()
        visit.page.get_by_label("Key", exact=True).fill("ffk_" + "0" * 64)
        visit.page.get_by_role("button", name="Sign in").click()
        expect(visit.page.get_by_role("alert")).to_contain_text("UNAUTHORIZED")
        self.is_at_sign_in_without_focus(visit)
        self.assertEqual([], visit.context.cookies())

    def is_at_sign_in_without_focus(self, visit):
        visit.is_at("Sign in to the console")
        expect(visit.page.get_by_role("button", name="Sign in")).to_be_enabled()

    def test_no_key_is_asked_for(self):
        visit = self.visit()
        visit.open()
        visit.page.get_by_label("Key", exact=True).fill("  ")
        visit.page.get_by_role("button", name="Sign in").click()
        expect(visit.page.get_by_label("Key", exact=True)).to_have_attribute("aria-invalid", "true")
        self.assertNotIn("POST", [method for method, _ in visit.requests])

    def test_an_sdk_key_opens_nothing(self):
        customer = self.world.customer()
        visit = self.visit()
        visit.open()
        visit.page.get_by_label("Key", exact=True).fill(customer.sdk_key)
        visit.page.get_by_role("button", name="Sign in").click()
        expect(visit.page.get_by_role("alert")).to_contain_text("UNAUTHORIZED")

    def test_an_operator_sees_the_gateway_first(self):
        visit = self.as_operator()
        visit.is_at("Gateway")
        navigation = visit.page.get_by_role("navigation", name="Console")
        expect(navigation.get_by_role("link", name="Gateway")).to_have_attribute("aria-current", "page")
        expect(navigation.get_by_role("link", name="Tenants")).to_be_visible()
        expect(navigation).to_contain_text("olga")

    def test_a_tenant_sees_its_broadcasts_first_and_nothing_of_the_gateway(self):
        customer = self.world.customer()
        visit = self.as_tenant(customer)
        visit.is_at("Broadcasts")
        navigation = visit.page.get_by_role("navigation", name="Console")
        expect(navigation).to_contain_text(customer.name)
        expect(navigation.get_by_role("link", name="Tenants")).to_have_count(0)
        for route in ("#/gateway", "#/tenants", f"#/tenants/{customer.id}"):
            visit.open(route)
            visit.is_at("Not shown")

    def test_a_tenant_sees_no_other(self):
        customer, other = self.world.customer(), self.world.customer("neighbour")
        visit = self.as_tenant(customer)
        visit.is_at("Broadcasts")
        visit.open(f"#/tenants/{other.id}/segments")
        visit.is_at("Not shown")
        # Nor past the page.
        visit.allow(404, "/segments")
        self.assertEqual(404, self.asked(visit, f"/console/tenants/{other.id}/api/v1/segments"))
        visit.allow(404, "/tenants")
        self.assertEqual(404, self.asked(visit, "/console/operator/tenants"))

    def test_who_reloads_stays_signed_in(self):
        visit = self.as_operator("#/tenants")
        visit.is_at("Tenants")
        visit.page.reload()
        visit.is_at("Tenants")

    def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(self):
        visit = self.as_operator()
        cookie, = visit.context.cookies()
        self.assertEqual((True, "Strict"), (cookie["httpOnly"], cookie["sameSite"]))
        self.assertRegex(cookie["name"], r"^fanfare_console_\d+$")
        self.assertEqual("", visit.page.evaluate("document.cookie"))

    def test_the_key_is_kept_nowhere(self):
        visit = self.as_operator()
        kept = visit.page.evaluate("JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), location.href])")
        self.assertNotIn(self.world.operator, kept)
        self.assertNotIn(self.world.operator, visit.page.content())

    def asked(self, visit, path, method="GET", token="localStorage.getItem('fanfare-console-token')"):
        """The status that a script of the page is answered; `token` is what it sends along, as a script."""
        return visit.page.evaluate(
            "async ([path, method]) => (await fetch(path, {method, headers: {'X-Console-Token': %s}})).status" % token,
            [path, method])

    def test_each_request_needs_the_token(self):
        customer = self.world.customer()
        visit = self.as_tenant(customer)
        visit.is_at("Broadcasts")
        path = f"/console/tenants/{customer.id}/api/v1/segments/none"
        visit.allow(401, "/none")
        for method in ("GET", "DELETE"):
            for token in ("''", f"'{'0' * 68}'"):
                self.assertEqual(401, self.asked(visit, path, method, token))
        visit.allow(404, "/none")
        self.assertEqual(404, self.asked(visit, path))

    def test_signing_out_ends_the_session(self):
        visit = self.as_operator("#/tenants")
        visit.is_at("Tenants")
        cookies = visit.context.cookies()
        visit.page.get_by_role("button", name="Sign out").click()
        self.is_at_sign_in(visit)
        # The cookie of before opens nothing any more.
        visit.context.add_cookies(cookies)
        visit.open()
        self.is_at_sign_in(visit)

    def test_a_session_that_is_over_leads_back_to_where_one_was(self):
        customer = self.world.customer()
        route = f"#/tenants/{customer.id}/limits"
        visit = self.as_operator(route)
        visit.is_at("Limits")
        visit.allow(401, "/limits")
        visit.context.clear_cookies()
        # The next reading of what is used finds it out.
        self.is_at_sign_in(visit)
        expect(visit.page.get_by_text("The session has ended")).to_be_visible()
        visit.sign_in(self.world.operator)
        visit.is_at("Limits")
        self.assertTrue(visit.page.url.endswith(route))

    def test_an_address_that_is_kept_opens_its_view_after_signing_in(self):
        customer = self.world.customer()
        visit = self.as_tenant(customer, "segments")
        visit.is_at("Segments")
