// What the page says of a problem, of waiting, and of what has gone well.

import { advice } from "./advice.js";
import { Problem } from "./api.js";
import { add, h, put } from "./dom.js";
import { count, words } from "./format.js";

/// What was thrown, as a problem.
export function problemOf(error) {
  return error instanceof Problem ? error : new Problem({ code: "PAGE", text: String(error?.message ?? error) });
}

/// A panel for a problem: the gateway's words, the code, what to do, and a way to try again.
export function problemPanel(error, retry) {
  const problem = problemOf(error);
  const skipped = Object.entries(problem.body?.skipped ?? {});
  return h("div", { class: "notice bad", role: "alert" },
    h("p", { class: "notice-head" }, h("strong", {}, problem.message), " ", h("code", {}, problem.code)),
    advice(problem.code) && h("p", {}, advice(problem.code)),
    skipped.length > 0 && h("ul", { class: "reasons" }, skipped.map(([reason, n]) => h("li", {}, `${words(reason)}: ${count(n)}`))),
    problem.retryAfter !== null && h("p", { class: "quiet" }, `Try again after ${problem.retryAfter} s.`),
    problem.requestID && h("p", { class: "quiet small" }, "Request ", h("code", {}, problem.requestID)),
    retry && h("button", { type: "button", class: "button", on: { click: retry } }, "Try again"));
}

/// A place where polls say what is wrong, and which is empty while all is well. The same problem is told once.
export function noticePlace() {
  const element = h("div", { class: "notice-place" });
  let told = null;
  return {
    element,
    show(problem) {
      if (problem.code === "CANCELED" || told === `${problem.code} ${problem.message}`) return;
      told = `${problem.code} ${problem.message}`;
      put(element, problemPanel(problem));
    },
    clear() {
      told = null;
      element.replaceChildren();
    },
  };
}

/// Says that something is on its way.
export function waiting(text = "Loading…") {
  return h("p", { class: "waiting", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), text);
}

/// What stands where there is nothing.
export function nothing(headline, ...more) {
  return h("div", { class: "nothing" }, h("p", { class: "nothing-head" }, headline), more.length > 0 && h("p", {}, more));
}

/// Says in a corner, and to screen readers, that something has been done. Three at most, each for six seconds.
export function tell(text) {
  const place = document.getElementById("told");
  if (place === null) return;
  const note = h("p", { class: "told" }, text);
  while (place.childElementCount >= 3) place.firstElementChild.remove();
  add(place, note);
  setTimeout(() => note.remove(), 6000);
}

/// Does what a button is for: it cannot be pressed meanwhile, and `place` shows what went wrong.
export async function busily(button, place, work) {
  if (button.getAttribute("aria-busy") === "true") return undefined;
  button.setAttribute("aria-busy", "true");
  place?.replaceChildren();
  try {
    return await work();
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code !== "CANCELED") place ? put(place, problemPanel(problem)) : tell(problem.message);
    return undefined;
  } finally {
    button.removeAttribute("aria-busy");
  }
}
