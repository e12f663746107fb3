// What was started from Compose: each broadcast as it goes on, and its update and end.

import { idempotencyKey } from "./api.js";
import { stateBar } from "./bars.js";
import { broadcastPanel } from "./broadcast-panel.js";
import { confirm } from "./dialog.js";
import { h, put } from "./dom.js";
import { endActivity } from "./end-activity.js";
import { follow } from "./follow.js";
import { button } from "./form.js";
import { count, shortID } from "./format.js";
import { busily, noticePlace } from "./notice.js";
import { poll } from "./poll.js";
import { broadcastBody } from "./requests.js";
import { address } from "./router.js";
import { Scope } from "./scope.js";

/// How many are kept on the page.
const KEPT = 5;

/// Sends an update, after asking when it is for many.
export async function sendUpdate(api, activity, content, isAsked) {
  const key = idempotencyKey();
  const work = () => api.post("/live-activity/update", { body: broadcastBody({ activityID: activity.activity_id, type: activity.activity_type, content: { ...content, attributes: "" } }), headers: { "Idempotency-Key": key, Prefer: "respond-async" }, deadline: 30 });
  if (!isAsked) return work();
  return confirm({
    headline: `Update ${activity.activity_type} ${shortID(activity.activity_id)}?`, action: "Send update", isDangerous: false, work,
    text: h("p", {}, "The update goes to its ", h("strong", {}, count(activity.devices)), " devices, as far as they are reachable, ", content.title === "" ? "silently." : "with an alert."),
  });
}

/// The panel of what runs, with `add(activity, reply)`.
export function runPanel(parent, api, tenant, form) {
  const list = h("div", { class: "stack" });
  const element = h("section", { class: "panel", "aria-label": "Started here", hidden: true }, h("h2", {}, "Started here"), list);
  const entries = [];
  return {
    element,
    add(activity, reply) {
      element.hidden = false;
      const entry = runEntry(parent, api, tenant, form, activity);
      entries.unshift(entry);
      list.prepend(entry.element);
      for (const old of entries.splice(KEPT)) { old.scope.end(); old.element.remove(); }
      entry.follow("start", reply);
    },
  };
}

function runEntry(parent, api, tenant, form, activity) {
  const scope = new Scope(parent);
  const at = (...parts) => address(["tenants", tenant, ...parts]);
  const place = h("div", {});
  const problems = h("div", { class: "notice-place" });
  const polled = noticePlace();
  let following = null;
  const followIt = (kind, reply) => {
    following?.end();
    polled.clear();
    if (reply.broadcast_id === undefined) return put(place, h("p", { class: "quiet" }, reply.unchanged ? "The content is unchanged: nothing was sent." : "Nothing to send."));
    following = new Scope(scope);
    const view = broadcastPanel({ id: reply.broadcast_id, kind, href: at("broadcasts", reply.broadcast_id) });
    put(place, view.element);
    follow(following, api, reply.broadcast_id, { onRecord: view.update, onProblem: polled.show });
  };
  const update = button("Send update", () => busily(update, problems, async () => {
    if (!form.isReady()) return;
    followIt("update", await sendUpdate(api, activity, form.content(), false));
  }), { "aria-label": `Send update to ${activity.label}` });
  const end = button("End…", async () => {
    const reply = await endActivity(api, { ...activity, counts });
    if (reply === null || scope.isOver) return;
    followIt("end", reply);
    update.disabled = end.disabled = true;
  }, { kind: "danger", "aria-label": `End ${activity.label}` });
  const states = stateBar(`Devices of ${activity.label} by state`, true);
  let counts;
  poll(scope, 5, async () => {
    const details = await api.get(`/live-activity/${activity.activity_id}`);
    counts = details.counts;
    states.update(counts);
    return details.state !== "DEAD";
  }, { onProblem: polled.show, onWell: polled.clear });
  const element = h("article", { class: "run", "aria-label": activity.label },
    h("header", { class: "section-head" }, h("h3", {}, h("a", { href: at("activities", activity.activity_id) }, activity.label)), h("div", { class: "row-actions" }, update, end)),
    states.element, problems, polled.element, place);
  return { scope, element, follow: followIt };
}
