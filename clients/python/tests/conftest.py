"""One gateway, Redis and provider for all tests; each test that needs a customer gets a new one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fanfare_client import Fanfare, RetryPolicy
from tests.support.stack import Stack, Tenant

QUICK = RetryPolicy(deadline=20, attempt_timeout=10, first_pause=0.05, longest_pause=0.5, attempts=30)
"""Tries again soon, and for long enough to see a gateway come back."""


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    stack = Stack()
    yield stack
    stack.close()


@pytest.fixture
def tenant(stack: Stack) -> Iterator[Tenant]:
    stack.mend()
    stack.script({})
    yield stack.tenant()
    stack.script({})


@pytest.fixture
def fanfare(stack: Stack, tenant: Tenant) -> Iterator[Fanfare]:
    with Fanfare(stack.url, tenant.api_key, policy=QUICK) as fanfare:
        yield fanfare
