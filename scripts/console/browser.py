"""A real Chromium, and what it must not do on any page: complain, break the policy, or ask anybody else."""

import contextlib
import os
import shutil

from playwright.sync_api import expect, sync_playwright

#: Milliseconds for whatever is waited for in a page.
PATIENCE = 15_000
#: Told by a page itself, since not every violation is told on the console.
_VIOLATIONS = """
    window.cspViolations = [];
    document.addEventListener('securitypolicyviolation', event =>
        window.cspViolations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sourceFile || ''}`));
"""


@contextlib.contextmanager
def chromium():
    executable = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    # Chromium has no sandbox for root.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


class Visit:
    """A browser of its own (no cookies yet) with one page, and all that it complains of."""

    def __init__(self, browser, console_url, **options):
        self.base = f"{console_url}/console/"
        self.context = browser.new_context(**{
            "viewport": {"width": 1280, "height": 800}, "locale": "en-GB", "timezone_id": "UTC", **options})
        self.context.set_default_timeout(PATIENCE)
        self.context.add_init_script(_VIOLATIONS)
        self.complaints, self.strangers, self._allowed = [], [], []
        self.requests = []
        # Nobody is signed in yet when the page first asks.
        self.allow(401, "/console/session")
        self.context.on("request", self._requested)
        self.page = self.context.new_page()
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))
        self.page.on("dialog", self._asked)
        self.page.on("crash", lambda _: self.complaints.append("the page has crashed"))

    def allow(self, status, path):
        """Answers with this status from addresses that end like this are meant."""
        self._allowed.append((f"status of {status}", path))

    def _requested(self, request):
        self.requests.append((request.method, request.url))
        if not request.url.startswith((self.base.removesuffix("console/"), "data:", "blob:")):
            self.strangers.append(request.url)

    def _said(self, message):
        where = (message.location or {}).get("url", "").split("?")[0]
        if any(text in message.text and where.endswith(path) for text, path in self._allowed):
            return
        if message.type in ("error", "warning") or "Content Security Policy" in message.text:
            self.complaints.append(f"{message.type}: {message.text} ({where})")

    def _asked(self, dialog):
        # None of the console's words: script that came with data.
        self.complaints.append(f"{dialog.type}: {dialog.message}")
        dialog.dismiss()

    def open(self, route=""):
        """Opens a view by its address."""
        self.page.goto(f"{self.base}{route}")

    def sign_in(self, key):
        self.page.get_by_label("Key", exact=True).fill(key)
        self.page.get_by_role("button", name="Sign in").click()
        expect(self.page.get_by_role("navigation", name="Console")).to_be_visible()

    def is_at(self, headline):
        """Waits for the view with this headline."""
        expect(self.page.get_by_role("heading", level=1, name=headline)).to_be_visible()

    def row(self, name, table=None):
        """The row of a table that begins with this."""
        inside = self.page if table is None else self.page.get_by_role("table", name=table)
        return inside.get_by_role("row").filter(has=self.page.get_by_role("rowheader", name=name))

    def panel(self, name):
        return self.page.get_by_role("region", name=name, exact=True)

    def dialog(self, name):
        return self.page.get_by_role("dialog", name=name)

    def is_told(self, text):
        """Waits until it is said that something has been done, to screen readers as well."""
        expect(self.page.locator("#told")).to_contain_text(text)

    def findings(self):
        """What the console did that it must not do."""
        violations = []
        if not self.page.is_closed() and self.page.url.startswith("http"):
            violations = self.page.evaluate("window.cspViolations || []")
        return [*self.complaints, *(f"policy: {each}" for each in violations), *(f"asked {each}" for each in self.strangers)]

    def close(self):
        self.context.close()
