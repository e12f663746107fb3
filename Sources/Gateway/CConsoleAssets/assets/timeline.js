// What has happened to a topic, the newest first. Pure.

import { broadcastID } from "./format.js";

/// Its turns and its last broadcasts: each a time, a text, and a broadcast where it is one.
export function timelineOf(topic) {
  const entries = topic.broadcasts.map((broadcast) => ({ at: broadcast.created_at, what: `${broadcast.kind} ${broadcastID(broadcast.broadcast_id)}`, broadcast }));
  entries.push({ at: topic.created_at, what: "created" });
  if (topic.live_since !== undefined) entries.push({ at: topic.live_since, what: "went live" });
  if (topic.state === "ended") entries.push({ at: topic.changed_at, what: topic.ended_by === undefined ? "ended" : `ended automatically: ${topic.ended_by}` });
  return entries.sort((left, right) => Date.parse(right.at) - Date.parse(left.at));
}
