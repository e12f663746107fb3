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
      h("p", {}, code(insiderID), " is forgotten: devices, tokens, places in activities, segments, topics, schedules and events. Live Activities that run are ended. It cannot be taken back."),
      h("p", {}, "What a phone reports later makes a new user. Take the user off your own lists, and sign the app out, first."),
    ],
    work: () => api.delete(`/users/${encodeURIComponent(insiderID)}`, { deadline: 30 }),
  });
}

/// What was removed, in words.
export function erasedNotice(insiderID, { removed, complete }) {
  const there = Object.entries(removed).filter(([, n]) => n > 0).map(([what, n]) => `${words(what)} ${count(n)}`);
  return h("div", { class: "notice", role: "status" },
    h("p", {}, "Erased: ", code(insiderID), there.length === 0 ? ". Nothing was known." : `. What was there: ${there.join(", ")}.`),
    !complete && h("p", {}, "The gateways go on by themselves with what is left; the counts do not have it."));
}
