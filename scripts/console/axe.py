"""axe-core, which looks for what people with disabilities stumble over."""

import pathlib

import axe_playwright_python

_SOURCE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
#: WCAG 2.2, levels A and AA.
_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def violations(page):
    """A line for each rule that a page breaks, with the first places where it does. The context bypasses the policy."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(_SOURCE + ";undefined")
    found = page.evaluate(
        "async tags => (await axe.run(document, {runOnly: tags, resultTypes: ['violations']})).violations", _TAGS)
    return [f"{rule['id']} ({rule['impact']}): {rule['help']}: " + "; ".join(map(_place, rule["nodes"][:3]))
            for rule in found]


def _place(node):
    return f"{' '.join(map(str, node['target']))}: {node['failureSummary'].splitlines()[-1].strip()}"
