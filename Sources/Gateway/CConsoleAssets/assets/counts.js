// What the counts of a broadcast and of an activity's devices say. Pure.

const total = (counts) => Object.values(counts ?? {}).reduce((sum, value) => sum + value, 0);

/// Whether a broadcast changes no more.
export function isFinal(state) {
  return state === "done" || state === "superseded" || state === "failed";
}

/// How the devices of a broadcast divide: accepted, failed, skipped, and those that are not done yet. A push to a channel
/// is one for all who follow it, so these count as reached when it was accepted.
/// Of what is over nothing is left, also where a listing does not tell failed and skipped.
export function progressOf(record) {
  const failed = total(record.failed);
  const skipped = total(record.skipped);
  const channel = record.kind === "start" ? undefined : record.cohorts?.channel;
  const followers = channel !== undefined && channel.accepted > 0 ? Math.max(0, channel.devices - channel.accepted) : 0;
  const accepted = (record.accepted ?? 0) + followers;
  const whole = Math.max(record.total ?? 0, accepted + failed + skipped);
  const left = isFinal(record.state) ? 0 : Math.max(0, whole - accepted - failed - skipped);
  return { accepted, failed, skipped, left, whole, done: whole === 0 ? 1 : (whole - left) / whole };
}

/// What is to be told of a broadcast in a line: failed and skipped by reason, three each, and its cohorts.
export function briefOf(record) {
  const top = (counts) => Object.entries(counts ?? {}).sort((left, right) => right[1] - left[1]).slice(0, 3).map(([reason, n]) => `${reason} ${n.toLocaleString("en-US")}`).join(", ");
  const cohorts = Object.entries(record.cohorts ?? {}).map(([name, { devices, accepted }]) => `${name} ${accepted.toLocaleString("en-US")} of ${devices.toLocaleString("en-US")}`).join(", ");
  return [["failed", top(record.failed)], ["skipped", top(record.skipped)], ["cohorts", cohorts]].filter(([, text]) => text !== "");
}

/// The stages of a broadcast in seconds: waiting until it began, sending until it ended or now. Null for one not begun.
export function stagesOf(record, now = Date.now()) {
  const at = (text) => (text === undefined ? null : Date.parse(text));
  const [created, started, finished] = [at(record.created_at), at(record.started_at), at(record.finished_at)];
  const end = finished ?? now;
  const seconds = (from, to) => Math.max(0, (to - from) / 1000);
  const [first, last] = [at(record.first_push_at), at(record.last_push_at)];
  const isKnown = started !== null && finished !== null && first !== null && last !== null;
  const parts = isKnown ? { preparing: seconds(started, first), pushing: seconds(first, last), recording: seconds(last, finished) } : null;
  return { waiting: seconds(created, started ?? end), sending: started === null ? null : seconds(started, end), parts, isOver: finished !== null };
}

/// The states of devices in the order in which they are drawn.
export const DEVICE_STATES = ["active", "shown", "pending", "registered", "ended", "unsent", "unknown", "failed"];

/// What they mean.
export const STATE_MEANINGS = {
  active: "the Live Activity is shown and synced",
  shown: "the Live Activity is shown, without an update token",
  pending: "the start was accepted; not synced yet",
  registered: "no start has an outcome yet",
  ended: "the Live Activity is gone",
  unsent: "the start is over and did not reach the device",
  unknown: "the start may have reached the device",
  failed: "the provider refused the start",
};

/// Devices by state, those that occur.
export function statesOf(counts) {
  return DEVICE_STATES.map((state) => [state, counts?.[state] ?? 0]).filter(([, n]) => n > 0);
}

/// Those who can be started again, by what became of their start, as a restart names it; those that occur. Of those who have
/// not synced only the ones whose start was accepted some time ago are meant, so their number is the most that it can be.
export function leftOut(counts) {
  const { unsent = 0, failed = 0, unknown = 0, pending = 0 } = counts ?? {};
  return Object.entries({ unsent, failed, unknown, not_synced: pending }).filter(([, n]) => n > 0);
}

/// The points of a time-to-sync curve: seconds and devices that had synced by then.
export function syncCurve(timeToSync) {
  return Object.entries(timeToSync?.within ?? {}).map(([seconds, n]) => [Number(seconds), n]).sort((left, right) => left[0] - right[0]);
}
