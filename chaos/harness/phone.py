"""A phone that decodes as strictly as ActivityKit. Pure: payloads in, Live Activities out.

- A start needs `attributes` and `content-state` with every member of the app's types, each of its type.
- An update needs such a `content-state`, and an end may leave it out.
- A payload that does not decode is dropped. An update or end older than the newest one taken is dropped.
- Several Live Activities of one type are shown at once. A token belongs to one Live Activity, by its system id.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class AppType:
    """The Codable types of an app's Live Activity: required members with their types."""
    name: str
    attributes: dict
    state: dict


@dataclasses.dataclass
class LiveActivity:
    system_id: int
    attributes: dict
    state: dict
    timestamp: int
    token: str | None = None
    is_over: bool = False


class Phone:
    def __init__(self, app_type):
        self.app_type = app_type
        self.shown = []
        #: Reasons of payloads that did not decode.
        self.drops = []

    def start(self, aps):
        """Shows a new Live Activity. Returns None if the payload does not decode."""
        wrong = (_wrong_envelope(aps, "start") or self._wrong_type(aps)
                 or _wrong(aps.get("attributes"), self.app_type.attributes, "attributes")
                 or _wrong(aps.get("content-state"), self.app_type.state, "content-state"))
        if wrong:
            self.drops.append(f"start: {wrong}")
            return None
        live_activity = LiveActivity(
            len(self.shown) + 1, aps["attributes"], aps["content-state"], aps["timestamp"])
        self.shown.append(live_activity)
        return live_activity

    def report(self, live_activity, token):
        """Binds a token to a Live Activity. A bound token stays where it is."""
        if self.live_activity_of(token) is None:
            live_activity.token = token

    def live_activity_of(self, token):
        return next((each for each in self.shown if each.token == token), None)

    def push(self, token, aps):
        """Applies an update or end to the Live Activity of its token. Returns True if that changed."""
        live_activity = self.live_activity_of(token)
        if live_activity is None:
            return False
        event, state = aps.get("event"), aps.get("content-state")
        wrong = _wrong_envelope(aps, "update", "end")
        if not wrong and not (event == "end" and state is None):
            wrong = _wrong(state, self.app_type.state, "content-state")
        if wrong:
            self.drops.append(f"{event}: {wrong}")
            return False
        if aps["timestamp"] < live_activity.timestamp or live_activity.is_over:
            return False
        live_activity.timestamp = aps["timestamp"]
        live_activity.is_over = event == "end"
        if state is not None:
            live_activity.state = state
        return True

    def _wrong_type(self, aps):
        name = aps.get("attributes-type")
        return None if name == self.app_type.name else f"attributes-type is {name!r}"


def _wrong_envelope(aps, *events):
    if aps.get("event") not in events:
        return f"event is {aps.get('event')!r}"
    return None if _is(aps.get("timestamp"), int) else "timestamp is not an integer"


def _wrong(value, members, name):
    if not isinstance(value, dict):
        return f"{name} is not an object"
    for member, kind in members.items():
        if member not in value:
            return f"{name}.{member} is missing"
        if not _is(value[member], kind):
            return f"{name}.{member} is not of type {kind.__name__}"
    return None


def _is(value, kind):
    # In Python a Boolean is an integer, which it is not in JSON.
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
