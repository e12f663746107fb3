// Erasing a user, after their insider_id was typed.

import { confirm } from "./dialog.js";
import { h } from "./dom.js";
import { count, words } from "./format.js";
import { code } from "./parts.js";

/// Asks and erases. Answers with the gateway's reply; null when it was left.
export function eraseUser(api, insiderID) {
  return confirm({
    headline: "Erase this user?", action: "Erase user", typed: insiderID,
    text: [
      h("p", {}, code(insiderID), " is erased: devices, tokens, places in activities, segments, topics, schedules and events. Running Live Activities are ended. This cannot be undone."),
      h("p", {}, "A later report of a phone creates a new user. First remove the user from your own lists and sign out of the app."),
    ],
    work: () => api.delete(`/users/${encodeURIComponent(insiderID)}`, { deadline: 30 }),
  });
}

/// What was removed, in words.
export function erasedNotice(insiderID, { removed, complete }) {
  const there = Object.entries(removed).filter(([, n]) => n > 0).map(([what, n]) => `${words(what)} ${count(n)}`);
  return h("div", { class: "notice", role: "status" },
    h("p", {}, "Erased: ", code(insiderID), there.length === 0 ? ". The user was unknown." : `. Erased data: ${there.join(", ")}.`),
    !complete && h("p", {}, "The gateways erase the remaining data automatically; the counts exclude it."));
}
