"""What the document says in words, so that generators of clients can read it, as schemas for the check.

A rule over several fields of a request; `null`, which is the same as leaving a field out; the codes of a refusal; events of
a stream.
"""

from . import links

# A text with something in it that is no white space.
_SAID = {
    "type": "string",
    "pattern": "[^\\t-\\r \\u0085\\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000]",
}
_ABSENT = {"type": "null"}


def _with(*required: str, **properties) -> dict:
    return {"required": list(required), "properties": properties}


_NAMED = {"oneOf": [
    _with("activity_id", activity_id={"type": "string"}, external_id=_ABSENT, insider_id=_ABSENT),
    _with("external_id", "activity_type", external_id={"type": "string"}, activity_type=_SAID,
          activity_id=_ABSENT)]}
_WHEN = {"oneOf": [
    _with("offset", offset={"type": "integer"}, deliver_at=_ABSENT),
    _with("deliver_at", deliver_at={"type": "string"}, offset=_ABSENT)]}


def _content(name: str) -> dict:
    return {"$ref": f"#/components/schemas/{name}"}


# A text of an alert; as an object it names one of the app's texts.
_TEXT = {
    "type": ["string", "object"], "required": ["loc-key"], "additionalProperties": False,
    "properties": {"loc-key": _SAID, "loc-args": {"type": "array", "items": {"type": "string"}}},
}
_SPOKEN = {**_SAID, "type": ["string", "object"]}
_ALERT = {"anyOf": [_with("title", title=_SPOKEN), _with("message", message=_SPOKEN)]}
#: An alert has a text, or there is none.
_ALERT_OR_NONE = {"anyOf": [_ALERT, _with(title=_ABSENT, message=_ABSENT)]}


def _sound_with(alert: dict) -> dict:
    """A sound is a part of an alert."""
    return {"anyOf": [alert, _with(options={"properties": {"sound": _ABSENT}})]}


_IN_CONTENT = _with("content", content=_ALERT)
_FORCED = {"properties": {"force": {"const": True}}, "required": ["force"]}
_SKIPPING = {"properties": {"skip_unchanged": {"const": True}}, "required": ["skip_unchanged"]}
#: How a channel keeps its pushes is said only where there is one.
_STORAGE = {"anyOf": [_with(channel_storage=_ABSENT), _with("channel", channel={"enum": ["auto", "required"]})]}

