// What the Gateway view shows of the metrics, from two readings of them. Pure.

import { by, largest, quantile, rate, series, sum } from "./metrics.js";

/// The beginnings of the names that are read.
export const PREFIXES = [
  "fanfare_pushes", "fanfare_push_", "fanfare_broadcast", "fanfare_job", "fanfare_redis", "fanfare_webhook", "fanfare_http_connections", "fanfare_http_requests_in_progress",
  "fanfare_share_used", "fanfare_share_capacity", "process_",
];

const growth = (name, wanted) => (before, now, seconds) => rate(sum(before, name, wanted) ?? 0, sum(now, name, wanted) ?? 0, seconds);
const OUTCOMES = ["accepted", "rejected", "unsent", "unanswered"];

/// The values of the plots: rates in a second, and times in seconds. Before the first pair of readings all are null.
export function plotValues(before, now, seconds) {
  const rates = (name, label, values) => values.map((value) => (before === null ? null : growth(name, { [label]: value })(before, now, seconds)));
  const time = (name, q) => (before === null ? null : quantile(before, now, name, q));
  return {
    pushes: rates("fanfare_pushes_total", "outcome", OUTCOMES),
    lag: [sum(now, "fanfare_broadcast_lag_seconds") ?? 0, sum(now, "fanfare_job_silence_seconds") ?? 0],
    events: rates("fanfare_broadcast_devices_total", "event", ["start", "update", "end"]),
    answers: [time("fanfare_push_answer_duration_seconds", 0.5), time("fanfare_push_answer_duration_seconds", 0.99)],
    webhooks: before === null ? [null, null] : webhookRates(before, now, seconds),
    redis: [time("fanfare_redis_round_trip_seconds", 0.5), time("fanfare_redis_round_trip_seconds", 0.99)],
  };
}

function webhookRates(before, now, seconds) {
  const name = "fanfare_webhook_attempts_total";
  const delivered = (page) => sum(page, name, { result: "delivered" }) ?? 0;
  return [rate(delivered(before), delivered(now), seconds), rate((sum(before, name) ?? 0) - delivered(before), (sum(now, name) ?? 0) - delivered(now), seconds)];
}

/// Single figures of now.
export function figures(page) {
  const connections = by(page, "fanfare_push_connections", "state");
  return {
    pauses: series(page, "fanfare_push_paused").filter(({ value }) => value === 1).map(({ labels }) => labels),
    connections: [...connections].filter(([, value]) => value > 0),
    ready: connections.get("ready") ?? 0,
    inFlight: sum(page, "fanfare_pushes_in_flight"),
    waiting: sum(page, "fanfare_pushes_waiting"),
    unfinished: largest(page, "fanfare_broadcasts_unfinished"),
    failing: sum(page, "fanfare_webhooks_failing"),
    redisUp: sum(page, "fanfare_redis_up"),
    redisChecks: series(page, "fanfare_redis_check").map(({ labels, value }) => ({ check: labels.check, isWell: value === 1 })),
    redisMemory: sum(page, "fanfare_redis_memory_used_bytes"),
    redisLimit: sum(page, "fanfare_redis_memory_limit_bytes"),
    memory: sum(page, "process_resident_memory_bytes"),
    since: sum(page, "process_start_time_seconds"),
    requests: sum(page, "fanfare_http_requests_in_progress"),
  };
}

/// Jobs by lane and state.
export function jobs(page) {
  const lanes = new Map();
  for (const { labels, value } of series(page, "fanfare_jobs")) {
    const lane = lanes.get(labels.lane) ?? { lane: labels.lane, running: 0, resting: 0, waiting: 0 };
    lane[labels.state] = value;
    lanes.set(labels.lane, lane);
  }
  return [...lanes.values()];
}

/// Connections to providers: by state, for each purpose.
export function connections(page) {
  const purposes = new Map();
  for (const { labels, value } of series(page, "fanfare_push_connections")) {
    const row = purposes.get(labels.purpose) ?? { purpose: labels.purpose };
    row[labels.state] = (row[labels.state] ?? 0) + value;
    purposes.set(labels.purpose, row);
  }
  return [...purposes.values()];
}

/// Rejections by the provider's reason since the gateway was started.
export function rejections(page) {
  return Object.fromEntries([...by(page, "fanfare_pushes_total", "reason", { outcome: "rejected" })].filter(([, value]) => value > 0));
}

/// What tenants share: how much of it is in use.
export function shares(page) {
  const capacity = by(page, "fanfare_share_capacity", "resource");
  return [...by(page, "fanfare_share_used", "resource")].map(([resource, used]) => ({ resource, used, capacity: capacity.get(resource) ?? 0 }));
}
