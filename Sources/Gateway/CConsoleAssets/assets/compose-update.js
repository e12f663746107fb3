// Sending what was composed to the devices of an activity that runs, and ending it.

import { sendUpdate } from "./compose-run.js";
import { h } from "./dom.js";
import { endActivity } from "./end-activity.js";
import { button } from "./form.js";
import { count } from "./format.js";
import { busily } from "./notice.js";

/// The panel. `begun(reply)` is told of what is sent.
export function updatePanel(api, activity, form, { begun }) {
  const problems = h("div", { class: "notice-place" });
  const update = button("Send update…", () => busily(update, problems, async () => {
    if (!form.isReady()) return;
    const reply = await sendUpdate(api, activity, form.content(), true);
    if (reply?.broadcast_id !== undefined) begun(reply);
  }), { kind: "primary" });
  const end = button("End activity…", async () => {
    const reply = await endActivity(api, activity);
    if (reply?.broadcast_id !== undefined) begun(reply);
  }, { kind: "danger" });
  return h("section", { class: "panel step", "aria-label": "Send" }, h("h2", {}, "Send"),
    h("p", {}, "To its ", h("strong", {}, count(activity.devices)), ` devices, as far as they are reachable; ${count(activity.counts.active)} have synced.`), h("div", { class: "row-actions" }, update, end), problems);
}
