// Prometheus's text format, and rates between two readings of it. Pure.

const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;
const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+([^\s]+)/;

/// A page of metrics: for each name its series, each with labels, a key of them, and a value. Lines that are none are
/// passed over. Only names that begin with one of `prefixes` are kept.
export function parse(text, prefixes = [""]) {
  const page = new Map();
  for (const line of String(text).split("\n")) {
    if (line === "" || line[0] === "#" || !prefixes.some((prefix) => line.startsWith(prefix))) continue;
    const match = LINE.exec(line);
    if (match === null) continue;
    const value = number(match[3]);
    if (Number.isNaN(value)) continue;
    const series = { labels: labels(match[2] ?? ""), key: match[2] ?? "", value };
    const known = page.get(match[1]);
    if (known === undefined) page.set(match[1], [series]);
    else known.push(series);
  }
  return page;
}

function number(text) {
  if (text === "+Inf" || text === "Inf") return Infinity;
  return text === "-Inf" ? -Infinity : Number(text);
}

function labels(text) {
  const found = {};
  for (const [, name, value] of text.matchAll(LABEL)) {
    found[name] = value.replace(/\\(.)/g, (_, letter) => (letter === "n" ? "\n" : letter));
  }
  return found;
}

/// The series of a name whose labels are as given.
export function series(page, name, wanted = {}) {
  return (page?.get(name) ?? []).filter(({ labels: have }) => Object.entries(wanted).every(([key, value]) => have[key] === value));
}

/// The sum of these; null when there is none.
export function sum(page, name, wanted = {}) {
  const found = series(page, name, wanted);
  return found.length === 0 ? null : found.reduce((total, { value }) => total + value, 0);
}

/// The largest of these; null when there is none.
export function largest(page, name, wanted = {}) {
  const found = series(page, name, wanted);
  return found.length === 0 ? null : Math.max(...found.map(({ value }) => value));
}

/// The sums of a name by one of its labels.
export function by(page, name, label, wanted = {}) {
  const sums = new Map();
  for (const { labels: have, value } of series(page, name, wanted)) {
    const key = have[label] ?? "";
    sums.set(key, (sums.get(key) ?? 0) + value);
  }
  return sums;
}

/// How much a counter grew in a second between two readings. After a restart, which begins at zero, null.
export function rate(before, now, seconds) {
  if (before === null || now === null || !(seconds > 0) || now < before) return null;
  return (now - before) / seconds;
}

/// A quantile of what a histogram took between two readings, by the upper bounds of its buckets with what lies between
/// them taken as even. Null when nothing was taken. What lies above the last bound is told as that bound.
export function quantile(before, now, name, q, wanted = {}) {
  const earlier = by(before, `${name}_bucket`, "le", wanted);
  const buckets = [...by(now, `${name}_bucket`, "le", wanted)]
    .map(([le, value]) => ({ bound: number(le), taken: value - (earlier.get(le) ?? 0) }))
    .sort((left, right) => left.bound - right.bound);
  const total = buckets.at(-1)?.taken ?? 0;
  if (!(total > 0) || buckets.some(({ taken }) => taken < 0)) return null;
  const wantedRank = q * total;
  let floor = 0;
  let below = 0;
  for (const { bound, taken } of buckets) {
    if (taken >= wantedRank) {
      if (bound === Infinity) return floor;
      return taken === below ? bound : floor + ((bound - floor) * (wantedRank - below)) / (taken - below);
    }
    floor = bound;
    below = taken;
  }
  return floor;
}
