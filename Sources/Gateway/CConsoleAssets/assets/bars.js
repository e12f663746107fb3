// Bars: a broadcast's progress, and devices by state.

import { DEVICE_STATES, progressOf, STATE_MEANINGS, statesOf } from "./counts.js";
import { h, put, setAttribute, setPart } from "./dom.js";
import { count, counted, percent } from "./format.js";

/// A bar of a broadcast that moves: `update(record)`.
export function progressBar(label) {
  const pieces = ["accepted", "failed", "skipped"].map((name) => [name, h("span", { class: `piece ${name}` })]);
  const element = h("div", { class: "progress", role: "progressbar", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": 100 }, pieces.map(([, piece]) => piece));
  return {
    element,
    update(record) {
      const progress = progressOf(record);
      for (const [name, piece] of pieces) setPart(piece, progress.whole === 0 ? 0 : progress[name] / progress.whole);
      setAttribute(element, "aria-valuenow", Math.floor(progress.done * 100));
      const others = record.failed === undefined ? "" : `, ${count(progress.failed)} failed, ${count(progress.skipped)} skipped`;
      const left = progress.left === 0 ? "" : `, ${count(progress.left)} left`;
      setAttribute(element, "aria-valuetext", `${record.state}: ${count(progress.accepted)} accepted${others}${left} of ${counted(progress.whole, "device")}`);
      setAttribute(element, "data-state", record.state);
    },
  };
}

/// Devices by state as one bar with its legend; `update(counts)`.
export function stateBar(label, isSmall = false) {
  const pieces = DEVICE_STATES.map((state) => [state, h("span", { class: `piece state-${state}` })]);
  const bar = h("div", { class: "progress states", role: "img" }, pieces.map(([, piece]) => piece));
  const legend = h("ul", { class: "legend" });
  return {
    element: h("div", { class: isSmall ? "state-bar small" : "state-bar" }, bar, legend),
    update(counts) {
      const states = statesOf(counts);
      const whole = states.reduce((sum, [, n]) => sum + n, 0);
      for (const [state, piece] of pieces) setPart(piece, whole === 0 ? 0 : (counts?.[state] ?? 0) / whole);
      setAttribute(bar, "aria-label", `${label}: ${states.map(([state, n]) => `${count(n)} ${state}`).join(", ") || "none"}`);
      put(legend, states.map(([state, n]) => h("li", { title: STATE_MEANINGS[state] },
        h("span", { class: `dot state-${state}`, "aria-hidden": "true" }), h("span", {}, state), " ", h("strong", {}, count(n)), " ", h("span", { class: "quiet" }, percent(n, whole)))));
    },
  };
}

/// How much of a limit is used.
export function meter(label, used, limit) {
  const share = limit > 0 ? used / limit : 0;
  const tone = share >= 1 ? "bad" : share >= 0.8 ? "warn" : "good";
  const element = h("div", { class: `progress meter ${tone}`, role: "meter", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": limit, "aria-valuenow": Math.min(used, limit), "aria-valuetext": `${count(used)} of ${count(limit)}` },
    h("span", { class: "piece" }));
  setPart(element.firstElementChild, used > 0 ? Math.max(share, 0.005) : 0);
  return element;
}
