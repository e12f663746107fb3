"""Every route for customers, once at least, on a real gateway."""

from __future__ import annotations

import inspect
import re
from datetime import datetime, timedelta, timezone

import httpx
import pytest

from fanfare_client import ApiError, AsyncFanfare, Fanfare, NotFound, NotStarted, StaleSequence, UnexpectedReply
from tests.support.activity import KICK_OFF, TYPE, an_hour_from_now, registered, started
from tests.support.phones import Phones
from tests.support.processes import eventually
from tests.support.receiver import Receiver
from tests.support.stack import Stack, Tenant


def methods(cls: type) -> dict[str, object]:
    return {name: member for name, member in inspect.getmembers(cls, inspect.isfunction) if not name.startswith("_")}


SHORT = {f"{verb}_activity": verb for verb in ("register", "start", "restart", "update", "end")}
SHORT["create_schedule"] = "schedule"
"""Methods that are called by what is done alone."""


def method_name(operation: dict[str, object]) -> str:
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(operation["operationId"])).lower()
    return SHORT.get(name, name)


def test_every_operation_for_customers_is_a_method(stack: Stack) -> None:
    document = httpx.get(f"{stack.url}/openapi.json", timeout=10).json()
    wanted = {
        method_name(operation)
        for path, operations in document["paths"].items()
        for operation in operations.values()
        if isinstance(operation, dict) and {"ApiKey": []} in operation.get("security", [])
    }
    assert len(wanted) > 40 and wanted <= methods(Fanfare).keys(), wanted - methods(Fanfare).keys()


