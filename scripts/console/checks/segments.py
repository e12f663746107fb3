"""Stored segments: listed, uploaded, deleted."""

import pathlib
import tempfile

from playwright.sync_api import expect

from ..case import ConsoleTest


class SegmentTests(ConsoleTest):
    def setUp(self):
        super().setUp()
        self.customer = self.world.customer()
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, name, text):
        file = self.folder / name
        file.write_text(text)
        return file

    def upload(self, visit, name, file, way="Replace the whole segment"):
        """Fills the dialog that is open and sends it."""
        dialog = visit.dialog("Upload a segment")
        if name is not None:
            dialog.get_by_label("Segment name").fill(name)
        dialog.get_by_label("File").set_input_files(file)
        dialog.get_by_label("Mode").select_option(label=way)
        dialog.get_by_role("button", name="Upload").click()
        return dialog

    def test_there_are_none_at_first(self):
        visit = self.as_tenant(self.customer, "segments")
        visit.is_at("Segments")
        expect(visit.page.get_by_text("No segments yet")).to_be_visible()

    def test_all_are_listed_in_pages(self):
        for number in range(30):
            self.customer.upload(f"list-{number:02d}", ["ann", "bob"])
        visit = self.as_tenant(self.customer, "segments")
        expect(visit.row("list-00")).to_contain_text("2")
        expect(visit.row("list-29")).to_have_count(0)
        pages = visit.page.get_by_role("navigation", name="Pages of segments")
        pages.get_by_role("button", name="Next").click()
        expect(visit.row("list-29")).to_be_visible()
        expect(pages.get_by_role("button", name="Next")).to_be_disabled()
        pages.get_by_role("button", name="Previous").click()
        expect(visit.row("list-00")).to_be_visible()

    def test_a_csv_is_uploaded(self):
        visit = self.as_tenant(self.customer, "segments")
        visit.page.get_by_role("button", name="Upload a segment").click()
        dialog = self.upload(visit, "fans", self.file("fans.csv", "insider_id,city\nann,Gouda\nbob,Delft\n\"c,d\",Breda\n"))
        expect(dialog).to_have_count(0)
        visit.is_told("fans has 3 users now.")
        expect(visit.row("fans")).to_contain_text("3")
        self.assertEqual(3, self.customer.ask("GET", "segments/fans")["users"])

    def test_lines_of_json_are_added_and_removed(self):
        self.customer.upload("fans", ["ann", "bob"])
        visit = self.as_tenant(self.customer, "segments")
        visit.page.get_by_role("button", name="Upload to fans").click()
        self.upload(visit, None, self.file("more.ndjson", '"cid"\n{"insider_id":"dan"}\n'), "Add these users")
        visit.is_told("fans has 4 users now.")
        visit.page.get_by_role("button", name="Upload to fans").click()
        self.upload(visit, None, self.file("less.jsonl", '"ann"\n'), "Remove these users")
        visit.is_told("fans has 3 users now.")
        expect(visit.row("fans")).to_contain_text("3")

    def test_a_large_list_tells_its_progress(self):
        visit = self.as_tenant(self.customer, "segments")
        visit.page.get_by_role("button", name="Upload a segment").click()
        # A slow line; what the bar tells is written down by the page, for it may be gone again when it is looked at.
        visit.page.evaluate("""() => {
            window.told = [];
            new MutationObserver(changes => changes.forEach(({target}) =>
                target.role === 'progressbar' && window.told.push(Number(target.getAttribute('aria-valuenow')))))
                .observe(document.querySelector('dialog'), {subtree: true, attributes: true, attributeFilter: ['aria-valuenow']});
        }""")
        line = visit.context.new_cdp_session(visit.page)
        line.send("Network.enable")
        line.send("Network.emulateNetworkConditions", {
            "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 2_000_000})
        users = 100_000
        self.upload(visit, "many", self.file("many.csv", "".join(f"user-{number:012d}\n" for number in range(users))))
        visit.is_told("many has 100,000 users now.")
        told = visit.page.evaluate("window.told")
        self.assertEqual(sorted(told), told)
        self.assertEqual(100, told[-1])
        self.assertTrue(any(0 < share < 100 for share in told), told)

    def test_what_cannot_be_a_list_is_not_sent(self):
        visit = self.as_tenant(self.customer, "segments")
        visit.page.get_by_role("button", name="Upload a segment").click()
        dialog = self.upload(visit, "a/b", self.file("fans.txt", "ann\n"))
        for label in ("Segment name", "File"):
            expect(dialog.get_by_label(label)).to_have_attribute("aria-invalid", "true")
        self.assertEqual([], [method for method, _ in visit.requests if method == "PUT"])
        dialog.get_by_role("button", name="Cancel").click()
        expect(dialog).to_have_count(0)

    def test_a_list_that_the_gateway_refuses_says_why(self):
        visit = self.as_tenant(self.customer, "segments")
        visit.allow(400, "/segments/fans")
        visit.page.get_by_role("button", name="Upload a segment").click()
        dialog = self.upload(visit, "fans", self.file("fans.ndjson", "no JSON\n"))
        expect(dialog.get_by_role("alert")).to_be_visible()
        # It can be tried again in the same dialog.
        self.upload(visit, None, self.file("fans.csv", "ann\n"))
        visit.is_told("fans has 1 user now.")

    def test_one_is_deleted_when_its_name_is_typed(self):
        self.customer.upload("fans", ["ann", "bob"])
        self.customer.upload("vip", ["ann"])
        visit = self.as_tenant(self.customer, "segments")
        visit.page.get_by_role("button", name="Delete fans").click()
        dialog = visit.dialog("Delete segment fans?")
        expect(dialog).to_contain_text("2 users")
        delete = dialog.get_by_role("button", name="Delete segment")
        expect(delete).to_be_disabled()
        dialog.get_by_label("Type fans to confirm").fill("fan")
        expect(delete).to_be_disabled()
        dialog.get_by_label("Type fans to confirm").fill("fans")
        delete.click()
        visit.is_told("fans is deleted.")
        expect(visit.row("fans")).to_have_count(0)
        expect(visit.row("vip")).to_be_visible()
        self.customer.ask("GET", "segments/fans", expected=(404,))

    def test_who_leaves_the_question_deletes_nothing(self):
        self.customer.upload("fans", ["ann"])
        visit = self.as_tenant(self.customer, "segments")
        delete = visit.page.get_by_role("button", name="Delete fans")
        delete.click()
        # It is asked when the segment is counted.
        expect(visit.dialog("Delete segment fans?")).to_be_visible()
        visit.page.keyboard.press("Escape")
        expect(visit.dialog("Delete segment fans?")).to_have_count(0)
        expect(delete).to_be_focused()
        self.assertEqual(1, self.customer.ask("GET", "segments/fans")["users"])
