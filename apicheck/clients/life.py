"""A whole life through the generated client: phones report, a segment is told, and at the end everything is forgotten."""

import asyncio
import importlib
import io
import time
from uuid import UUID

from .call import Caller, LifeError, ahead, expect

TYPE = "OrderAttributes"
USERS = ["life-ann", "life-bob", "life-cid"]
_SECONDS = 20


class Life:
    def __init__(self, package: str, typed, url: str, api_key: str, sdk_key: str):
        root = importlib.import_module(package)
        self.models, self._types = importlib.import_module(f"{package}.models"), importlib.import_module(f"{package}.types")
        self.typed, self.called = typed, set()
        customer, app = (root.AuthenticatedClient(base_url=url, token=key, timeout=30) for key in (api_key, sdk_key))
        self.customer = Caller(package, customer, typed, self.called)
        self.app = Caller(package, app, typed, self.called)

    def run(self) -> list:
        """Returns the events that were told of it."""
        self._switch_on()
        for number, user in enumerate(USERS):
            self._report(number, user)
        self._store_segment()
        activity = self._start()
        self._sync(activity)
        self._update(activity)
        self._schedule(activity)
        asyncio.run(self._read(activity))
        self._own_activity()
        self._topic()
        self._webhook()
        self._end(activity)
        events = self._events({
            "push.live_activity_started", "push.live_activity_synced", "push.live_activity_updated",
            "push.live_activity_ended",
            "push.live_activity_tapped", "push.live_activity_dismissed", "broadcast.finished", "audit.recorded"})
        self._forget()
        return events

    # What apps report

    def _device(self, user: str) -> dict:
        return {"insider_id": user, "udid": f"phone-of-{user}"}

    def _report(self, number: int, user: str) -> None:
        device = self.models.Device(
            **self._device(user), platform=self.models.Platform.IOS, os_version="18.1", push_opt_in=True, gdpr_consent=True,
            environment=self.models.Environment.PRODUCTION)
        self.app("devices.put_device", "Success", body=device)
        token = self.models.PushToStartToken(**self._device(user), token=f"{0xA000 + number:064x}")
        self.app("devices.put_push_to_start_token", "Success", body=token)

    def _sync(self, activity: UUID) -> None:
        for number, user in enumerate(USERS):
            report = self.models.Sync(
                **self._device(user), token=f"{0xB000 + number:064x}", activity_id=activity, system_activity_id=f"live-{user}")
            reply = self.app("devices.report_sync", "ReportReply", body=report)
            expect(reply.activity_id == activity, "the sync is for another activity")
        tap = self.models.Tap(**self._device(USERS[0]), system_activity_id=f"live-{USERS[0]}", tap_id="tap-1")
        self.app("devices.report_tap", "ReportReply", body=tap)

    def _own_activity(self) -> None:
        """One that the app opens by itself."""
        own = {"activity_type": TYPE, "external_id": "chest", "external_scope": self.models.ExternalScope.USER}
        who = self._device(USERS[0])
        self.app("devices.report_sync", "ReportReply", body=self.models.Sync(**who, token="c0" * 32, **own))
        schedule = self.models.ScheduleOwn(
            **who, **own, offset=600, event=self.models.BroadcastKind.UPDATE, content_state=self._object(open=True))
        self.app("devices.create_own_schedule", "ScheduleReply", body=schedule)
        reply = self.app(
            "devices.cancel_own_schedules", "CancelSchedulesReply", body=self.models.CancelOwnSchedules(**who, **own))
        expect(reply.canceled == 1, f"{reply.canceled} of the app's schedules canceled")

    # What the customer asks for

    def _object(self, **members):
        return self.models.JSONObject.from_dict(members)

    def _switch_on(self) -> None:
        settings = self.models.EventSettings(stream=True, audit=True)
        expect(self.customer("events.change_event_settings", "EventSettingsReply", body=settings).stream, "no stream")
        self.customer("gateway.get_liveness", "Success")
        self.customer("gateway.get_metrics", None)
        self.customer("gateway.get_document_as_yaml", None)

    def _store_segment(self) -> None:
        stored = self.customer(
            "segments.put_segment", "SegmentReply", name="life", body=self.models.SegmentUsers(insider_ids=USERS[:1]))
        expect(stored.users == 1, f"{stored.users} users stored")
        # Of the uploads that are no JSON the client sends lines.
        lines = self._types.File(payload=io.BytesIO("".join(f'"{user}"\n' for user in USERS).encode()))
        added = self.customer("segments.add_segment_users", "SegmentReply", name="life", body=lines)
        expect(added.users == 3 and added.added_users == 2, f"{added.added_users} of {added.users} users added")

    def _start(self) -> UUID:
        request = self.models.RegisterRequest(
            activity_type=TYPE, ends_at=ahead(hours=2), segment="life", options=self.models.RegisterOptions(catch_up=True))
        registered = self.customer("activities.register_activity", "RegisterReply", body=request)
        expect(registered.registered_devices == 3 and not registered.partial, f"{registered}")
        activity = registered.activity_id
        start = self.models.StartRequest(
            activity_id=activity, activity_type=TYPE, options=self.models.BroadcastOptions(relevance_score=50),
            content=self.models.StartContent(title="Order", message="It is on its way", content_state=self._object(eta=12)))
        started = self.customer("activities.start_activity", "BroadcastReply", body=start, idempotency_key="life-start")
        expect(started.sessions_triggered == 3, f"{started.sessions_triggered} started")
        again = self.customer.refused("activities.start_activity", 409, "ALREADY_STARTED", body=start)
        expect(again.error != "", "a refusal says nothing")
        return activity

    def _update(self, activity: UUID) -> None:
        update = self.models.UpdateRequest(
            activity_id=activity, activity_type=TYPE, options=self.models.UpdateOptions(stale_date=ahead(hours=1)),
            content=self.models.UpdateContent(content_state=self._object(eta=4)))
        updated = self.customer("activities.update_activity", "BroadcastReply", body=update)
        expect(updated.sessions_triggered == 3, f"{updated.sessions_triggered} updated")
        broadcast = self.customer("reading.get_broadcast", "Broadcast", broadcast_id=updated.broadcast_id)
        expect(broadcast.state == "done" and broadcast.accepted == 3, f"{broadcast}")
        stream = self.customer("reading.stream_broadcast", None, broadcast_id=updated.broadcast_id)
        expect("event: end" in stream or "event:end" in stream, "the stream of a finished broadcast has no end")
        nobody = self.models.UpdateRequest(activity_type=TYPE, content=update.content)
        self.customer.refused("activities.update_activity", 400, "ACTIVITY_ID_REQUIRED", body=nobody)

    def _schedule(self, activity: UUID) -> None:
        schedule = self.models.ScheduleRequest(
            activity_id=activity, event=self.models.BroadcastKind.UPDATE, offset=600,
            content=self.models.EndContent(content_state=self._object(eta=1)),
            options=self.models.ScheduleOptions(expire_after=60))
        made = self.customer("schedules.create_schedule", "ScheduleReply", body=schedule)
        listed = self.customer("schedules.list_schedules", "ScheduleList", activity_id=activity)
        expect([each.schedule_id for each in listed.schedules] == [made.schedule_id], f"{listed}")
        cancel = self.models.CancelSchedulesRequest(activity_id=activity, schedule_id=made.schedule_id)
        canceled = self.customer("schedules.cancel_schedules", "CancelSchedulesReply", body=cancel)
        expect(canceled.canceled == 1, f"{canceled.canceled} canceled")

    async def _read(self, activity: UUID) -> None:
        details = await self.customer.later("reading.get_activity", "ActivityDetails", activity_id=activity)
        expect(details.counts.active == 3 and details.taps == 1, f"{details.counts}, {details.taps} taps")
        devices = await self.customer.later(
            "reading.list_activity_devices", "DevicePage", activity_id=activity, state=self.models.DeviceState.DEVICE_STATE_ACTIVE)
        expect(len(devices.devices) == 3, f"{len(devices.devices)} devices listed")
        page = await self.customer.later("reading.list_activities", "ActivityPage", activity_type=TYPE)
        expect(activity in [each.activity_id for each in page.activities], "the activity is not listed")
        await self.customer.later("reading.get_limits", "LimitsReply")
        known = await self.customer.later("users.list_user_devices", "UserDevices", insider_id=USERS[0])
        expect(len(known.devices) == 1 and len(known.devices[0].tokens) == 1, f"{known}")

    def _topic(self) -> None:
        name, user = "life:match", USERS[1]
        request = self.models.TopicRequest(activity_type=TYPE, state=self.models.TopicState.TOPIC_STATE_UPCOMING)
        self.customer("topics.put_topic", "TopicPutReply", topic=name, body=request)
        listed = self.models.SegmentUsers(insider_ids=USERS[:2])
        expect(self.customer("topics.replace_followers", "FollowersReply", topic=name, body=listed).users == 2, "followers")
        following = self.models.FollowRequest(**self._device(user))
        self.app("devices.follow_topic", "FollowReply", topic=name, body=following)
        followed = self.app("devices.list_followed_topics", "FollowedTopics", **self._device(user))
        expect([each.topic for each in followed.topics] == [name], f"{followed}")
        self.app("devices.unfollow_topic", "FollowReply", topic=name, body=following)
        self.customer("topics.list_followers", "FollowerPage", topic=name)
        expect(self.customer("topics.get_topic", "TopicReply", topic=name).followers.customer == 2, "the list is lost")
        self.customer("topics.list_topics", "TopicPage")
        self.customer("topics.delete_topic", "Success", topic=name)

    def _webhook(self) -> None:
        # A name that never has an address (RFC 6761): nothing leaves this machine.
        request = self.models.WebhookRequest(
            url="https://hooks.invalid/life", types=[self.models.EventType.BROADCAST_FINISHED])
        made = self.customer("events.create_webhook", "WebhookReply", body=request)
        expect(made.secret.startswith("whsec_"), "a webhook without a secret")
        which = {"webhook_id": made.id}
        self.customer("events.test_webhook", "WebhookTest", **which)
        self.customer("events.rotate_webhook_secret", "WebhookSecret", **which)
        changed = self.customer(
            "events.update_webhook", "WebhookReply", body=self.models.WebhookChange(enabled=False), **which)
        expect(not changed.enabled, "the webhook is still switched on")
        self.customer("events.get_webhook", "WebhookReply", **which)
        self.customer("events.list_webhook_attempts", "AttemptPage", **which)
        self.customer("events.list_dead_letters", "DeadLetterPage", **which)
        expect(len(self.customer("events.list_webhooks", "WebhookList").webhooks) == 1, "webhooks are not listed")
        self.customer("events.delete_webhook", "Success", **which)

    def _end(self, activity: UUID) -> None:
        gone = self.models.Dismissed(**self._device(USERS[2]), activity_id=activity)
        self.app("devices.report_dismissal", "ReportReply", body=gone)
        end = self.models.EndRequest(
            activity_id=activity, activity_type=TYPE, content=self.models.EndContent(content_state=self._object(eta=0)))
        ended = self.customer("activities.end_activity", "BroadcastReply", body=end)
        expect(ended.sessions_triggered == 2, f"{ended.sessions_triggered} ended")

    # What is told and forgotten

    def _events(self, wanted: set) -> list:
        """What the stream has, as soon as there is something of each type that is wanted: they come behind the replies."""
        end, events, after = time.monotonic() + _SECONDS, [], {}
        while wanted - {event.type_ for event in events}:
            if time.monotonic() > end:
                raise LifeError(f"no event of {wanted - {event.type_ for event in events}}")
            time.sleep(0.1)
            page = self.customer("events.list_events", "EventPage", limit=500, **after)
            after = {"after": page.cursor}
            events += page.events
        return events

    def _forget(self) -> None:
        self.app("devices.erase_device", "Erased", body=self.models.FollowRequest(**self._device(USERS[0])))
        self.customer("users.erase_user_device", "Erased", **self._device(USERS[1]))
        erased = self.customer("users.erase_user", "Erased", insider_id=USERS[2])
        expect(erased.removed.devices == 1, f"{erased.removed.devices} devices erased")
        self.customer("segments.get_segment", "SegmentReply", name="life")
        self.customer("segments.list_segments", "SegmentPage")
        self.customer("segments.delete_segment", "Success", name="life")
