// Numbers, times and sizes as people read them. Pure.

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/// A whole number with separators; an em dash for what is none.
export function count(value) {
  return Number.isFinite(value) ? WHOLE.format(value) : "—";
}

/// A number in few characters, such as 12.3K.
export function compact(value) {
  if (!Number.isFinite(value)) return "—";
  if (Math.abs(value) < 10 && !Number.isInteger(value)) return value.toFixed(1);
  return Math.abs(value) < 10_000 ? WHOLE.format(value) : SHORT.format(value);
}

/// A count with its noun: `1 device`, `2 devices`.
export function counted(value, one, many = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/// A share as a percentage that says neither 0 nor 100 of what is neither.
export function percent(part, whole) {
  if (!(whole > 0) || !Number.isFinite(part)) return "—";
  const share = (part / whole) * 100;
  if (share > 0 && share < 0.1) return "<0.1%";
  if (share < 100 && share > 99.9) return ">99.9%";
  return `${share.toFixed(share === 0 || share === 100 ? 0 : 1)}%`;
}

/// Seconds as `240 µs`, `12 ms`, `1.4 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`.
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "—";
  const sign = seconds < 0 ? "-" : "";
  const s = Math.abs(seconds);
  if (s === 0) return "0 s";
  if (s < 0.001) return `${sign}${Math.round(s * 1e6)} µs`;
  if (s < 1) return `${sign}${s < 0.01 ? (s * 1000).toFixed(1) : Math.round(s * 1000)} ms`;
  if (s < 60) return `${sign}${s < 10 ? s.toFixed(1) : Math.round(s)} s`;
  const [big, small, first, second] = s < 3600 ? [60, 1, "min", "s"] : s < 86400 ? [3600, 60, "h", "min"] : [86400, 3600, "d", "h"];
  const whole = Math.floor(s / big);
  const rest = Math.floor((s - whole * big) / small);
  return rest === 0 ? `${sign}${whole} ${first}` : `${sign}${whole} ${first} ${rest} ${second}`;
}

/// Bytes as `812 B`, `1.4 MB`.
export function bytes(value) {
  if (!Number.isFinite(value)) return "—";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let left = value;
  let at = 0;
  while (left >= 1000 && at < units.length - 1) {
    left /= 1000;
    at += 1;
  }
  return `${at === 0 || left >= 100 ? Math.round(left) : left.toFixed(1)} ${units[at]}`;
}

/// The seconds between two RFC 3339 times; NaN when one is missing.
export function secondsBetween(from, to) {
  return (Date.parse(to ?? "") - Date.parse(from ?? "")) / 1000;
}

const two = (value) => String(value).padStart(2, "0");

/// A moment by this machine's clock: the time alone on the same day, else with the date.
export function moment(text, now = new Date()) {
  const at = new Date(text ?? NaN);
  if (Number.isNaN(at.getTime())) return "—";
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return at.toDateString() === now.toDateString() ? clock : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock}`;
}

/// How long ago, or until when: `3 min ago`, `in 2 h`, `just now`.
export function fromNow(text, now = Date.now()) {
  const seconds = (Date.parse(text ?? "") - now) / 1000;
  if (!Number.isFinite(seconds)) return "—";
  if (Math.abs(seconds) < 2) return "just now";
  const [first, unit] = duration(Math.round(Math.abs(seconds))).split(" ");
  const rounded = unit === "s" ? Math.round(Number(first)) : first;
  return seconds < 0 ? `${rounded} ${unit} ago` : `in ${rounded} ${unit}`;
}

/// The beginning of an activity's id, enough to tell it from others on a page.
export function shortID(id) {
  return String(id ?? "").slice(0, 8);
}

/// The end of a broadcast's id, which begins as its activity's does.
export function broadcastID(id) {
  return `…${String(id ?? "").slice(-6)}`;
}

/// A word of the API for people: `not_synced` as `not synced`.
export function words(name) {
  return String(name ?? "").replaceAll("_", " ");
}

/// Whether a tenant's devices have to sign what they report, in words.
export function signatureWords(signatures) {
  return { none: "not required", any: "required", v2: "required, version 2" }[signatures] ?? words(signatures);
}
