// Starting those again whom the start of an activity has left out: how many they are, a question, and the restart.

import { leftOut } from "./counts.js";
import { confirm } from "./dialog.js";
import { h } from "./dom.js";
import { button, field, select } from "./form.js";
import { counted, shortID } from "./format.js";
import { busily } from "./notice.js";
import { code, facts } from "./parts.js";
import { restartBody } from "./requests.js";
import { Wish } from "./wish.js";

/// Who can be meant, in words.
const MEANINGS = {
  unsent: "the start did not reach them",
  failed: "the provider refused the start",
  unknown: "the outcome of the start is unknown",
  not_synced: "started, without a report since",
};
const SILENCES = [["300", "5 minutes"], ["900", "15 minutes"], ["3600", "an hour"], ["21600", "6 hours"]];

/// The panel. `begun(reply)` is told of the restart.
export function restartPanel(api, activity, form, { begun }) {
  const { activity_id: activityID, activity_type: type } = activity;
  const all = leftOut(activity.counts);
  const who = field("Devices to restart", select(all.map(([devices, n]) => [devices, `${counted(n, "device")} ${devices.replace("_", " ")}: ${MEANINGS[devices]}`]), all[0]?.[0]));
  const silence = field("Silent for at least", select(SILENCES, "300"));
  const problems = h("div", { class: "notice-place" });
  const wish = new Wish();
  const show = () => { silence.element.hidden = who.control.value !== "not_synced"; };
  who.control.addEventListener("change", show);
  show();
  const go = button("Count and restart…", () => busily(go, problems, async () => {
    if (!form.isReady()) return;
    const devices = who.control.value;
    const isSilent = devices === "not_synced";
    const content = form.content();
    const { counts } = await api.get(`/live-activity/${encodeURIComponent(activityID)}`);
    const most = Object.fromEntries(leftOut(counts))[devices] ?? 0;
    const body = restartBody({ activityID, type, content, devices, olderThan: isSilent ? Number(silence.control.value) : undefined });
    const reply = await confirm({
      headline: `Restart ${type} ${shortID(activityID)}?`, action: `Restart on up to ${counted(most, "device")}`, isDangerous: false,
      text: [
        h("p", { class: "big-count" }, "Up to ", h("strong", {}, counted(most, "device")), ` get a start: ${MEANINGS[devices]}.`),
        h("p", {}, isSilent ? "A device that shows it without having reported may show it twice. " : "", "Devices that show it, or that had two starts, are skipped."),
        facts([["Activity type", code(type)], ["Title", content.title], ["Message", content.message]]),
      ],
      // It is answered when all whom it concerns are found.
      work: () => wish.carryOut(body, ({ key }) => api.post("/live-activity/restart", { body, headers: { "Idempotency-Key": key, Prefer: "respond-async" }, deadline: 60 })),
    });
    if (reply?.broadcast_id !== undefined) begun(reply);
  }), { kind: "primary" });
  return h("section", { class: "panel step", "aria-label": "Restart" }, h("h2", {}, "Restart"),
    all.length === 0
      ? h("p", {}, "The start missed no device: nothing to restart.")
      : [h("p", {}, "Only devices that the start missed get a start, with the content above."), who.element, silence.element, h("div", { class: "row-actions" }, go)],
    problems);
}
