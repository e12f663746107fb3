"""What all tests share: one stage, one browser, and people who visit."""

import contextlib
import itertools
import json

from .browser import Visit, chromium
from .customer import Customer, android, iphone
from .receiver import Receiver
from .servers import Stage, StageFailure, call

#: Phones of a tenant that `crowded` makes.
IPHONES, ANDROIDS = 300, 40


class World:
    """Made once, before the tests, by `world()`."""

    def __init__(self, binary, stack, stage=Stage):
        self.stage = stage(binary, stack)
        self.receiver = Receiver(stack)
        self.operator = json.loads(self.stage.command("operator", "create", "olga", "--json"))["operator_key"]
        self.browser = stack.enter_context(chromium())
        self._numbers = itertools.count(1)

    def visit(self, **options):
        return Visit(self.browser, self.stage.console_url, **options)

    def fresh(self):
        """A number that was not given before."""
        return next(self._numbers)

    def customer(self, name="shop", **options):
        """A tenant that no other test has."""
        return Customer(self.stage, f"{name} {self.fresh()}", **options)

    def crowded(self, name="shop"):
        """A tenant with phones `fan-…` and `droid-…`, and the segments `fans` and `everybody` of them."""
        customer = self.customer(name)
        salt = self.fresh()
        customer.import_devices([
            *(iphone(number, salt=salt) for number in range(IPHONES)),
            *(android(number, salt=salt) for number in range(ANDROIDS))])
        fans = [f"fan-{number:05d}" for number in range(IPHONES)]
        customer.upload("fans", fans)
        customer.upload("everybody", [*fans, *(f"droid-{number:05d}" for number in range(ANDROIDS))])
        return customer

    def session(self, key):
        """Token and cookie of a session, past the page."""
        status, text = call("POST", f"{self.stage.console_url}/console/session", {"key": key})
        if status != 200:
            raise StageFailure(f"signing in: {status} {text}")
        return json.loads(text)


#: The world of this run.
_here = None


def here():
    return _here


@contextlib.contextmanager
def world(binary, stage=Stage):
    global _here
    with contextlib.ExitStack() as stack:
        _here = World(binary, stack, stage)
        try:
            yield _here
        finally:
            _here = None
