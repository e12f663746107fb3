"""The pictures of the documents: main views on wide, middle and narrow screens, light and dark."""

import io
import pathlib

from PIL import Image
from playwright.sync_api import expect

from .scenery import CONTENT, Scenery, is_whole

_FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/images"
_SIZE = {"width": 1280, "height": 800}
_WIDE, _TABLET = {"width": 1600, "height": 1000}, {"width": 820, "height": 1000}
#: A picture may have so many bytes.
MOST = 150_000
#: A provider that takes its time, so that a broadcast is seen on its way.
_SLOW = {"latency": {"min_ms": 0, "max_ms": 12_000}, "rules": [
    {"share": 0.03, "status": 410, "reason": "Unregistered", "timestamp": 4000000000000},
    {"share": 0.02, "status": 400, "reason": "BadDeviceToken"}]}


def _write(name, page):
    """As it is where that is small, else in 256 colours."""
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    file = _FOLDER / f"console-{name}.png"
    picture.save(file, optimize=True)
    if file.stat().st_size > MOST:
        colors = picture.quantize(256)
        picture.quantize(palette=colors, dither=Image.Dither.FLOYDSTEINBERG).save(file, optimize=True)
    length = file.stat().st_size
    print(f"{file.name}: {length:,} bytes")
    return length <= MOST


def _operator(world, route, headline, tenant="", **options):
    visit = world.visit(**{"viewport": _SIZE, "reduced_motion": "reduce", **options})
    visit.open(route)
    visit.sign_in(world.operator)
    visit.is_at(headline)
    expect(visit.page.get_by_role("navigation", name="Console")).to_contain_text(tenant)
    is_whole(visit.page)
    return visit


def _gateway(world, customer, scheme):
    visit = _operator(world, "#/gateway", "Gateway", color_scheme=scheme, viewport=_WIDE)
    world.stage.apns.behave(_SLOW)
    # Some readings make a plot.
    for number in range(16):
        if number % 4 == 0:
            customer.broadcast("start", customer.register("everybody"), CONTENT)
        with visit.page.expect_response("**/console/operator/metrics"):
            pass
    return visit


def _broadcast(world, customer, scheme):
    world.stage.apns.behave(_SLOW)
    broadcast = customer.broadcast("start", customer.register("everybody"), CONTENT)
    visit = _operator(world, f"#/tenants/{customer.id}/broadcasts/{broadcast}", "Start ", customer.name, color_scheme=scheme)
    bar = visit.page.get_by_role("progressbar", name="Progress of start")
    bar.locator("xpath=self::*[@aria-valuenow > 50]").wait_for(state="attached")
    return visit


def take(world):
    """Writes all of them; answers with the status that the program ends with."""
    _FOLDER.mkdir(parents=True, exist_ok=True)
    scenery = Scenery(world)
    customer, routes = scenery.customer, {name: (route, headline) for name, route, headline in scenery.routes()}
    visits = {
        "activity": lambda: _operator(world, *routes["activity"], customer.name),
        "compose": lambda: _operator(world, *routes["compose"], customer.name),
        "topic": lambda: _operator(world, *routes["topic"], customer.name, color_scheme="dark", viewport=_TABLET),
        "phone": lambda: _operator(world, *routes["phone"], customer.name, color_scheme="dark", viewport={"width": 390, "height": 844}),
        "gateway": lambda: _gateway(world, customer, "light"),
        "broadcast": lambda: _broadcast(world, customer, "dark"),
    }
    is_well = True
    for name, visit in visits.items():
        opened = visit()
        if name == "compose":
            opened.page.get_by_role("group", name="Templates").get_by_role("button", name="Match").click()
        is_well &= _write(name, opened.page)
        for finding in opened.findings():
            print(f"{name}: {finding}")
            is_well = False
        opened.close()
        world.stage.apns.behave()
    return 0 if is_well else 1
