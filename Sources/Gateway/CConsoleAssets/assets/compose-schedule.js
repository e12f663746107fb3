// An update or end of an activity at a time, with what was composed.

import { confirm } from "./dialog.js";
import { h } from "./dom.js";
import { button, field, select, textInput } from "./form.js";
import { counted, shortID } from "./format.js";
import { busily, tell } from "./notice.js";
import { code, facts, when } from "./parts.js";
import { scheduleBody } from "./requests.js";
import { fieldTime, instantOf, timeProblem } from "./schedule-time.js";
import { Wish } from "./wish.js";

/// What can be scheduled: the event, and whether the content goes along.
const KINDS = {
  update: { event: "update", hasContent: true, text: "update with this content" },
  final: { event: "end", hasContent: true, text: "end with this content" },
  end: { event: "end", hasContent: false, text: "end without new content" },
};
/// Minutes from now that the field begins with.
const AHEAD = 10;

/// The panel. `scheduled()` is told when there is one more.
export function schedulePanel(api, activity, form, { scheduled }) {
  const { activity_id: activityID, activity_type: type, ends_at: endsAt } = activity;
  const kind = field("What", select(Object.entries(KINDS).map(([key, { text }]) => [key, text]), "update"));
  const time = field("When", h("input", { type: "datetime-local", value: fieldTime(Date.now() + AHEAD * 60_000) }), { hint: ["By this machine's clock. The activity ends at ", when(endsAt), "."] });
  const name = field("Name", textInput({ maxlength: 250 }), { hint: "Optional display name." });
  const problems = h("div", { class: "notice-place" });
  const wish = new Wish();
  const go = button("Schedule…", () => busily(go, problems, async () => {
    const { event, hasContent } = KINDS[kind.control.value];
    const wrong = timeProblem(time.control.value, endsAt);
    time.say(wrong);
    if (hasContent && !form.isReady()) return;
    if (wrong !== null) return time.control.focus();
    const content = hasContent ? form.content() : null;
    const deliverAt = instantOf(time.control.value);
    // Attributes go with starts alone.
    const body = scheduleBody({ activityID, type, event, deliverAt, name: name.control.value.trim(), content: content && { ...content, attributes: "" } });
    const reply = await confirm({
      headline: `Schedule an ${event} of ${type} ${shortID(activityID)}?`, action: `Schedule the ${event}`, isDangerous: event === "end",
      text: [
        h("p", {}, "It runs once, at its time, for its ", h("strong", {}, counted(activity.devices, "device")), " that are reachable then."),
        facts([["At", when(deliverAt)], ["Activity type", code(type)], ["Title", content?.title], ["Message", content?.message]]),
      ],
      work: () => wish.carryOut(body, ({ key }) => api.post("/live-activity/schedule", { body, headers: { "Idempotency-Key": key } })),
    });
    if (reply === null) return;
    tell(`The ${event} is scheduled.`);
    scheduled();
  }));
  const run = h("form", { class: "stack" }, h("div", { class: "pair" }, kind.element, time.element), name.element, h("div", { class: "row-actions" }, go));
  run.addEventListener("submit", (event) => { event.preventDefault(); go.click(); });
  return h("section", { class: "panel step", "aria-label": "Schedule" }, h("h2", {}, "Schedule"), run, problems);
}
