// The tables of the Gateway view: providers, jobs, Redis, rejections, shares.

import { meter } from "./bars.js";
import { h, put } from "./dom.js";
import { bytes, count, words } from "./format.js";
import { badge, facts, panel, reasonBars } from "./parts.js";
import { connections, figures, jobs, rejections, shares } from "./readings.js";
import { table } from "./table.js";

const STATES = ["opening", "awaiting_settings", "ready", "draining"];

/// The panels, with `update(page)`. What has not changed is not drawn anew.
export function gatewayDetails() {
  const places = Object.fromEntries(["providers", "jobs", "redis", "rejections", "shares"].map((name) => [name, h("div", {})]));
  const drawn = {};
  const draw = (name, value, build) => {
    const key = JSON.stringify(value);
    if (drawn[name] === key) return;
    drawn[name] = key;
    put(places[name], build());
  };
  return {
    element: [
      h("div", { class: "columns" }, panel("Providers", places.providers), panel("Jobs", places.jobs)),
      h("div", { class: "columns" }, panel("Redis", places.redis), panel("Rejections", places.rejections)),
      panel("Shares", places.shares),
    ],
    update(page) {
      const now = figures(page);
      draw("providers", [now.pauses, connections(page)], () => providerPart(now.pauses, connections(page)));
      draw("jobs", jobs(page), () => jobTable(jobs(page)));
      draw("redis", [now.redisUp, now.redisChecks, now.redisMemory, now.redisLimit], () => redisPart(now));
      draw("rejections", rejections(page), () => reasonBars("By the provider's reason, since the gateway's start", rejections(page), "bad", 8) ?? h("p", { class: "quiet" }, "No push rejected since the gateway's start."));
      draw("shares", shares(page), () => shareTable(shares(page)));
    },
  };
}

function providerPart(pauses, rows) {
  return [
    pauses.length === 0
      ? h("p", {}, badge("ready", "breaker closed"), " Pushes reach every provider.")
      : pauses.map(({ provider, reason }) => h("p", { class: "notice warn" }, h("strong", {}, `Pushes to ${provider} are paused: ${words(reason)}. `), "The breaker probes the provider with single pushes and resumes automatically.")),
    table({
      caption: "Connections to providers", rows, empty: "No connections.", isCaptionHidden: false,
      columns: [{ head: "Purpose", header: true, cell: (one) => words(one.purpose) }, ...STATES.map((state) => ({ head: words(state), numeric: true, cell: (one) => count(one[state] ?? 0) }))],
    }),
  ];
}

function jobTable(rows) {
  return table({
    caption: "Jobs by lane", rows, empty: "No lanes.",
    columns: [{ head: "Lane", header: true, cell: (one) => one.lane }, ...["running", "resting", "waiting"].map((state) => ({ head: state, numeric: true, cell: (one) => count(one[state]) }))],
  });
}

function redisPart(now) {
  return [
    facts([
      ["State", badge(now.redisUp === 1 ? "on" : "off", now.redisUp === 1 ? "up" : "down")],
      ["Memory", now.redisMemory === null ? null : `${bytes(now.redisMemory)}${now.redisLimit > 0 ? ` of ${bytes(now.redisLimit)}` : ", no limit"}`],
    ]),
    h("h3", {}, "All checks passed"),
    h("ul", { class: "checks-list" }, now.redisChecks.map(({ check, isWell }) => h("li", {}, badge(isWell ? "on" : "off", isWell ? words(check) : `${words(check)}: check failed`)))),
  ];
}

function shareTable(rows) {
  const written = (resource, value) => (resource.includes("bytes") ? bytes(value) : count(value));
  return table({
    caption: "Shared resources", rows, empty: "No shared resources.",
    columns: [
      { head: "Resource", header: true, cell: (one) => words(one.resource) },
      { head: "Used", numeric: true, cell: (one) => written(one.resource, one.used) },
      { head: "Capacity", numeric: true, cell: (one) => written(one.resource, one.capacity) },
      { head: "Use", cell: (one) => meter(`Use of ${words(one.resource)}`, one.used, one.capacity) },
    ],
  });
}
