// The schedules of an activity: those that wait, which can be canceled, and what became of the others.

import { withQuery } from "./api.js";
import { confirm } from "./dialog.js";
import { h, put } from "./dom.js";
import { button } from "./form.js";
import { counted, words } from "./format.js";
import { noticePlace, tell, waiting } from "./notice.js";
import { badge, when } from "./parts.js";
import { poll } from "./poll.js";
import { table } from "./table.js";

/// Seconds between two looks, and how many are shown.
const EVERY = 6;
const SHOWN = 100;

/// The listing of an activity's schedules. It looks on until the scope ends.
export function scheduleListing(scope, api, activity, at) {
  const problems = noticePlace();
  const place = h("div", {}, waiting());
  let drawn = "";
  const read = async (isForced) => {
    const reply = await api.get(withQuery("/live-activity/schedule", { activity_id: activity.activity_id }));
    const key = JSON.stringify([reply.schedules, reply.user_schedules]);
    if (key === drawn || (!isForced && place.contains(document.activeElement))) return;
    drawn = key;
    put(place, scheduleTable(reply.schedules.slice(0, SHOWN), cancel, at),
      reply.user_schedules > 0 && h("p", { class: "quiet" }, `${counted(reply.user_schedules, "more schedule")} of users' apps.`));
  };
  const cancel = async (schedule) => {
    const reply = await confirm({
      headline: `Cancel the ${schedule.event}?`, action: `Cancel the ${schedule.event}`,
      text: h("p", {}, schedule.name ? h("strong", {}, schedule.name) : "It", " is due at ", when(schedule.deliver_at), ". It will not run; other pending schedules remain."),
      work: () => api.post("/live-activity/schedule/cancel", { body: { activity_id: activity.activity_id, schedule_id: schedule.schedule_id } }),
    });
    if (reply === null || scope.isOver) return;
    tell(reply.canceled > 0 ? `The ${schedule.event} is canceled.` : "It was no longer pending.");
    await read(true);
    place.querySelector("[tabindex]")?.focus();
  };
  poll(scope, EVERY, () => read(false), { onProblem: problems.show, onWell: problems.clear });
  return [problems.element, place];
}

function scheduleTable(rows, cancel, at) {
  return table({
    caption: "Schedules", rows, empty: "No schedules.",
    columns: [
      { head: "Event", header: true, cell: (one) => [one.event, one.name && h("div", { class: "quiet small" }, one.name)] },
      { head: "State", cell: (one) => [badge(one.state, one.state === "pending" ? "waits" : one.state), one.reason && h("span", { class: "quiet small" }, ` ${words(one.reason)}`)] },
      { head: "Due", cell: (one) => when(one.deliver_at) },
      { head: "Ended", cell: (one) => when(one.finished_at) },
      { head: "Broadcast", cell: (one) => (one.broadcast_id === undefined ? "—" : h("a", { href: at("broadcasts", one.broadcast_id) }, "its broadcast")) },
      { head: "Actions", cell: (one) => one.state === "pending" && button("Cancel…", () => cancel(one), { kind: "small danger", "aria-label": `Cancel the ${one.event} ${one.name ?? ""}`.trim() }) },
    ],
  });
}
