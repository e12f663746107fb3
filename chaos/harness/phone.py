"""A phone that decodes as strictly as ActivityKit. Pure: payloads in, Live Activities out.

- A start needs `attributes` and `content-state` with every member of the app's types, each of its type.
- An update needs such a `content-state`, and an end may leave it out.
- A payload that does not decode is dropped. An update or end older than the newest one taken is dropped.
- Several Live Activities of one type are shown at once. A token belongs to one Live Activity, by its system id.
"""

import dataclasses
import json


@dataclasses.dataclass(frozen=True)
class AppType:
    """The Codable types of an app's Live Activity: required members with their types."""
    name: str
    attributes: dict
    state: dict


@dataclasses.dataclass(frozen=True)
class Message:
    """The content of a push, from either provider. Members keep the JSON type that they came with."""
    event: object
    timestamp: object
    type: object = None
    attributes: object = None
    state: object = None
    #: The broadcast channel that a start tells the phone to follow.
    channel: object = None
    #: `live_activity_id`, by which an Android app knows a Live Activity again.
    name: object = None

    @staticmethod
    def of_apns(aps):
        return Message(aps.get("event"), aps.get("timestamp"), aps.get("attributes-type"), aps.get("attributes"),
                       aps.get("content-state"), aps.get("input-push-channel"))

    @staticmethod
    def of_fcm(data):
        return Message(data.get("live_activity_event"), _parsed(data.get("live_activity_timestamp")),
                       data.get("live_activity_type"), _parsed(data.get("attributes")),
                       _parsed(data.get("content_state")), name=data.get("live_activity_id"))


@dataclasses.dataclass
class LiveActivity:
    system_id: int
    attributes: dict
    state: dict
    timestamp: int
    channel: str | None = None
    name: str | None = None
    token: str | None = None
    is_over: bool = False


class Phone:
    def __init__(self, app_type):
        self.app_type = app_type
        self.shown = []
        #: Reasons of payloads that did not decode.
        self.drops = []

    def start(self, message):
        """Shows a new Live Activity. Returns None if the payload does not decode. An Android app shows a name once."""
        wrong = (_wrong_envelope(message, "start") or self._wrong_type(message)
                 or _wrong(message.attributes, self.app_type.attributes, "attributes")
                 or _wrong(message.state, self.app_type.state, "content-state"))
        if wrong:
            return self._drop(message, wrong)
        if message.name is not None and self.live_activity_named(message.name):
            return self.live_activity_named(message.name)
        live_activity = LiveActivity(len(self.shown) + 1, message.attributes, message.state, message.timestamp,
                                     message.channel, message.name)
        self.shown.append(live_activity)
        return live_activity

    def report(self, live_activity, token):
        """Binds a token to a Live Activity. A bound token stays where it is."""
        if self.live_activity_of(token) is None:
            live_activity.token = token

    def live_activity_of(self, token):
        return next((each for each in self.shown if each.token == token), None)

    def push(self, token, message):
        """Applies an update or end to the Live Activity of its token. Returns True if that changed."""
        return self._apply(self.live_activity_of(token), message)

    def push_by_name(self, message):
        """Applies an update or end to the Live Activity that it names."""
        return self._apply(self.live_activity_named(message.name), message)

    def publish(self, channel, message):
        """Applies an update or end to the Live Activities that follow a channel."""
        for live_activity in self.shown:
            if live_activity.channel == channel:
                self._apply(live_activity, message)

    def _apply(self, live_activity, message):
        if live_activity is None:
            return False
        wrong = _wrong_envelope(message, "update", "end")
        if not wrong and not (message.event == "end" and message.state is None):
            wrong = _wrong(message.state, self.app_type.state, "content-state")
        if wrong:
            return bool(self._drop(message, wrong))
        if message.timestamp < live_activity.timestamp or live_activity.is_over:
            return False
        live_activity.timestamp = message.timestamp
        live_activity.is_over = message.event == "end"
        if message.state is not None:
            live_activity.state = message.state
        return True

    def live_activity_named(self, name):
        return next((each for each in self.shown if each.name == name), None)

    def _drop(self, message, wrong):
        self.drops.append(f"{message.event} with {message.state}: {wrong}")

    def _wrong_type(self, message):
        if message.type != self.app_type.name:
            return f"attributes-type is {message.type!r}, the app has {self.app_type.name!r}"
        return None


class Crowd:
    """Phones by their tokens, of both platforms."""

    def __init__(self, app_type):
        self.app_type = app_type
        #: By the token that a start goes to.
        self.phones = {}
        #: By update token: the token that a start goes to, and members that the attributes must have.
        self.owners = {}
        self._followers = {}

    def own(self, update_token, start_token, **attributes):
        """Lets the Live Activity with these attributes report a token."""
        self.owners[update_token] = start_token, attributes

    def phone(self, start_token):
        if start_token not in self.phones:
            self.phones[start_token] = Phone(self.app_type)
        return self.phones[start_token]

    def start(self, token, message):
        phone = self.phone(token)
        live_activity = phone.start(message)
        if live_activity and live_activity.channel:
            self._followers.setdefault(live_activity.channel, {})[token] = phone

    def push(self, token, message):
        if message.name is not None:
            self.phone(token).push_by_name(message)
        elif token in self.owners:
            self.report(token).push(token, message)

    def publish(self, channel, message):
        for phone in self._followers.get(channel, {}).values():
            phone.publish(channel, message)

    def report(self, token):
        """The phone of an update token, whose newest fitting Live Activity without a token has reported it."""
        start_token, attributes = self.owners[token]
        phone = self.phone(start_token)
        for live_activity in reversed(phone.shown):
            if live_activity.token is None and attributes.items() <= live_activity.attributes.items():
                phone.report(live_activity, token)
                break
        return phone

    def report_all(self):
        for token in self.owners:
            self.report(token)


def _parsed(text):
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


def _wrong_envelope(message, *events):
    """The reason why a push is none of these events, or None."""
    if message.event not in events:
        return f"event is {message.event!r}"
    if type(message.timestamp) is not int:
        return f"timestamp is {message.timestamp!r}"
    return None


def _wrong(value, members, name):
    """The reason why a value does not fit a type, or None. Members that the type does not have are ignored."""
    if not isinstance(value, dict):
        return f"{name} is {value!r}"
    for member, kind in members.items():
        if member not in value:
            return f"{name} lacks {member!r}"
        # A Bool is no number for Codable.
        if type(value[member]) is not kind:
            return f"{name} has {member!r}: {value[member]!r}"
    return None
