// Questions before what reaches far, and secrets that are shown once.

import { h, put, uniqueID } from "./dom.js";
import { problemPanel } from "./notice.js";

/// Opens a dialog with a headline, a body, and buttons. Answers with what it was closed with; null for Escape.
/// `build(close, place)` gives body and buttons; `place` is where problems are shown.
export function openDialog(headline, build, { isWide = false, isFirm = false } = {}) {
  return new Promise((resolve) => {
    const id = uniqueID("dialog");
    const place = h("div", { class: "notice-place" });
    let answer = null;
    const close = (value) => { answer = value; dialog.close(); };
    const { body, buttons } = build(close, place);
    const dialog = h("dialog", { class: isWide ? "wide" : null, "aria-labelledby": id },
      h("h2", { id }, headline), h("div", { class: "dialog-body" }, body), place, h("div", { class: "buttons" }, buttons));
    // A browser closes a dialog at a second Escape whatever `cancel` is answered with: the key itself is held.
    if (isFirm) {
      dialog.addEventListener("cancel", (event) => event.preventDefault());
      dialog.addEventListener("keydown", (event) => { if (event.key === "Escape") event.preventDefault(); });
      dialog.setAttribute("closedby", "none");
    }
    const leave = () => dialog.close();
    window.addEventListener("hashchange", leave, { once: true });
    dialog.addEventListener("close", () => {
      window.removeEventListener("hashchange", leave);
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/// Asks before something is done, then does it: `work` is tried until it goes well or it is left. `typed` is what must be
/// typed for it, such as the name of what is deleted. Answers with what the work gave; null when it was left.
export function confirm({ headline, text, action, typed, isDangerous = true, work }) {
  return openDialog(headline, (close, place) => {
    const inputID = uniqueID("typed");
    const input = h("input", { id: inputID, type: "text", autocomplete: "off", spellcheck: "false", autocapitalize: "off", autofocus: true });
    const go = h("button", { type: "button", class: `button ${isDangerous ? "danger" : "primary"}`, disabled: typed !== undefined }, action);
    input.addEventListener("input", () => { go.disabled = input.value !== typed; });
    input.addEventListener("keydown", (event) => { if (event.key === "Enter" && !go.disabled) go.click(); });
    go.addEventListener("click", async () => {
      if (go.getAttribute("aria-busy") === "true") return;
      go.setAttribute("aria-busy", "true");
      put(place);
      try {
        close((await work()) ?? true);
      } catch (problem) {
        put(place, problemPanel(problem));
      } finally {
        go.removeAttribute("aria-busy");
      }
    });
    const field = typed !== undefined && h("div", { class: "field" },
      h("label", { htmlFor: inputID }, "Type ", h("code", {}, typed), " to confirm"), input);
    return { body: [h("div", {}, text), field], buttons: [h("button", { type: "button", class: "button", autofocus: typed === undefined, on: { click: () => close(null) } }, "Cancel"), go] };
  });
}

/// Shows secrets once. They stand in the dialog alone, and go with it.
export function showSecrets(headline, secrets, note) {
  return openDialog(headline, (close) => ({
    body: [
      h("p", {}, note ?? "They are shown only once. Store them with your secrets."),
      secrets.filter(([, value]) => value).map(([name, value]) => secretField(name, value)),
    ],
    buttons: [h("button", { type: "button", class: "button primary", on: { click: () => close(true) } }, "I have saved it")],
  }), { isWide: true, isFirm: true });
}

function secretField(name, value) {
  const id = uniqueID("secret");
  const input = h("input", { id, type: "text", readonly: true, value, class: "mono", spellcheck: "false", autocomplete: "off" });
  const button = h("button", { type: "button", class: "button", "aria-label": `Copy ${name}` }, "Copy");
  button.addEventListener("click", async () => {
    button.textContent = (await copied(input)) ? "Copied" : "Select and copy";
  });
  return h("div", { class: "field" }, h("label", { htmlFor: id }, name), h("div", { class: "joined" }, input, button));
}

/// Copies what a field holds; also where the browser keeps the clipboard to itself, outside of secure contexts.
async function copied(input) {
  try {
    await navigator.clipboard.writeText(input.value);
    return true;
  } catch {
    input.focus();
    input.select();
    return document.execCommand("copy");
  }
}
