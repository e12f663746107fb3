// The bodies of the calls that are made from Compose, and the size of the push that comes of them. Pure.
// `content` holds `title` and `message` as typed, `contentState` and `attributes` as JSON text; what is empty is left out.

import { byteLength, objectText, quoted } from "./json-text.js";

/// What a provider takes: to a device, and to a channel.
export const LIMITS = { device: 4096, channel: 5120 };

const given = (text) => text !== undefined && text !== null && text !== "";
const text = (value) => (given(value) ? quoted(value) : null);
const raw = (value) => (given(value?.trim?.()) ? value : null);

/// The JSON text of a content.
export function contentText(content) {
  return objectText([
    ["title", text(content.title)],
    ["message", text(content.message)],
    ["content_state", raw(content.contentState)],
    ["attributes", raw(content.attributes)],
  ]);
}

/// Registers users, or a stored segment, until `endsAt`.
export function registerBody({ type, segment, insiderIDs, endsAt, options = {} }) {
  return objectText([
    ["activity_type", quoted(type)],
    ["segment", text(segment)],
    ["insider_ids", insiderIDs === undefined ? null : JSON.stringify(insiderIDs)],
    ["ends_at", quoted(endsAt)],
    ["options", Object.keys(options).length === 0 ? null : JSON.stringify(options)],
  ]);
}

/// Starts, updates or ends an activity.
export function broadcastBody({ activityID, type, content, options = {} }) {
  return objectText([
    ["activity_id", quoted(activityID)],
    ["activity_type", quoted(type)],
    ["content", content === null || content === undefined ? null : contentText(content)],
    ["options", Object.keys(options).length === 0 ? null : JSON.stringify(options)],
  ]);
}

/// Starts those again whom a start has left out: `devices` says what became of it, `olderThan` in seconds how long ago.
export function restartBody({ activityID, type, content, devices, olderThan }) {
  return objectText([
    ["activity_id", quoted(activityID)],
    ["activity_type", quoted(type)],
    ["devices", quoted(devices)],
    ["older_than", olderThan === undefined ? null : String(olderThan)],
    ["content", contentText(content)],
  ]);
}

/// Has an update or end carried out at a time.
export function scheduleBody({ activityID, type, event, deliverAt, content, name }) {
  return objectText([
    ["activity_id", quoted(activityID)],
    ["activity_type", quoted(type)],
    ["event", quoted(event)],
    ["deliver_at", quoted(deliverAt)],
    ["name", text(name)],
    ["content", content === null || content === undefined ? null : contentText(content)],
  ]);
}

/// Says where a topic stands, and what its followers are shown.
export function topicBody({ type, state, content }) {
  return objectText([
    ["activity_type", quoted(type)],
    ["state", quoted(state)],
    ["content", content === null || content === undefined ? null : contentText(content)],
  ]);
}

/// How many bytes the push to a device has. `attributeKey`: the key under which the activity's id joins the attributes.
export function payloadLength({ event, type, content, sound, attributeKey }) {
  const alert = objectText([["title", text(content.title)], ["body", text(content.message)], ["sound", text(sound)]]);
  const hasAlert = event === "start" || (given(content.title) && given(content.message));
  const aps = objectText([
    ["timestamp", "1000000000"],
    ["event", quoted(event)],
    ["content-state", raw(content.contentState)],
    ["attributes-type", event === "start" ? quoted(type) : null],
    ["attributes", event === "start" ? raw(content.attributes) ?? "{}" : null],
    ["input-push-token", event === "start" ? "1" : null],
    ["alert", hasAlert ? alert : null],
  ]);
  const id = event === "start" && given(attributeKey) ? byteLength(quoted(attributeKey)) + 1 + 38 : 0;
  const comma = id > 0 && !/^\s*\{\s*\}\s*$/.test(content.attributes?.trim() || "{}") ? 1 : 0;
  return byteLength(objectText([["aps", aps]])) + id + comma;
}
