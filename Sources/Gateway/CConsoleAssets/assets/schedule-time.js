// The time of a schedule, as a field holds it by this machine's clock and as the gateway takes it. Pure.

const two = (value) => String(value).padStart(2, "0");

/// What a field of date and time holds for a moment: to the minute.
export function fieldTime(moment) {
  const at = new Date(moment);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/// What a field holds, after RFC 3339; null when it is no time.
export function instantOf(text) {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? new Date(text) : new Date(NaN);
  return Number.isNaN(at.getTime()) ? null : at.toISOString().replace(/\.\d+Z$/, "Z");
}

/// Why nothing can be carried out then, for people; null when it can.
export function timeProblem(text, endsAt, now = Date.now()) {
  const at = Date.parse(instantOf(text) ?? "");
  if (Number.isNaN(at)) return "Enter a date and a time.";
  if (at < now) return "The time is in the past. Enter a future time.";
  if (at >= Date.parse(endsAt)) return "The activity has ended by then. Enter an earlier time.";
  return null;
}
