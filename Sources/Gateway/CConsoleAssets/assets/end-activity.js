// Ending an activity: asks, naming it, and says what came of it.

import { idempotencyKey } from "./api.js";
import { confirm } from "./dialog.js";
import { h } from "./dom.js";
import { checkbox } from "./form.js";
import { counted, shortID } from "./format.js";
import { tell } from "./notice.js";
import { broadcastBody } from "./requests.js";

/// Asks and ends it. `content`: the final content, where there is one. Answers with the reply; null when it was left.
export async function endActivity(api, { activity_id: id, activity_type: type, devices, state, counts }, content = null) {
  const nobodySynced = counts !== undefined && counts.active === 0;
  const force = checkbox("End even if no device has synced (force)", { checked: nobodySynced });
  const keys = { false: idempotencyKey(), true: idempotencyKey() };
  const reply = await confirm({
    headline: `End ${type} ${shortID(id)}?`, action: "End activity",
    text: [
      h("p", {}, state === "REGISTERED"
        ? "It has not been started, so ending it cancels it. No push is sent."
        : `Its Live Activities disappear from the lock screens of up to ${counted(devices, "device")}. It cannot be started again.`),
      state !== "REGISTERED" && force.element,
    ],
    work: () => api.post("/live-activity/end", {
      body: broadcastBody({ activityID: id, type, content, options: force.control.checked ? { force: true } : {} }),
      headers: { "Idempotency-Key": keys[force.control.checked], Prefer: "respond-async" },
    }),
  });
  if (reply !== null) tell(`${type} ${shortID(id)} is ending.`);
  return reply;
}