#: By component: what its instances have to keep to besides.
RULES = {
    "AlertText": [_TEXT],
    "StartContent": [_ALERT],
    "UpdateContent": [_ALERT_OR_NONE],
    "EndContent": [_ALERT_OR_NONE],
    "ActivityType": [{"pattern": "^[^\\u0000]+$"}],
    "RegisterRequest": [{"oneOf": [
        _with("insider_ids", insider_ids={"type": "array"}, segment=_ABSENT),
        _with("segment", segment={"type": "string"}, insider_ids=_ABSENT)]}],
    "RegisterOptions": [{"anyOf": [
        _with("heal", heal={"const": "dead_token"}),
        _with(heal={"enum": ["never", None]}, heal_limit=_ABSENT)]}, _STORAGE],
    "TopicOptions": [_STORAGE],
    "RestartRequest": [{"oneOf": [
        _with("devices", devices={"const": "not_synced"}, target_devices={"type": ["array", "null"], "maxItems": 0}),
        _with("devices", devices={"enum": ["unsent", "failed", "unknown"]}, older_than=_ABSENT,
              target_devices={"type": ["array", "null"], "maxItems": 0}),
        _with("target_devices", target_devices={"type": "array", "minItems": 1}, devices=_ABSENT, older_than=_ABSENT)]}],
    "UpdateRequest": [_NAMED, _sound_with(_IN_CONTENT)],
    "EndRequest": [_NAMED, _sound_with(_IN_CONTENT)],
    "CancelSchedulesRequest": [_NAMED],
    "ScheduleRequest": [_NAMED, _WHEN, _sound_with(_IN_CONTENT), {"anyOf": [
        _with(event={"const": "end"}, options={"not": _SKIPPING}),
        _with("content", event={"const": "update"}, content=_content("UpdateContent"), options={"not": _FORCED}),
        _with("content", event={"const": "start"}, content=_content("StartContent"),
              options={"allOf": [{"not": _FORCED}, {"not": _SKIPPING}]})]}],
    "ScheduleOwn": [
        _with(event={"enum": ["update", "end", None]}, options={"not": _SKIPPING}), _ALERT_OR_NONE, _sound_with(_ALERT),
        {"anyOf": [
            _with("event", event={"const": "end"}),
            _with("content_state", content_state={"type": "object"}, options={"not": _FORCED})]}],
    "ReportedTopic": [{"not": {"enum": [".", ".."]}}],
    "Sync": [{"anyOf": [
        _with("activity_id", activity_id=_SAID), _with("topic", topic=_SAID),
        _with("activity_type", activity_type=_SAID)]}],
    "Dismissed": [{"anyOf": [
        _with("activity_id", activity_id=_SAID), _with("topic", topic=_SAID),
        _with("activity_type", activity_type=_SAID),
        _with("system_activity_id", system_activity_id=_SAID, external_id=_ABSENT)]}],
    "Tap": [{"anyOf": [
        _with("activity_id", activity_id=_SAID), _with("topic", topic=_SAID),
        _with("system_activity_id", system_activity_id=_SAID)]}],
    "EventSettings": [{"anyOf": [_with("stream", stream={"type": "boolean"}), _with("audit", audit={"type": "boolean"})]}],
    "WebhookChange": [{"anyOf": [
        _with("url", url={"type": "string"}), _with("types", types={"type": "array"}),
        _with("enabled", enabled={"type": "boolean"})]}],
    "ResendRequest": [{"oneOf": [
        _with("all", all={"const": True}, ids=_ABSENT),
        _with("ids", ids={"type": "array"}, all={"enum": [False, None]})]}],
}


#: Fields that may be left out, and are refused when they are null.
NEVER_NULL = {("Sync", "token"), ("Dismissed", "token")}
#: What the events of a stream consist of, which the document says in words, for a generated client gets them as one text.
STREAMED = {
    "type": "object", "required": ["event", "data"], "properties": {
        "event": {"enum": ["progress", "end"]},
        "data": {"type": "string", "contentMediaType": "application/json",
                 "contentSchema": {"$ref": "#/components/schemas/Broadcast"}}}}


def apply(document: dict) -> None:
    """Puts them into the document."""
    schemas = document["components"]["schemas"]
    links.apply(document)
    _let_null(document)
    for name, rules in RULES.items():
        schemas[name]["allOf"] = rules
    _describe_replies(document)


def _requests(document: dict) -> set:
    """The names of the schemas that requests consist of."""
    schemas, found, left = document["components"]["schemas"], set(), []
    for item in document["paths"].values():
        left += [operation["requestBody"] for operation in item.values() if "requestBody" in operation]
    while left:
        node = left.pop()
        if isinstance(node, list):
            left += node
        elif isinstance(node, dict):
            name = node.get("$ref", "").removeprefix("#/components/schemas/")
            if name in schemas and name not in found:
                found.add(name)
                left.append(schemas[name])
            left += node.values()
    return found


def _let_null(document: dict) -> None:
    for name in _requests(document):
        schema = document["components"]["schemas"][name]
        for field, value in schema.get("properties", {}).items():
            if field not in schema.get("required", ()) and (name, field) not in NEVER_NULL:
                schema["properties"][field] = {"anyOf": [value, {"type": "null"}]}


def _describe_replies(document: dict) -> None:
    replies = list(document["components"]["responses"].values())
    for item in document["paths"].values():
        for operation in item.values():
            replies += operation.get("responses", {}).values()
    for reply in replies:
        for kind, media in reply.get("content", {}).items():
            if kind == "text/event-stream":
                media["schema"] = STREAMED
            if "x-error-codes" in media:
                media["schema"] = {"allOf": [media["schema"], _with(code={"enum": media["x-error-codes"]})]}
