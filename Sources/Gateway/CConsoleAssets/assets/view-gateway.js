// The gateway: whether it is ready, its pushes, providers, jobs, Redis and webhooks, from successive readings.

import { h, put, setText } from "./dom.js";
import { compact, count, duration, bytes } from "./format.js";
import { gatewayDetails } from "./gateway-details.js";
import { parse } from "./metrics.js";
import { noticePlace } from "./notice.js";
import { badge, head } from "./parts.js";
import { timePlot } from "./plots.js";
import { poll } from "./poll.js";
import { figures, plotValues, PREFIXES } from "./readings.js";
import { Silence } from "./silence.js";

/// Seconds between two readings of the metrics, and of the health.
const EVERY = 2;
const HEALTH_EVERY = 10;
/// Seconds that the gateway has for an answer.
const DEADLINE = 5;

export async function showGateway({ scope, operator }) {
  const problems = noticePlace();
  const state = h("span", {});
  const said = h("div", { class: "stack" });
  const version = h("span", { class: "quiet small" });
  const tiles = tileRow();
  const plots = gatewayPlots(scope);
  const details = gatewayDetails();
  const silence = new Silence();
  let before = null;
  let shown = "";

  /// What was true when the gateway last answered is not shown as if it were now.
  const forget = (text) => {
    tiles.forget();
    put(state, badge("failed", text));
    shown = "";
  };
  const failed = (problem) => {
    problems.show(problem);
    forget(silence.text(Date.now()) ?? "no answer");
  };
  const ask = async (path) => {
    silence.asked(Date.now());
    try {
      const answer = await operator("GET", path, { deadline: DEADLINE });
      silence.heard(Date.now());
      return answer;
    } catch (problem) {
      if (problem.status > 0) silence.heard(Date.now());
      throw problem;
    }
  };
  const readMetrics = async () => {
    const text = await ask("/metrics");
    const now = { at: Date.now(), page: parse(text, PREFIXES) };
    const values = plotValues(before?.page ?? null, now.page, before === null ? 0 : (now.at - before.at) / 1000);
    for (const [name, plot] of Object.entries(plots)) plot.push(now.at, values[name]);
    tiles.update(figures(now.page), values);
    details.update(now.page);
    before = now;
  };
  const readHealth = async () => {
    const health = await ask("/health");
    const key = JSON.stringify(health);
    if (key === shown) return;
    shown = key;
    put(state, badge(health.ready ? "ready" : "failed", health.ready ? "ready" : "not ready"));
    put(said, (health.reasons ?? []).map((one) => healthNotice("bad", one)), (health.warnings ?? []).map((one) => healthNotice("warn", one)));
    setText(version, `version ${health.version}${health.commit ? ` · ${health.commit.slice(0, 12)}` : ""}`);
  };
  // A gateway that hangs is shown as such long before its answer is overdue.
  const watch = async () => {
    let wasSilent = false;
    while (await scope.pause(1)) {
      const text = silence.text(Date.now());
      if (text !== null) forget(text);
      else if (wasSilent) readHealth().catch(problems.show);
      wasSilent = text !== null;
    }
  };
  watch();
  poll(scope, EVERY, readMetrics, { onProblem: failed, onWell: () => { problems.clear(); readHealth().catch(problems.show); } });
  poll(scope, HEALTH_EVERY, readHealth, { onProblem: problems.show, onWell: problems.clear });

  return [
    head("Gateway", { lead: "Metrics of the gateway that serves this page, read every 2 seconds. Each gateway has its own console.", actions: [state, version] }),
    problems.element, h("section", { "aria-label": "Health", "aria-live": "polite" }, said), tiles.element,
    h("section", { class: "plots", "aria-label": "Plots" }, Object.values(plots).map(({ element }) => h("div", { class: "panel" }, element))),
    details.element,
  ];
}

function healthNotice(tone, { name, text }) {
  return h("div", { class: `notice ${tone}` }, h("p", {}, h("strong", {}, text), " ", h("code", {}, name)));
}

function gatewayPlots(scope) {
  const tones = { accepted: "good", rejected: "bad", unsent: "warn", unanswered: "violet" };
  return {
    pushes: timePlot(scope, { title: "Pushes per second", format: compact, series: Object.entries(tones).map(([name, tone]) => ({ name, tone })) }),
    events: timePlot(scope, { title: "Devices per second", format: compact, series: [{ name: "starts", tone: "accent" }, { name: "updates", tone: "cyan" }, { name: "ends", tone: "other" }] }),
    lag: timePlot(scope, { title: "Lag", format: duration, series: [{ name: "oldest waiting job", tone: "accent" }, { name: "time without an answer", tone: "warn" }] }),
    answers: timePlot(scope, { title: "Provider's answers", format: duration, isFilled: false, series: [{ name: "half within", tone: "accent" }, { name: "99 of 100 within", tone: "warn" }] }),
    redis: timePlot(scope, { title: "Redis round trip", format: duration, isFilled: false, series: [{ name: "half within", tone: "accent" }, { name: "99 of 100 within", tone: "warn" }] }),
    webhooks: timePlot(scope, { title: "Webhook attempts per second", format: compact, series: [{ name: "delivered", tone: "good" }, { name: "failed", tone: "bad" }] }),
  };
}

function tileRow() {
  const names = { rate: "pushes/s accepted", flight: "pushes in flight", waiting: "pushes waiting", unfinished: "broadcasts running", ready: "connections ready", redis: "Redis", failing: "webhooks failing", memory: "memory" };
  const values = Object.fromEntries(Object.keys(names).map((key) => [key, h("strong", {}, "—")]));
  const elements = Object.fromEntries(Object.entries(names).map(([key, text]) => [key, h("li", { class: "tile" }, values[key], h("span", {}, text))]));
  return {
    element: h("ul", { class: "tiles" }, Object.values(elements)),
    forget() {
      for (const value of Object.values(values)) setText(value, "—");
      for (const element of Object.values(elements)) element.classList.remove("bad");
    },
    update(now, { pushes }) {
      setText(values.rate, pushes[0] === null ? "—" : compact(pushes[0]));
      setText(values.flight, count(now.inFlight));
      setText(values.waiting, compact(now.waiting));
      setText(values.unfinished, count(now.unfinished));
      setText(values.ready, count(now.ready));
      setText(values.redis, now.redisUp === 1 ? "up" : "down");
      setText(values.failing, count(now.failing));
      setText(values.memory, bytes(now.memory));
      elements.redis.classList.toggle("bad", now.redisUp !== 1);
      elements.failing.classList.toggle("bad", now.failing > 0);
      elements.ready.classList.toggle("bad", now.ready === 0 && now.pauses.length > 0);
    },
  };
}
