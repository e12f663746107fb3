"""A gateway that is killed in the middle of starts, and the calls that it breaks off."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

from fanfare_client import Fanfare
from fanfare_client.replies.broadcasts import Broadcast, BroadcastReply
from tests.support.activity import KICK_OFF, TYPE, registered
from tests.support.phones import Phones
from tests.support.processes import eventually
from tests.support.stack import Stack, Tenant


class Starting:
    """A start that one thread has asked for, and another one waits for."""

    def __init__(self, stack: Stack, fanfare: Fanfare, phones: Phones, threads: ThreadPoolExecutor, sent: int) -> None:
        """Returns when so many pushes have come to the provider."""
        self.activity_id = registered(fanfare, phones)
        self.heard: list[Broadcast] = []
        self._stack = stack
        self._fanfare = fanfare
        self._phones = phones
        self.call: Future[BroadcastReply] = threads.submit(self.start)
        eventually("pushes are under way", lambda: sum(self.pushes.values()) >= sent)
        broadcast_id = fanfare.get_activity(self.activity_id).broadcasts[0].broadcast_id
        self.waiting = threads.submit(fanfare.wait, broadcast_id, on_progress=self.heard.append, timeout=60)
        eventually("something is heard", lambda: len(self.heard) > 0)

    @property
    def pushes(self) -> dict[str, int]:
        """How often each phone was sent a start."""
        return self._stack.pushes_of("start", self._phones.start_tokens)

    @property
    def exactly_one_push_each(self) -> dict[str, int]:
        return dict.fromkeys(self._phones.start_tokens, 1)

    def start(self) -> BroadcastReply:
        """The call: the same key each time."""
        return self._fanfare.start(
            activity_id=self.activity_id, activity_type=TYPE, content=KICK_OFF, idempotency_key=self.activity_id
        )


def test_nobody_is_pushed_twice_when_a_gateway_is_killed_in_the_middle_of_starts(
    stack: Stack, tenant: Tenant, fanfare: Fanfare
) -> None:
    all_sent, half_sent = Phones(stack, tenant, 8), Phones(stack, tenant, 40)
    # Answers to the first are slow, so that all of its pushes are on the wire; eight streams are left for the second, which
    # takes four seconds more than what happens until the kill does.
    slow = {"tokens": sorted(all_sent.start_tokens), "action": "accept", "latency": {"fixed_ms": 8000}}
    stack.script({"stream_limit": {"usual": 16}, "latency": {"fixed_ms": 1000}, "rules": [slow]})
    stack.gateway.stop()
    stack.restart_gateway()
    with ThreadPoolExecutor() as threads:
        wire = Starting(stack, fanfare, all_sent, threads, sent=8)
        waves = Starting(stack, fanfare, half_sent, threads, sent=8)
        stack.gateway.kill()
        assert not any(future.done() for s in (wire, waves) for future in (s.call, s.waiting))
        assert wire.pushes == wire.exactly_one_push_each and len(waves.pushes) < 40
        stack.script({})
        stack.restart_gateway()
        first, second = wire.call.result(40), waves.call.result(40)

        assert first.meta.replayed and first.failed == {"unknown": 8}
        assert wire.pushes == wire.exactly_one_push_each

        # Of the second, those whose push was about to leave may have got none, are known, and can be started again.
        unknown = {device.insider_id for device in fanfare.devices(waves.activity_id, state="unknown")}
        pushed = waves.pushes
        without = {phone.insider_id for phone in half_sent.all if phone.start_token not in pushed}
        assert second.meta.replayed and set(pushed.values()) == {1}
        assert without <= unknown and len(unknown) == second.failed["unknown"] < 40
        assert second.sessions_triggered + len(unknown) == 40

        for starting, reply in ((wire, first), (waves, second)):
            waited = starting.waiting.result(40)
            assert waited == starting.heard[-1] and waited.is_final and not starting.heard[0].is_final
            assert (waited.accepted, waited.failed) == (reply.sessions_triggered, reply.failed)
            again = starting.start()
            assert again == reply and again.meta.replayed
        assert wire.pushes == wire.exactly_one_push_each and set(waves.pushes.values()) == {1}
