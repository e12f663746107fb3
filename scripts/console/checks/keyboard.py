"""By keyboard alone: signing in, going everywhere, sending to a segment, and where the focus is."""

import json

from playwright.sync_api import expect

from ..case import ConsoleTest
from ..ledger import accepted
from ..scenery import Scenery, is_whole
from ..world import IPHONES, here

#: So many presses of Tab reach everything of a view.
MOST = 400
#: What a keyboard can reach, and is in sight.
_REACHABLE = """() => [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .filter(each => !each.disabled && each.tabIndex >= 0 && each.checkVisibility({visibilityProperty: true}))
    .filter(each => each.type !== 'radio' || each.checked).length"""
#: What has the focus: its name for people, whether it can be seen that it has, and whether it had it before: a field of date and
#: time has it some times.
_FOCUSED = """() => {
    const each = document.activeElement, style = getComputedStyle(each), box = each.getBoundingClientRect();
    const name = each.getAttribute('aria-label') || each.innerText || each.labels?.[0]?.innerText || each.id;
    const isOutlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
    const isSame = each === window.focusedBefore;
    window.focusedBefore = each;
    return {isBody: each === document.body, isSame, name: name.trim(),
        isShown: isOutlined || style.boxShadow !== 'none' || each.matches('input[type=radio], input[type=checkbox]'),
        isInSight: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth};
}"""


class KeyboardTests(ConsoleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.scenery = Scenery(here())

    def tab_to(self, visit, locator):
        """Presses Tab until this has the focus."""
        for _ in range(MOST):
            if locator.evaluate("each => each === document.activeElement"):
                return
            visit.page.keyboard.press("Tab")
        self.fail(f"Tab does not come to {locator}")

    def sign_in(self, visit):
        expect(visit.page.get_by_label("Key", exact=True)).to_be_focused()
        visit.page.keyboard.type(self.world.operator)
        visit.page.keyboard.press("Enter")
        expect(visit.page.get_by_role("navigation", name="Console")).to_be_visible()

    def test_everything_of_every_view_is_reached_and_shows_its_focus(self):
        visit = self.visit(viewport={"width": 1280, "height": 800})
        visit.open("#/tenants")
        self.sign_in(visit)
        for name, route, headline in self.scenery.routes():
            with self.subTest(name):
                visit.page.goto(visit.base + route)
                visit.is_at(headline)
                is_whole(visit.page)
                # The first one of all.
                visit.page.get_by_role("link", name="Skip to content").focus()
                seen = 1
                for _ in range(MOST):
                    visit.page.keyboard.press("Tab")
                    focused = visit.page.evaluate(_FOCUSED)
                    if focused["isBody"] or focused["name"] == "Skip to content":
                        break
                    seen += not focused["isSame"]
                    self.assertTrue(focused["isShown"], f"the focus is not seen on {focused['name']}")
                    self.assertTrue(focused["isInSight"], f"{focused['name']} has the focus out of sight")
                # Live views may have gained or lost something meanwhile.
                self.assertAlmostEqual(visit.page.evaluate(_REACHABLE), seen, delta=2)

    def test_the_focus_goes_along_to_a_view_and_can_skip_the_navigation(self):
        visit = self.visit()
        visit.open("#/gateway")
        self.sign_in(visit)
        visit.is_at("Gateway")
        link = visit.page.get_by_role("navigation", name="Console").get_by_role("link", name="Tenants")
        self.tab_to(visit, link)
        visit.page.keyboard.press("Enter")
        visit.is_at("Tenants")
        expect(visit.page.get_by_role("heading", level=1)).to_be_focused()
        expect(visit.page).to_have_title("Tenants · Fanfare")
        skip = visit.page.get_by_role("link", name="Skip to content")
        expect(skip).not_to_be_in_viewport()
        for _ in range(MOST):
            visit.page.keyboard.press("Shift+Tab")
            if skip.evaluate("each => each === document.activeElement"):
                break
        expect(skip).to_be_focused()
        expect(skip).to_be_in_viewport()
        visit.page.keyboard.press("Enter")
        expect(visit.page.get_by_role("heading", level=1)).to_be_focused()

    def test_a_segment_is_sent_to_by_keyboard_alone(self):
        mark = f"mark-{self.world.fresh()}-"
        visit = self.visit()
        visit.open(f"#/tenants/{self.scenery.customer.id}/compose?segment=fans")
        self.sign_in(visit)
        visit.is_at("Compose")
        keyboard = visit.page.keyboard
        self.tab_to(visit, visit.page.get_by_role("group", name="Templates").get_by_role("button", name="Match"))
        keyboard.press("Enter")
        self.tab_to(visit, visit.page.get_by_label("content_state", exact=True))
        keyboard.press("Control+a")
        keyboard.type(json.dumps({"mark": mark}))
        self.tab_to(visit, visit.page.get_by_role("button", name="Count and send"))
        keyboard.press("Enter")
        dialog = visit.dialog("Send to fans?")
        expect(dialog).to_be_visible()
        # The focus stays within the question.
        for _ in range(8):
            keyboard.press("Tab")
            self.assertTrue(visit.page.evaluate(
                "document.activeElement === document.body || document.activeElement.closest('dialog') !== null"))
        self.tab_to(visit, dialog.get_by_label("Type fans to confirm"))
        keyboard.type("fans")
        self.tab_to(visit, dialog.get_by_role("button", name="Start on"))
        keyboard.press("Space")
        visit.is_at("Start ")
        expect(visit.page.get_by_role("article", name="Broadcast start")).to_have_attribute("data-state", "done")
        self.assertEqual({"start": IPHONES}, accepted(self.world.stage.apns, mark))

    def test_who_leaves_a_question_is_where_it_was_asked(self):
        visit = self.visit()
        visit.open(f"#/tenants/{self.scenery.customer.id}/segments")
        self.sign_in(visit)
        visit.is_at("Segments")
        upload = visit.page.get_by_role("button", name="Upload a segment")
        self.tab_to(visit, upload)
        visit.page.keyboard.press("Enter")
        expect(visit.dialog("Upload a segment").get_by_label("Segment name")).to_be_focused()
        visit.page.keyboard.press("Escape")
        expect(upload).to_be_focused()

    def test_what_moves_by_itself_leaves_the_focus_where_it_is(self):
        customer = self.scenery.customer
        visit = self.visit()
        visit.open(f"#/tenants/{customer.id}/broadcasts")
        self.sign_in(visit)
        link = visit.row("start", "Broadcasts that have ended").get_by_role("link", name="start").first
        expect(link).to_be_visible()
        link.focus()
        name = visit.page.evaluate(_FOCUSED)["name"]
        activity = customer.register("fans")
        self.addCleanup(self.world.stage.apns.behave)
        self.world.stage.apns.behave({"latency": {"min_ms": 0, "max_ms": 15_000}})
        broadcast = customer.broadcast("start", activity, {"title": "a", "message": "b", "content_state": {}})
        article = visit.page.get_by_role("article", name=f"…{broadcast[-6:]}")
        expect(article).to_be_visible()
        expect(article).to_have_attribute("data-state", "done", timeout=30_000)
        expect(article).to_have_count(0)
        self.assertEqual(name, visit.page.evaluate(_FOCUSED)["name"])
