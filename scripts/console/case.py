"""What all tests of the console have in common."""

import unittest

from playwright.sync_api import expect

from .browser import PATIENCE
from .world import here

expect.set_options(timeout=PATIENCE)


def short(broadcast):
    """The id of a broadcast as the page writes it where there is little room: that of its activity begins as it does."""
    return f"…{broadcast[-6:]}"


class ConsoleTest(unittest.TestCase):
    """Each visit is looked over in the end: no complaint, no breach of the policy, nothing asked of anybody else."""

    maxDiff = None

    def setUp(self):
        self.world = here()

    def visit(self, **options):
        visit = self.world.visit(**options)
        self.addCleanup(visit.close)
        self.addCleanup(lambda: self.assertEqual("", "\n".join(visit.findings())))
        return visit

    def signed_in(self, key, route="", **options):
        """A visit that has signed in, at the view of that address."""
        visit = self.visit(**options)
        visit.open(route)
        visit.sign_in(key)
        return visit

    def as_operator(self, route="", **options):
        return self.signed_in(self.world.operator, route, **options)

    def as_tenant(self, customer, view="", **options):
        """At one of the tenant's own views."""
        route = f"#/tenants/{customer.id}/{view}" if view else ""
        return self.signed_in(customer.api_key, route, **options)


class SendingTest(ConsoleTest):
    """Of a tenant with many phones, at a provider that can be told how to behave and behaves well afterwards."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.customer = here().crowded()

    def setUp(self):
        super().setUp()
        self.mock = self.world.stage.apns
        self.addCleanup(self.mock.behave)
