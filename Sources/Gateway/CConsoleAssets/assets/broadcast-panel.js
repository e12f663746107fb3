// A broadcast as a panel that moves: its bar, counts, stages, and why it pauses.

import { progressBar } from "./bars.js";
import { briefOf, progressOf, stagesOf } from "./counts.js";
import { h, put, setAttribute, setPart, setText } from "./dom.js";
import { broadcastID, compact, count, counted, duration, percent } from "./format.js";
import { badge, when } from "./parts.js";
import { RateMeter } from "./rates.js";

const PAUSES = {
  no_connection: "no connection to the provider",
  no_answer: "the provider does not answer",
  overloaded: "the provider is overloaded",
  refused: "the provider refuses all pushes",
  credential: "the provider refuses the key",
};

/// A panel with `update(record)`. `href`: where the whole of it is shown; `activity`: the type and address of its activity;
/// `level`: of its headline.
export function broadcastPanel({ id, kind, href, activity, level = 3 }) {
  const name = `${kind} ${broadcastID(id)}`;
  const state = h("span", {});
  const bar = progressBar(`Progress of ${name}`);
  const figures = ["accepted", "failed", "skipped", "left", "rate"].map((key) => [key, h("strong", {})]);
  const shown = Object.fromEntries(figures);
  const labels = { accepted: "accepted", failed: "failed", skipped: "skipped", left: "left", rate: "pushes/s" };
  const pause = h("p", { class: "pause", hidden: true });
  const brief = h("ul", { class: "brief" });
  const stages = stageStrip();
  const total = h("span", { class: "quiet" });
  const element = h("article", { class: "broadcast", "aria-label": `Broadcast ${name}` },
    h("header", {}, h(`h${level}`, {}, href ? h("a", { href }, name) : name), state, activity && h("a", { class: "quiet", href: activity.href }, activity.type), total),
    bar.element,
    h("ul", { class: "figures" }, figures.map(([key, value]) => h("li", { class: `figure ${key}` }, value, " ", h("span", {}, labels[key])))),
    pause, href && brief, stages.element);
  const meter = new RateMeter();
  setText(shown.rate, "—");
  let before = "";
  return {
    element,
    update(record) {
      const progress = progressOf(record);
      bar.update(record);
      if (before !== record.state) put(state, badge(record.state));
      before = record.state;
      setAttribute(element, "data-state", record.state);
      setText(total, counted(record.total, "device"));
      for (const key of ["accepted", "failed", "skipped", "left"]) setText(shown[key], record.failed === undefined && key !== "accepted" && key !== "left" ? "—" : count(progress[key]));
      const rates = meter.read(record, performance.now());
      // The gateway tells it when the broadcast is over.
      if (record.pushes_per_second !== undefined) setText(shown.rate, compact(record.pushes_per_second));
      else if (record.state === "paused") setText(shown.rate, "—");
      else if (rates !== null) setText(shown.rate, compact(rates.accepted + rates.failed));
      pause.hidden = record.state !== "paused";
      if (record.state === "paused") put(pause, h("strong", {}, "Paused"), " since ", when(record.paused_since), `: ${PAUSES[record.reason] ?? "the provider answers"} `, h("code", {}, record.reason ?? "nothing"), ". It resumes automatically.");
      if (href) setBrief(brief, briefOf(record));
      stages.update(record);
    },
  };
}

function setBrief(list, lines) {
  const key = JSON.stringify(lines);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  put(list, lines.map(([name, text]) => h("li", {}, h("strong", {}, name), " ", text)));
}


/// The stages of a broadcast, with the time that each took: waiting, and sending, of which one that has ended tells more.
function stageStrip() {
  const names = ["waiting", "preparing", "pushing", "recording"];
  const spans = names.map((name) => h("span", { class: `stage ${name}` }));
  const text = h("p", { class: "stage-text" });
  const strip = h("div", { class: "stages", "aria-hidden": "true" }, spans);
  return {
    element: h("div", { class: "stage-strip" }, strip, text),
    update(record) {
      const { waiting, sending, parts, isOver } = stagesOf(record);
      const times = { waiting, preparing: 0, pushing: sending ?? 0, recording: 0, ...parts };
      const whole = names.reduce((sum, name) => sum + times[name], 0);
      names.forEach((name, place) => setPart(spans[place], whole === 0 ? 0 : times[name] / whole));
      put(text, "created ", when(record.created_at), ` · waited ${duration(waiting)}`,
        sending === null ? (isOver ? " · never started" : "") : [" · started ", when(record.started_at), ` · ${isOver ? "took" : "sending for"} ${duration(sending)}`],
        parts && ` (first push after ${duration(parts.preparing)}, pushing ${duration(parts.pushing)}, answers and recording ${duration(parts.recording)})`,
        record.finished_at && [" · finished ", when(record.finished_at)]);
    },
  };
}

/// The cohorts of a broadcast as rows of a table: devices, and pushes accepted.
export function cohortRows(record) {
  return Object.entries(record.cohorts ?? {}).map(([cohort, { devices, accepted }]) => ({ cohort, devices, accepted, share: cohort === "channel" && record.kind !== "start" ? "one push for all devices" : percent(accepted, devices) }));
}
