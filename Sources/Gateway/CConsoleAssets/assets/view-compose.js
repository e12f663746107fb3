// Compose: a content is written and looked at, tried on a test device, and sent to a segment. Or an activity is updated.

import { contentForm } from "./compose-form.js";
import { runPanel, sendUpdate } from "./compose-run.js";
import { segmentPanel, testPanel } from "./compose-send.js";
import { h } from "./dom.js";
import { endActivity } from "./end-activity.js";
import { button, field, select } from "./form.js";
import { count, shortID } from "./format.js";
import { busily } from "./notice.js";
import { badge, head } from "./parts.js";
import { LAYOUTS } from "./preview-model.js";
import { lockScreens } from "./preview.js";
import { address } from "./router.js";

export async function showCompose({ scope, to, api }) {
  const id = to.query.get("activity");
  const activity = id === null ? undefined : await api.get(`/live-activity/${encodeURIComponent(id)}`);
  const screens = lockScreens();
  const layout = field("Layout", select(LAYOUTS, "auto"), { isInline: true });
  let shown = null;
  const draw = () => { if (shown !== null) screens.update(shown, layout.control.value); };
  const form = contentForm({ tenant: to.tenant, activity, onChange: (content) => { shown = content; draw(); } });
  layout.control.addEventListener("change", draw);
  form.begin();
  const live = (reply) => { location.hash = address(["tenants", to.tenant, "broadcasts", reply.broadcast_id]); };

  const send = activity === undefined ? forNew(scope, to, api, form, live) : [updatePanel(api, activity, form, live)];
  return [
    activity === undefined
      ? head("Compose", { lead: "Write it, look at it, try it on a phone of yours, then send it to a segment." })
      : head(`Update ${activity.activity_type} ${shortID(activity.activity_id)}`, { back: { href: address(["tenants", to.tenant, "activities", activity.activity_id]), text: "Its activity" }, actions: [badge(activity.state)] }),
    h("div", { class: "compose" },
      h("section", { class: "panel", "aria-label": "Content" }, h("h2", {}, "Content"), form.element),
      h("aside", { class: "preview", "aria-label": "Preview" },
        h("div", { class: "section-head" }, h("h2", {}, "On a lock screen"), layout.element), screens.element,
        h("p", { class: "hint" }, "A sketch from the content. How a Live Activity looks is up to the app.")),
      h("div", { class: "stack" }, send)),
  ];
}

function forNew(scope, to, api, form, live) {
  const runs = runPanel(scope, api, to.tenant, form);
  return [
    testPanel(api, form, { started: runs.add }), runs.element,
    segmentPanel(api, scope, form, { segment: to.query.get("segment") ?? "", begun: live }),
  ];
}

function updatePanel(api, activity, form, live) {
  const problems = h("div", { class: "notice-place" });
  const update = button("Send update…", () => busily(update, problems, async () => {
    if (!form.isReady()) return;
    const reply = await sendUpdate(api, activity, form.content(), true);
    if (reply?.broadcast_id !== undefined) live(reply);
  }), { kind: "primary" });
  const end = button("End activity…", async () => {
    const reply = await endActivity(api, activity);
    if (reply?.broadcast_id !== undefined) live(reply);
  }, { kind: "danger" });
  return h("section", { class: "panel step", "aria-label": "Send it" }, h("h2", {}, "Send it"),
    h("p", {}, "To those of its ", h("strong", {}, count(activity.devices)), ` devices that can be reached; ${count(activity.counts.active)} have synced.`), h("div", { class: "row-actions" }, update, end), problems);
}
