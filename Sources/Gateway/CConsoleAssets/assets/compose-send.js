// Sending what was composed: first to one test device, then to a segment, whose count is shown and whose name is typed.

import { confirm } from "./dialog.js";
import { h, put } from "./dom.js";
import { button, field, textInput } from "./form.js";
import { count, counted, words } from "./format.js";
import { tenantName } from "./names.js";
import { busily, tell } from "./notice.js";
import { code, facts } from "./parts.js";
import { broadcastBody, registerBody } from "./requests.js";
import { isUnclear, Wish } from "./wish.js";

/// Registers and starts for one user. The keys are those of one wish, so that a repetition starts nothing twice.
async function sendToUser(api, { content, insiderID, endsAt, options, key }) {
  const registered = await api.post("/live-activity/register", { body: registerBody({ type: content.type, insiderIDs: [insiderID], endsAt, options }), headers: { "Idempotency-Key": key } });
  return { registered, started: await start(api, registered.activity_id, content, key) };
}

/// The start of a registered activity, answered at once. Its key is the activity's, which starts once.
function start(api, activityID, content, key) {
  return api.post("/live-activity/start", { body: broadcastBody({ activityID, type: content.type, content }), headers: { "Idempotency-Key": `${key}-start`, Prefer: "respond-async" }, deadline: 30 });
}

/// The panel for a test device. `started(activity, reply)` is told what was begun.
export function testPanel(api, form, { insiderID = "", started }) {
  const input = field("Test device's insider_id", textInput({ value: insiderID, maxlength: 250, class: "mono" }), { hint: "All phones of this user get it." });
  const problems = h("div", { class: "notice-place" });
  const wish = new Wish();
  const go = button("Send to test device", () => busily(go, problems, async () => {
    if (!form.isReady()) return;
    const user = input.control.value;
    input.say(user === "" ? "Enter the insider_id of a test device." : null);
    if (user === "") return input.control.focus();
    const content = form.content();
    const { registered, started: reply } = await wish.carryOut(JSON.stringify([content, user, form.settings.text()]), ({ key, at }) =>
      sendToUser(api, { content, insiderID: user, endsAt: form.settings.endsAt(at), options: form.settings.options(), key }));
    started({ activity_id: registered.activity_id, activity_type: content.type, devices: registered.registered_devices, state: "STARTED", label: `test: ${user}` }, reply);
  }), { kind: "primary" });
  const run = h("form", { class: "row" }, input.element, go);
  run.addEventListener("submit", (event) => { event.preventDefault(); go.click(); });
  return h("section", { class: "panel step", "aria-label": "Test" }, h("h2", {}, h("span", { class: "step-number", "aria-hidden": "true" }, "1"), "Send to a test device"), run, problems);
}

/// The panel for a segment. `begun(reply)` is told of the start.
export function segmentPanel(api, scope, form, { tenant, segment = "", begun }) {
  const listID = "compose-segments";
  const options = h("datalist", { id: listID });
  const input = field("Segment", textInput({ value: segment, list: listID, maxlength: 128, class: "mono" }));
  const counts = h("p", { class: "segment-count", role: "status" });
  const problems = h("div", { class: "notice-place" });
  const wish = new Wish();
  let asked = 0;
  const look = async () => {
    const name = input.control.value.trim();
    const mine = asked += 1;
    put(counts);
    input.say(null);
    if (name === "") return;
    try {
      const reply = await api.get(`/segments/${encodeURIComponent(name)}`);
      if (mine === asked) put(counts, h("strong", {}, count(reply.users)), ` users in ${reply.name}.`);
    } catch (problem) {
      if (mine === asked) input.say(problem.status === 404 ? "The segment does not exist." : problem.code === "CANCELED" ? null : problem.message);
    }
  };
  api.get("/segments?limit=200").then(({ segments }) => put(options, segments.map(({ name, users }) => h("option", { value: name }, `${count(users)} users`))), () => {});
  input.control.addEventListener("change", look);
  if (segment !== "") look();
  const go = button("Count and send…", () => busily(go, problems, async () => {
    if (!form.isReady()) return;
    const name = input.control.value.trim();
    if (name === "") { input.say("Choose a segment."); return input.control.focus(); }
    const content = form.content();
    const { key, at } = wish.of(JSON.stringify([content, name, form.settings.text()]));
    const reply = await sendToSegment(api, { content, tenant: await tenantName(tenant, scope.signal), segment: name, endsAt: form.settings.endsAt(at), options: form.settings.options(), key, wish });
    if (reply !== null && !scope.isOver) begun(reply);
  }), { kind: "primary" });
  const run = h("form", { class: "row" }, input.element, options, go);
  run.addEventListener("submit", (event) => { event.preventDefault(); go.click(); });
  return h("section", { class: "panel step", "aria-label": "Send to a segment" }, h("h2", {}, h("span", { class: "step-number", "aria-hidden": "true" }, "2"), "Send to a segment"), run, counts,
    h("p", { class: "hint" }, "The gateway first counts the eligible devices. It sends nothing before you type the segment's name."), problems);
}

/// Registers for a segment, which sends nothing and counts exactly, asks, and starts. When it is left, the registration is
/// taken back.
async function sendToSegment(api, { content, tenant, segment, endsAt, options, key, wish }) {
  const registered = await wish.during(() => api.post("/live-activity/register", { body: registerBody({ type: content.type, segment, endsAt, options }), headers: { "Idempotency-Key": key }, deadline: 60 }));
  const skipped = Object.entries(registered.skipped ?? {});
  let isLost = false;
  const reply = await confirm({
    headline: `Send to ${segment}?`, action: `Start on ${counted(registered.registered_devices, "device")}`, typed: segment, isDangerous: false,
    text: [
      h("p", { class: "big-count" }, h("strong", {}, count(registered.registered_devices)), ` ${registered.registered_devices === 1 ? "device" : "devices"} of ${counted(registered.registered_users, "user")} in `, h("strong", {}, segment), " get it now."),
      facts([["Activity type", code(content.type)], ["Tenant", tenant], ["Segment", segment]]),
      h("p", {}, "Title: ", h("strong", {}, content.title), h("br"), "Message: ", h("strong", {}, content.message)),
      skipped.length > 0 && h("div", {}, h("p", { class: "quiet" }, "Skipped:"), h("ul", { class: "reasons quiet" }, skipped.map(([reason, n]) => h("li", {}, `${words(reason)}: ${count(n)}`)))),
    ],
    work: () => start(api, registered.activity_id, content, key).catch((problem) => {
      isLost ||= isUnclear(problem);
      throw problem;
    }),
  });
  // A start whose answer was lost may be on its way: it is not taken back, and its wish stays the same one.
  if (reply === null && isLost) {
    tell("The start was sent, but its answer was lost. See its result under Activities.");
    return null;
  }
  wish.settle();
  if (reply === null) await api.post("/live-activity/end", { body: broadcastBody({ activityID: registered.activity_id, type: content.type }), signal: undefined }).catch(() => {});
  return reply;
}