def test_what_takes_a_key_is_always_sent_with_one(stack: Stack, tenant: Tenant) -> None:
    document = httpx.get(f"{stack.url}/openapi.json", timeout=10).json()
    keyed = {
        method_name(operation)
        for path, operations in document["paths"].items()
        for operation in operations.values()
        if isinstance(operation, dict)
        and {"$ref": "#/components/parameters/Idempotency-Key"} in operation.get("parameters", [])
    }
    keys: list[str | None] = []
    hooks = {"request": [lambda request: keys.append(request.headers.get("idempotency-key"))]}
    with httpx.Client(event_hooks=hooks) as http, Fanfare(stack.url, tenant.api_key, http=http) as fanfare:
        for name in keyed:
            method = getattr(fanfare, name)
            parameters = inspect.signature(method).parameters.values()
            forms: dict[str, object] = {"insider_ids": ["x"], "content": {"x": "x"}}
            given = {p.name: forms.get(p.name, "x") for p in parameters}
            positional = [given[p.name] for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
            named = {p.name: given[p.name] for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty}
            with pytest.raises(ApiError):
                method(*positional, **named)
    assert len(keyed) == len(keys) == len(set(keys)) == 15 and None not in keys


def test_both_clients_have_the_same_methods() -> None:
    threads, tasks = methods(Fanfare), methods(AsyncFanfare)
    assert threads.keys() == tasks.keys()
    for name in threads:
        parameters = [
            [(p.name, p.kind, p.default) for p in inspect.signature(method).parameters.values()]  # type: ignore[arg-type]
            for method in (threads[name], tasks[name])
        ]
        assert parameters[0] == parameters[1], name
        assert inspect.getdoc(threads[name]), name


def test_users_of_an_activity_change_before_its_start(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    phones = Phones(stack, tenant, 3)
    made = fanfare.register(
        activity_type=TYPE,
        insider_ids=phones.users[:1],
        ends_at=an_hour_from_now().isoformat(),
        options={"catch_up": True},
    )
    added = fanfare.add_users(activity_id=made.activity_id, activity_type=TYPE, insider_ids=[*phones.users, "nobody"])
    assert (added.registered_users, added.partial, added.skipped) == (2, True, {"unknown_user": 1})
    removed = fanfare.remove_users(activity_id=made.activity_id, activity_type=TYPE, insider_ids=phones.users[:1])
    assert (removed.removed_users, removed.removed_devices) == (1, 1)
    details = fanfare.get_activity(made.activity_id)
    assert details.devices == 2 and details.options == {"catch_up": True}


def test_devices_are_named_in_pairs_and_restarted(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    phones = Phones(stack, tenant, 2)
    activity_id = registered(fanfare, phones)
    ann, bob = ((phone.insider_id, phone.udid) for phone in phones.all)
    start = fanfare.start(
        activity_id=activity_id,
        activity_type=TYPE,
        content={**KICK_OFF, "attributes": {"league": "Eredivisie"}},
        target_devices=[ann, ("nobody", "phone")],
        options={"priority": 10, "stale_date": an_hour_from_now()},
    )
    assert (start.sessions_triggered, start.skipped) == (1, {"not_in_segment": 1})
    restart = fanfare.restart(activity_id=activity_id, activity_type=TYPE, content=KICK_OFF, target_devices=[bob])
    assert restart.sessions_triggered == 1
    assert stack.pushes_of("start", phones.start_tokens) == dict.fromkeys(phones.start_tokens, 1)


def test_schedules(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    phones = Phones(stack, tenant, 1)
    activity_id = started(fanfare, phones)
    soon = datetime.now(timezone.utc) + timedelta(minutes=20)
    content = {"content_state": {"home": 1}}
    later = fanfare.schedule(event="update", activity_id=activity_id, deliver_at=soon, content=content, name="half-time")
    fanfare.schedule(event="end", activity_id=activity_id, offset=1800, options={"expire_after": 60})
    listed = fanfare.list_schedules(activity_id=activity_id)
    assert {(s.event, s.state) for s in listed.schedules} == {("update", "pending"), ("end", "pending")}
    assert abs(later.deliver_at - soon) < timedelta(seconds=1)
    assert fanfare.cancel_schedules(activity_id=activity_id, schedule_id=later.schedule_id).canceled == 1
    assert fanfare.cancel_schedules(activity_id=activity_id).canceled == 1


def test_one_schedule_for_one_key(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    activity_id = started(fanfare, Phones(stack, tenant, 1))
    made = [
        fanfare.schedule(event="end", activity_id=activity_id, offset=900, idempotency_key="full-time") for _ in range(2)
    ]
    assert made[0] == made[1] and [m.meta.replayed for m in made] == [False, True]
    assert len(fanfare.list_schedules(activity_id=activity_id).schedules) == 1


def test_topics(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    phones = Phones(stack, tenant, 2)
    fanfare.put_topic("ajax-psv", activity_type=TYPE, state="upcoming")
    assert fanfare.replace_followers("ajax-psv", phones.users[:1]).users == 1
    assert fanfare.add_followers("ajax-psv", [*phones.users, "later"]).added_users == 2
    assert fanfare.remove_followers("ajax-psv", ["later"]).removed_users == 1
    assert {f.insider_id for f in fanfare.followers("ajax-psv", page_size=1)} == set(phones.users)
    live = fanfare.put_topic("ajax-psv", activity_type=TYPE, state="live", sequence=2, content=KICK_OFF)
    again = fanfare.put_topic("ajax-psv", activity_type=TYPE, state="live", sequence=2, content=KICK_OFF)
    assert not live.unchanged and again.unchanged
    with pytest.raises(StaleSequence):
        fanfare.put_topic("ajax-psv", activity_type=TYPE, state="live", sequence=1, content=KICK_OFF)
    eventually("both are started", lambda: len(stack.pushes_of("start", phones.start_tokens)) == 2)
    topic = fanfare.get_topic("ajax-psv")
    assert (topic.state, topic.sequence, topic.followers.customer) == ("live", 2, 2)
    assert topic.activity_id is not None and fanfare.get_activity(topic.activity_id).state == "STARTED"
    assert [t.topic for t in fanfare.topics(state="live", page_size=1)] == ["ajax-psv"]
    fanfare.delete_topic("ajax-psv")
    assert list(fanfare.topics()) == []


def test_users_are_known_and_forgotten(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    phones = Phones(stack, tenant, 2)
    ann, bob = phones.all
    known = fanfare.list_user_devices(ann.insider_id).devices
    assert [(d.udid, d.platform, d.push_opt_in) for d in known] == [(ann.udid, "ios", True)]
    assert known[0].tokens[0].kind == "push_to_start" and ann.start_token.endswith(known[0].tokens[0].ends_with)
    erased = fanfare.erase_user(ann.insider_id)
    assert erased.complete and erased.removed["users"] == 1 and erased.removed["devices"] == 1
    assert fanfare.erase_user(ann.insider_id).removed["users"] == 0
    assert fanfare.erase_user_device(bob.insider_id, bob.udid).removed["devices"] == 1
    assert fanfare.erase_user("with/slash and späce").complete


def test_limits(fanfare: Fanfare) -> None:
    limits = fanfare.get_limits()
    assert "devices_per_user" in {limit.name for limit in limits.limits}
    assert "uploads" in {share.name for share in limits.shares}


def test_what_is_not_there_and_what_is_not_yet(stack: Stack, tenant: Tenant, fanfare: Fanfare) -> None:
    for ask in (fanfare.get_activity, fanfare.get_broadcast, fanfare.get_webhook):
        with pytest.raises(NotFound):
            ask("4978e9e5-e872-46c3-97e6-dca11aa6a53e")
    activity_id = registered(fanfare, Phones(stack, tenant, 1))
    with pytest.raises(NotStarted):
        fanfare.update(activity_id=activity_id, activity_type=TYPE, content={"content_state": {}})


def test_a_server_that_is_no_gateway(stack: Stack, tenant: Tenant) -> None:
    with Fanfare(f"{stack.url}/docs", tenant.api_key) as fanfare, pytest.raises(NotFound):
        fanfare.get_limits()
    with Receiver() as server, Fanfare(server.url, tenant.api_key) as fanfare:
        server.status = 302
        with pytest.raises(UnexpectedReply, match="302"):
            fanfare.cancel_schedules(activity_id="a")
        server.status = 204
        with pytest.raises(UnexpectedReply, match="204"):
            fanfare.cancel_schedules(activity_id="a")
