// One phone looked up: a user's devices, their tokens, what they show, what was pushed and what came back. The user can be
// erased.

import { h, put, setText } from "./dom.js";
import { erasedNotice, eraseUser } from "./erase-user.js";
import { button, field, textInput } from "./form.js";
import { count, counted, shortID, words } from "./format.js";
import { nothing, problemPanel, waiting } from "./notice.js";
import { badge, code, facts, head, panel, when } from "./parts.js";
import { findDevice, pushesTo } from "./push-history.js";
import { atOnce } from "./poll.js";
import { address } from "./router.js";
import { Scope } from "./scope.js";
import { table } from "./table.js";

export async function showPhone({ scope, to, api }) {
  const input = field("insider_id", textInput({ type: "search", value: to.query.get("insider_id") ?? "", maxlength: 250, class: "mono" }), { hint: "The customer's name for a user, byte for byte." });
  const result = h("div", { class: "stack" });
  let search = null;
  const erase = async (insiderID) => {
    const reply = await eraseUser(api, insiderID);
    if (reply === null || scope.isOver) return;
    search?.end();
    put(result, erasedNotice(insiderID, reply));
    input.control.focus();
  };
  const look = async () => {
    const insiderID = input.control.value;
    input.say(insiderID === "" ? "Enter an insider_id." : null);
    if (insiderID === "") return;
    search?.end();
    const mine = search = new Scope(scope);
    history.replaceState(null, "", address(["tenants", to.tenant, "phone"], { insider_id: insiderID }));
    put(result, waiting("Loading…"));
    try {
      const { devices } = await api.get(`/users/${encodeURIComponent(insiderID)}/devices`, { signal: mine.signal });
      if (mine.isOver) return;
      const finders = [];
      // Lists may name a user who has no device.
      const found = h("div", { class: "section-head" },
        h("p", { class: "quiet", role: "status" }, `${counted(devices.length, "device")} of `, code(insiderID)),
        button("Erase user…", () => erase(insiderID), { kind: "danger" }));
      put(result, found, devices.length === 0
        ? nothing(`No known device of ${insiderID}.`, "The app has reported no device, or the user was erased.")
        : [devices.map((device) => devicePanel(mine, api, to.tenant, insiderID, device, finders)), pushes(mine, api, to.tenant, insiderID)]);
      lookByItself(mine, finders);
    } catch (problem) {
      if (!mine.isOver && problem.code !== "CANCELED") put(result, problemPanel(problem, look));
    }
  };
  const form = h("form", { class: "row", role: "search", "aria-label": "Phone" }, input.element, button("Look up", null, { type: "submit", kind: "primary" }));
  form.addEventListener("submit", (event) => { event.preventDefault(); look(); });
  if (input.control.value !== "") look();
  return [head("Phone", { lead: "A user's phones: their reports, tokens, Live Activities and pushes." }), form, result];
}

const yes = (value, good, bad) => (value === undefined ? null : badge(value ? "on" : "off", value ? good : bad));

function devicePanel(scope, api, tenant, insiderID, device, finders) {
  const system = [{ ios: "iOS", android: "Android" }[device.platform], device.os_version].filter(Boolean).join(" ");
  return h("section", { class: "panel", "aria-label": `Device ${device.udid}` },
    h("div", { class: "section-head" }, h("h2", {}, device.udid), h("span", { class: "quiet" }, system || "has reported only a token")),
    facts([
      ["App version", device.app_version], ["Environment", device.environment], ["Notifications", yes(device.push_opt_in, "allowed", "not allowed")],
      ["Consent", yes(device.gdpr_consent, "given", "not given")], ["Frequent updates", device.frequent_pushes === undefined ? null : device.frequent_pushes ? "allowed" : "not allowed"],
      ["Last report", device.last_reported_at && when(device.last_reported_at)],
    ]),
    h("h3", {}, "Tokens"),
    table({
      caption: `Tokens of ${device.udid}`, rows: device.tokens, empty: "No token reported, so it cannot be started.",
      columns: [
        { head: "Kind", header: true, cell: (one) => words(one.kind) },
        { head: "For type", cell: (one) => one.activity_type ?? "every type" },
        { head: "State", cell: (one) => badge(one.state) },
        { head: "Ends with", cell: (one) => code(`…${one.ends_with}`) },
        { head: "Reported", cell: (one) => when(one.reported_at) },
      ],
    }),
    h("h3", {}, "Live Activities"),
    table({
      caption: `Live Activities of ${device.udid}`, rows: device.activities, empty: "No activities.",
      columns: [
        { head: "Activity", header: true, cell: (one) => h("a", { href: address(["tenants", tenant, "activities", one.activity_id]) }, one.activity_type, " ", shortID(one.activity_id)) },
        { head: "State", cell: (one) => (one.device_state === undefined ? "—" : badge(one.device_state)) },
        { head: "Last outcome", cell: (one) => lastOutcome(scope, api, one, insiderID, device.udid, finders) },
      ],
    }));
}

