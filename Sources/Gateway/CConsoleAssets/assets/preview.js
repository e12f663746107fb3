// The lock screen with a Live Activity on it, in light and in dark.

import { h, put, setPart } from "./dom.js";
import { initials, previewOf } from "./preview-model.js";

/// Two lock screens side by side, with `update(content, layout)`. For screen readers it is one picture with a text.
export function lockScreens() {
  const screens = ["light", "dark"].map((theme) => ({ theme, element: h("div", { class: `lock ${theme}` }) }));
  const element = h("div", { class: "locks", role: "img", "aria-label": "Preview of the Live Activity" }, screens.map((screen) => screen.element));
  return {
    element,
    update(content, layout) {
      const model = previewOf(content, layout);
      element.setAttribute("aria-label", `Preview of the Live Activity, in light and dark: ${described(model)}`);
      for (const { theme, element: screen } of screens) put(screen, lockScreen(model, theme));
    },
  };
}

function described(model) {
  const alert = [model.title, model.message].filter(Boolean).join(": ");
  const body = {
    match: () => `${model.home.name} ${model.home.score}, ${model.away.name} ${model.away.score}, ${model.period} ${model.clock}`,
    progress: () => `${model.status} ${model.share === null ? "" : `${Math.round(model.share * 100)}%`} ${model.eta}`,
    facts: () => model.facts.map(([name, value]) => `${name} ${value}`).join(", "),
  }[model.layout]();
  return `${body}. Alert: ${alert || "none"}.`;
}

function lockScreen(model, theme) {
  const now = new Date();
  return [
    h("div", { class: "lock-head" }, h("span", { class: "lock-date" }, now.toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long" })), h("span", { class: "lock-clock" }, `${now.getHours()}:${String(now.getMinutes()).padStart(2, "0")}`)),
    (model.title || model.message) && h("div", { class: "lock-alert" }, h("span", { class: "lock-app", "data-letter": model.app[0] }), h("div", {}, h("strong", {}, model.title), h("span", {}, model.message)), h("span", { class: "lock-now" }, "now")),
    h("div", { class: `live as-${model.layout}` }, { match: matchPart, progress: progressPart, facts: factsPart }[model.layout](model)),
    h("span", { class: "lock-theme" }, theme),
  ];
}

function team({ name }, side) {
  return h("div", { class: `team ${side}` }, h("span", { class: "crest" }, initials(name)), h("span", { class: "team-name" }, name));
}

function matchPart(model) {
  return [
    h("div", { class: "live-head" }, h("span", {}, model.league || model.app), h("span", { class: "live-now" }, model.clock || "live")),
    h("div", { class: "score" }, team(model.home, "home"), h("div", { class: "score-numbers" }, h("span", {}, model.home.score), h("span", { class: "score-dash" }, "–"), h("span", {}, model.away.score)), team(model.away, "away")),
    model.period && h("div", { class: "live-foot" }, model.period),
  ];
}

function progressPart(model) {
  const track = h("div", { class: "live-track" }, h("span", {}));
  setPart(track.firstElementChild, model.share ?? 0);
  return [
    h("div", { class: "live-head" }, h("span", {}, model.app), h("span", {}, model.detail)),
    h("div", { class: "live-main" }, h("strong", {}, model.status || model.title || "In progress"), model.eta && h("span", { class: "live-eta" }, model.eta)),
    model.share !== null && track,
  ];
}

function factsPart(model) {
  return [
    h("div", { class: "live-head" }, h("span", {}, model.app)),
    model.facts.length === 0 ? h("div", { class: "live-foot" }, "content_state has no values to show") : h("dl", { class: "live-facts" }, model.facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
  ];
}
