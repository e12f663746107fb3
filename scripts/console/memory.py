"""What a page holds in memory."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Held:
    """After the collector has been."""

    nodes: int
    listeners: int
    documents: int
    heap: int


def held(page):
    """What the page holds now."""
    session = page.context.new_cdp_session(page)
    try:
        session.send("Performance.enable")
        # What the first collection finds may only be freed by the next one.
        for _ in range(3):
            session.send("HeapProfiler.collectGarbage")
        metrics = {each["name"]: int(each["value"]) for each in session.send("Performance.getMetrics")["metrics"]}
    finally:
        session.detach()
    return Held(metrics["Nodes"], metrics["JSEventListeners"], metrics["Documents"], metrics["JSHeapUsedSize"])
