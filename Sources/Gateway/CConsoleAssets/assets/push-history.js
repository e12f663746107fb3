// What was pushed to a user and what came back, from two sources: the listing of an activity's devices, and the stream.

import { withQuery } from "./api.js";

/// Pages of a listing, and of the stream, that are read at most.
const LISTING_PAGES = 20;
const STREAM_PAGES = 24;
/// How far back the stream is read, the newest part first, in minutes.
const PARTS = [10, 60, 360];
const KEPT = 100;

const PUSH_EVENTS = ["push.live_activity_started", "push.live_activity_synced", "push.live_activity_updated", "push.live_activity_ended", "push.live_activity_invalidated", "push.live_activity_tapped", "push.live_activity_dismissed"];

/// A device in an activity's listing, with the last outcome. Reads page by page, so many at most; `onPage` is told how many
/// devices were looked at. Null when it is not among those that were.
export async function findDevice(api, scope, activityID, insiderID, udid, onPage, pages = LISTING_PAGES) {
  let cursor;
  let seen = 0;
  for (let page = 0; page < pages; page += 1) {
    const reply = await api.get(withQuery(`/live-activity/${encodeURIComponent(activityID)}/devices`, { limit: 1000, cursor }));
    const found = reply.devices.find((one) => one.insider_id === insiderID && one.udid === udid);
    if (found !== undefined) return found;
    seen += reply.devices.length;
    onPage(seen);
    if (reply.cursor === undefined) return null;
    cursor = reply.cursor;
    if (page + 1 < pages && !(await scope.pause(0.5))) return null;
  }
  return null;
}

/// The events of the last hours that name a user, the newest first. `isOn` says whether the stream is recorded, `since` as of
/// when it was read.
export async function pushesTo(api, scope, insiderID) {
  const { stream: isOn } = await api.get("/events/settings");
  const now = Date.now();
  const found = { isOn, events: [], since: now };
  let pages = 0;
  let end = Infinity;
  for (const minutes of isOn ? PARTS : []) {
    const begin = now - minutes * 60_000;
    const part = [];
    for (let after = `${begin}-0`; after !== null; pages += 1) {
      if (pages >= STREAM_PAGES || !(await scope.pause(pages === 0 ? 0 : 0.6))) return found;
      const reply = await api.get(withQuery("/events", { after, limit: 100, types: PUSH_EVENTS.join(",") }));
      part.push(...reply.events.filter((event) => names(event, insiderID) && Date.parse(event.timestamp) < end));
      const isThrough = reply.cursor === after || (reply.events.length === 0) || Date.parse(reply.events.at(-1).timestamp) >= end;
      after = isThrough ? null : reply.cursor;
    }
    found.events = [...found.events, ...part.reverse()].slice(0, KEPT);
    found.since = begin;
    end = begin;
    if (found.events.length >= KEPT) break;
  }
  return found;
}

/// Whether an event is about a user.
export function names(event, insiderID) {
  return event.data?.insider_id === insiderID || (event.data?.devices ?? []).some((one) => one.insider_id === insiderID);
}
