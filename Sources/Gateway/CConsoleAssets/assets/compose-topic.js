// Saying where a topic stands, with what was composed.

import { confirm } from "./dialog.js";
import { h } from "./dom.js";
import { button, checkbox, field, select } from "./form.js";
import { count } from "./format.js";
import { busily, tell } from "./notice.js";
import { code, facts } from "./parts.js";
import { topicBody } from "./requests.js";

/// The states that a topic can be put into, by the one that it is in: what is live can only be ended.
const NEXT = { upcoming: ["upcoming", "live", "ended"], live: ["live", "ended"], ended: ["ended", "live", "upcoming"] };

/// What comes of it, by the state before and the one after.
function effect(before, after, followers) {
  const them = h("strong", {}, count(followers));
  if (before === "live") return after === "live" ? ["The phones of its ", them, " followers get this content now."] : ["Its Live Activities disappear from the lock screens of its ", them, " followers. This cannot be undone: going live again creates a new activity."];
  if (after === "live") return ["It is started on the phones of its ", them, " followers now."];
  return ["No push is sent, because the topic is not live."];
}

/// The panel. `said()` is told when the gateway has taken it.
export function topicPanel(api, topic, form, { said }) {
  const state = field("State", select(NEXT[topic.state] ?? NEXT.upcoming, topic.state));
  const withContent = checkbox("With the content above", { checked: true });
  const problems = h("div", { class: "notice-place" });
  const show = () => {
    withContent.control.disabled = state.control.value === "live";
    if (withContent.control.disabled) withContent.control.checked = true;
  };
  state.control.addEventListener("change", show);
  show();
  const path = `/topics/${encodeURIComponent(topic.topic)}`;
  const go = button("Set state…", () => busily(go, problems, async () => {
    const after = state.control.value;
    const content = withContent.control.checked ? form.content() : null;
    if (content !== null && !form.isReady()) return;
    const { state: before, followers } = await api.get(path);
    const isEnd = before === "live" && after === "ended";
    const body = topicBody({ type: topic.activity_type, state: after, content });
    const reply = await confirm({
      headline: `Set ${topic.topic} ${after}?`, action: before === after ? `Keep it ${after}` : `Set it ${after}`, isDangerous: isEnd,
      text: [
        h("p", {}, effect(before, after, followers.app + followers.customer)),
        facts([["Topic", code(topic.topic)], ["Activity type", code(topic.activity_type)], ["Before", before], ["After", after], ["Title", content?.title], ["Message", content?.message]]),
      ],
      // The same again changes nothing, so it may be repeated as it is.
      work: () => api.put(path, { body }),
    });
    if (reply === null) return;
    tell(reply.unchanged ? `${topic.topic} is unchanged: nothing was pushed.` : `${topic.topic} is ${reply.state}.`);
    said();
  }), { kind: "primary" });
  return h("section", { class: "panel step", "aria-label": "Set the state" }, h("h2", {}, "Set the state"),
    h("div", { class: "row" }, state.element, go), withContent.element, problems);
}
