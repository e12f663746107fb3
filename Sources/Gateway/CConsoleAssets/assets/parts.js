// Small parts that many views are made of.

import { h } from "./dom.js";
import { count, fromNow, moment, percent, words } from "./format.js";

/// The head of a view: the one h1, a sentence, actions, and the way back.
export function head(title, { lead, actions = [], back } = {}) {
  return h("header", { class: "view-head" },
    back && h("p", { class: "back" }, h("a", { href: back.href }, "‹ ", back.text)),
    h("div", { class: "view-title" }, h("h1", { tabindex: "-1" }, title), actions.length > 0 && h("div", { class: "actions" }, actions)),
    lead && h("p", { class: "lead" }, lead));
}

/// A panel with a headline.
export function panel(headline, ...children) {
  return h("section", { class: "panel", "aria-label": headline }, h("h2", {}, headline), children);
}

const TONES = {
  live: "good", running: "good", STARTED: "good", active: "good", done: "good", delivered: "good", usable: "good", accepted: "good", ready: "good", on: "good",
  queued: "wait", paused: "warn", pending: "wait", upcoming: "wait", REGISTERED: "wait", shown: "wait", opening: "wait",
  failed: "bad", refused: "bad", unsent: "warn", unknown: "warn", elsewhere: "warn", off: "bad",
};

/// A word for a state, with a colour beside it.
export function badge(state, text = words(state).toLowerCase()) {
  return h("span", { class: `badge ${TONES[state] ?? "quiet"}` }, text);
}

/// A moment, with how long ago in its title.
export function when(text) {
  if (text === undefined || text === null) return h("span", { class: "quiet" }, "—");
  return h("time", { datetime: text, title: fromNow(text) }, moment(text));
}

/// An id, whole.
export function code(text) {
  return h("code", {}, text);
}

/// Pairs of a name and a value; pairs without a value are left out.
export function facts(pairs) {
  const given = pairs.filter((pair) => pair && pair[1] !== null && pair[1] !== undefined && pair[1] !== "");
  return h("dl", { class: "facts" }, given.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/// Counts by reason, the largest first, as bars; twelve at most, then the rest as one. The provider's reasons stand as they are.
export function reasonBars(caption, counts, tone = "bad", most = 12) {
  const all = Object.entries(counts ?? {}).filter(([, n]) => n > 0).sort((left, right) => right[1] - left[1]);
  if (all.length === 0) return null;
  const rest = all.slice(most).reduce((sum, [, n]) => sum + n, 0);
  const rows = rest > 0 ? [...all.slice(0, most), ["others", rest]] : all;
  const total = all.reduce((sum, [, n]) => sum + n, 0);
  return h("div", { class: "reason-bars" }, h("h3", {}, caption),
    h("ul", {}, rows.map(([reason, n]) => h("li", {},
      h("span", { class: "reason" }, tone === "bad" ? reason : words(reason)), part(h("span", { class: `track ${tone}`, "aria-hidden": "true" }, h("span", {})), n / total),
      h("span", { class: "numeric" }, count(n), h("span", { class: "quiet" }, ` ${percent(n, total)}`))))));
}

function part(track, fraction) {
  track.firstElementChild.style.setProperty("--part", Math.max(0.01, fraction).toFixed(4));
  return track;
}
