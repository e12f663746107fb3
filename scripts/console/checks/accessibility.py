"""Every view by axe-core, light and dark, narrow and wide; and how the page bears a narrow screen."""

from playwright.sync_api import expect

from .. import axe
from ..case import ConsoleTest
from ..scenery import Scenery, is_whole
from ..world import here

_WIDTHS = {"narrow": {"width": 390, "height": 844}, "wide": {"width": 1600, "height": 1000}}


class AccessibilityTests(ConsoleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.scenery = Scenery(here())

    def look(self, scheme, width):
        # axe-core is put into the page past the policy, which other tests look after.
        visit = self.as_operator("#/gateway", bypass_csp=True, color_scheme=scheme, viewport=_WIDTHS[width], reduced_motion="reduce")
        found = []
        for name, route, headline in self.scenery.routes():
            visit.page.goto(visit.base + route)
            visit.is_at(headline)
            is_whole(visit.page)
            found += [f"{name}: {line}" for line in axe.violations(visit.page)]
            wider = visit.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            if wider > 0:
                found.append(f"{name}: the page is {wider} px wider than the screen")
        self.assertEqual("", "\n".join(found))

    def test_light_and_narrow(self):
        self.look("light", "narrow")

    def test_dark_and_narrow(self):
        self.look("dark", "narrow")

    def test_light_and_wide(self):
        self.look("light", "wide")

    def test_dark_and_wide(self):
        self.look("dark", "wide")

    def test_signing_in(self):
        for scheme in ("light", "dark"):
            for width in _WIDTHS.values():
                with self.subTest(scheme=scheme, width=width):
                    visit = self.visit(bypass_csp=True, color_scheme=scheme, viewport=width)
                    visit.open()
                    visit.page.get_by_label("Key", exact=True).fill("wrong")
                    visit.page.get_by_role("button", name="Sign in").click()
                    expect(visit.page.get_by_role("alert")).to_be_visible()
                    self.assertEqual("", "\n".join(axe.violations(visit.page)))

    def test_dialogs(self):
        tenant = f"#/tenants/{self.scenery.customer.id}"
        visits = {scheme: self.as_operator("#/tenants", bypass_csp=True, color_scheme=scheme, viewport=_WIDTHS["narrow"])
                  for scheme in ("light", "dark")}
        for route, name in (
                ("#/tenants", "Create tenant"), (tenant, "Disable tenant"), (tenant, "Rotate API key"),
                (f"{tenant}/segments", "Upload a segment"), (f"{tenant}/segments", "Delete fans"),
                (f"{tenant}/webhooks", "Create webhook"), (f"{tenant}/compose?segment=fans", "Count and send"),
                (f"{tenant}/activities/{self.scenery.activity}", "End activity"),
                (f"{tenant}/activities/{self.scenery.activity}", "Cancel the end"),
                (f"{tenant}/compose?activity={self.scenery.activity}", "Schedule"),
                (f"{tenant}/compose?activity={self.scenery.activity}&for=restart", "Count and restart"),
                (f"{tenant}/compose?topic=ajax-psv", "Set state"), (f"{tenant}/topics/ajax-psv", "Delete"),
                (f"{tenant}/phone?insider_id=fan-00003", "Erase user")):
            for scheme, visit in visits.items():
                with self.subTest(dialog=name, scheme=scheme):
                    visit.open(route)
                    visit.page.reload()
                    if name.startswith("Count and"):
                        for label in ("Activity type", "Title", "Message"):
                            box = visit.page.get_by_label(label, exact=True)
                            box.fill("Goal") if box.is_visible() else None
                    visit.page.get_by_role("button", name=name).first.click()
                    expect(visit.page.get_by_role("dialog")).to_be_visible()
                    self.assertEqual("", "\n".join(axe.violations(visit.page)))
                    wider = visit.page.get_by_role("dialog").evaluate("each => each.scrollWidth - each.clientWidth")
                    self.assertLessEqual(wider, 0)

    def test_on_a_narrow_screen_the_navigation_is_behind_a_button(self):
        visit = self.as_operator("#/gateway", viewport=_WIDTHS["narrow"])
        visit.is_at("Gateway")
        menu = visit.page.get_by_role("button", name="Menu")
        link = visit.page.get_by_role("navigation", name="Console").get_by_role("link", name="Tenants")
        expect(link).to_be_hidden()
        menu.click()
        expect(menu).to_have_attribute("aria-expanded", "true")
        link.click()
        visit.is_at("Tenants")
        expect(link).to_be_hidden()
        menu.click()
        visit.page.keyboard.press("Escape")
        expect(menu).to_be_focused()
        expect(menu).to_have_attribute("aria-expanded", "false")

    def test_the_theme_is_chosen_and_kept(self):
        visit = self.as_operator("#/gateway", color_scheme="light")
        root = visit.page.locator("html")
        expect(root).to_have_attribute("data-theme", "light")
        visit.page.get_by_text("Dark", exact=True).click()
        expect(root).to_have_attribute("data-theme", "dark")
        visit.page.reload()
        expect(visit.page.get_by_label("Dark")).to_be_checked()
        expect(root).to_have_attribute("data-theme", "dark")
        visit.page.get_by_text("System", exact=True).click()
        expect(root).to_have_attribute("data-theme", "light")
        visit.page.emulate_media(color_scheme="dark")
        expect(root).to_have_attribute("data-theme", "dark")