/// The number of activities that are read for the last push without being asked.
const BY_ITSELF = 12;

async function lookByItself(scope, finders) {
  await atOnce(scope, finders.splice(0).slice(0, BY_ITSELF), (find) => find(), 3);
}

/// The last push to a device in an activity. It is found by reading the activity's devices: the first thousand by itself,
/// more when it is asked for.
function lastOutcome(scope, api, activity, insiderID, udid, finders) {
  const place = h("span", {});
  const look = async (pages) => {
    const said = h("span", { class: "quiet" }, "searching…");
    put(place, said);
    try {
      const found = await findDevice(api, scope, activity.activity_id, insiderID, udid, (seen) => setText(said, `${count(seen)} devices searched…`), pages);
      put(place, found === null ? [h("span", { class: "quiet" }, pages === 1 ? "not among the first 1,000 devices " : "not among the devices searched "), pages === 1 && find]
        : found.last_outcome === undefined ? h("span", { class: "quiet" }, "no push yet")
          : [badge(found.last_outcome === "accepted" ? "accepted" : "failed", found.last_outcome), " ", when(found.last_outcome_at)]);
    } catch (problem) {
      if (problem.code !== "CANCELED") put(place, h("span", { class: "bad-text" }, problem.message), " ", find);
    }
  };
  const find = button("Continue", () => look(), { kind: "small", "aria-label": `Find the last push to ${udid} in ${activity.activity_type} ${shortID(activity.activity_id)}` });
  put(place, finders.length < BY_ITSELF ? h("span", { class: "quiet" }, "…") : find);
  finders.push(() => look(1));
  return place;
}

function pushes(scope, api, tenant, insiderID) {
  const place = h("div", {}, waiting("Reading the event stream…"));
  const read = async () => {
    try {
      const { isOn, events, since } = await pushesTo(api, scope, insiderID);
      if (scope.isOver) return;
      if (!isOn) return put(place, nothing("The event stream is off.", "When it is on, this page lists a user's pushes. ", h("a", { href: address(["tenants", tenant, "webhooks"]) }, "Enable it under Webhooks.")));
      put(place, h("p", { class: "quiet" }, "From the event stream, since ", when(new Date(since).toISOString()), ". Channel updates name no user."), table({
        caption: "Push history", rows: events, empty: "No events of this user since then.",
        columns: [
          { head: "At", header: true, cell: (one) => when(one.timestamp) },
          { head: "Event", cell: (one) => words(one.type.replace("push.live_activity_", "")) },
          { head: "Device", cell: (one) => one.data.udid ?? one.data.devices.filter((device) => device.insider_id === insiderID).map(({ udid }) => udid).join(", ") },
          { head: "Activity", cell: (one) => h("a", { href: address(["tenants", tenant, "activities", one.data.activity_id]) }, one.data.activity_type, " ", shortID(one.data.activity_id)) },
          { head: "Reason", cell: (one) => one.data.reason ?? "" },
        ],
      }));
    } catch (problem) {
      if (!scope.isOver && problem.code !== "CANCELED") put(place, problemPanel(problem, read));
    }
  };
  read();
  return panel("Push history", place);
}
