// Compose: a content is written and looked at, tried on a test device, and sent to a segment. Or an activity is updated or
// restarted, now or later, or a topic is said where it stands.

import { contentForm } from "./compose-form.js";
import { restartPanel } from "./compose-restart.js";
import { runPanel } from "./compose-run.js";
import { schedulePanel } from "./compose-schedule.js";
import { segmentPanel, testPanel } from "./compose-send.js";
import { topicPanel } from "./compose-topic.js";
import { updatePanel } from "./compose-update.js";
import { h } from "./dom.js";
import { field, select } from "./form.js";
import { shortID } from "./format.js";
import { badge, head } from "./parts.js";
import { LAYOUTS } from "./preview-model.js";
import { lockScreens } from "./preview.js";
import { address } from "./router.js";

export async function showCompose({ scope, to, api }) {
  const go = (...parts) => { location.hash = address(["tenants", to.tenant, ...parts]); };
  const aim = await aimOf(scope, to, api, go);
  const screens = lockScreens();
  const layout = field("Layout", select(LAYOUTS, "auto"), { isInline: true });
  let shown = null;
  const draw = () => { if (shown !== null) screens.update(shown, layout.control.value); };
  const form = contentForm({ tenant: to.tenant, ...aim.form, onChange: (content) => { shown = content; draw(); } });
  layout.control.addEventListener("change", draw);
  form.begin();
  return [
    aim.head,
    h("div", { class: "compose" },
      h("section", { class: "panel", "aria-label": "Content" }, h("h2", {}, "Content"), form.element),
      h("aside", { class: "preview", "aria-label": "Preview" },
        h("div", { class: "section-head" }, h("h2", {}, "Lock screen"), layout.element), screens.element,
        h("p", { class: "hint" }, "A sketch of the content. The app defines the actual design.")),
      h("div", { class: "stack" }, aim.panels(form))),
  ];
}

/// What the content is for: the head of the view, what its form is told, and the panels that send it.
async function aimOf(scope, to, api, go) {
  const [id, topic] = [to.query.get("activity"), to.query.get("topic")];
  const live = (reply) => go("broadcasts", reply.broadcast_id);
  if (id !== null) return ofActivity(to, api, await api.get(`/live-activity/${encodeURIComponent(id)}`), live, go);
  if (topic !== null) return ofTopic(to, api, await api.get(`/topics/${encodeURIComponent(topic)}`), go);
  return {
    head: head("Compose", { lead: "Write the content, preview it, test it on your phone, then send it to a segment." }),
    form: { purpose: "start" },
    panels(form) {
      const runs = runPanel(scope, api, to.tenant, form);
      return [testPanel(api, form, { started: runs.add }), runs.element, segmentPanel(api, scope, form, { tenant: to.tenant, segment: to.query.get("segment") ?? "", begun: live })];
    },
  };
}

function ofActivity(to, api, activity, live, go) {
  const { activity_id: id, activity_type: type } = activity;
  const isRestart = to.query.get("for") === "restart";
  return {
    head: head(`${isRestart ? "Restart" : "Update"} ${type} ${shortID(id)}`, { back: { href: address(["tenants", to.tenant, "activities", id]), text: "Its activity" }, actions: [badge(activity.state)] }),
    form: { purpose: isRestart ? "restart" : "update", type, attributeKey: activity.options?.activity_id_attribute },
    panels: (form) => (isRestart
      ? restartPanel(api, activity, form, { begun: live })
      : [updatePanel(api, activity, form, { begun: live }), schedulePanel(api, activity, form, { scheduled: () => go("activities", id) })]),
  };
}

function ofTopic(to, api, topic, go) {
  return {
    head: head(`Topic ${topic.topic}`, { back: { href: address(["tenants", to.tenant, "topics", topic.topic]), text: "The topic" }, actions: [badge(topic.state)] }),
    form: { purpose: "topic", type: topic.activity_type },
    panels: (form) => topicPanel(api, topic, form, { said: () => go("topics", topic.topic) }),
  };
}
