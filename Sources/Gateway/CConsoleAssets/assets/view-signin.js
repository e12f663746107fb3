// Signing in, with an operator's key or a tenant's API key.

import { h, put } from "./dom.js";
import { field } from "./form.js";
import { sign } from "./icons.js";
import { busily } from "./notice.js";
import { signIn } from "./session.js";

/// Shows the form in place of everything; `done` is called when somebody is signed in. `reason` says why it is shown.
export function showSignIn(place, { reason, done }) {
  const key = field("Key", h("input", { type: "password", name: "key", autocomplete: "current-password", required: true, spellcheck: "false" }),
    { hint: "An operator's key, or a tenant's API key with the same rights as in the API." });
  const problems = h("div", { class: "notice-place" });
  const button = h("button", { type: "submit", class: "button primary wide" }, "Sign in");
  const form = h("form", { class: "panel" },
    h("div", { class: "brand" }, sign(), h("span", {}, "Fanfare")),
    h("h1", { tabindex: "-1" }, "Sign in to the console"),
    reason && h("p", { class: "notice warn", role: "status" }, reason),
    key.element, problems, button);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const value = key.control.value.trim();
    key.say(value === "" ? "Enter a key." : null);
    if (value === "") return key.control.focus();
    busily(button, problems, async () => {
      await signIn(value);
      key.control.value = "";
      done();
    });
  });
  document.title = "Sign in · Fanfare";
  put(place, h("main", { class: "signin", id: "main" }, form));
  key.control.focus();
}
