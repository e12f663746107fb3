// One activity: its devices by state, cohorts, time to sync, broadcasts, schedules and devices. It can be restarted and ended.

import { stateBar } from "./bars.js";
import { leftOut } from "./counts.js";
import { deviceListing } from "./device-listing.js";
import { h, put, setText } from "./dom.js";
import { endActivity } from "./end-activity.js";
import { button, buttonLink } from "./form.js";
import { broadcastID, count, duration, percent, secondsBetween, shortID, words } from "./format.js";
import { noticePlace } from "./notice.js";
import { badge, code, facts, head, panel, when } from "./parts.js";
import { poll } from "./poll.js";
import { address } from "./router.js";
import { scheduleListing } from "./schedules.js";
import { Scope } from "./scope.js";
import { syncParts } from "./sync-parts.js";
import { table } from "./table.js";

export async function showActivity({ scope, to, api }) {
  const path = `/live-activity/${encodeURIComponent(to.item)}`;
  const at = (...parts) => address(["tenants", to.tenant, ...parts]);
  let details = await api.get(path);
  const problems = noticePlace();
  const bar = stateBar("Devices by state");
  const cohorts = h("div", { class: "stack" });
  const curve = h("div", {});
  const broadcasts = h("div", {});
  const about = h("div", {});
  const actions = h("div", { class: "actions" });
  const reasons = h("p", { class: "quiet" });
  let curveScope = null;
  let before = {};

  const changed = (key, value) => {
    const text = JSON.stringify(value ?? null);
    const isNew = before[key] !== text;
    before[key] = text;
    return isNew;
  };
  const update = () => {
    if (changed("counts", details.counts)) {
      bar.update(details.counts);
      setText(reasons, Object.entries(details.counts.ended_by ?? {}).map(([reason, n]) => `${count(n)} ended: ${words(reason)}`).join(" · "));
    }
    if (changed("cohorts", details.cohorts)) put(cohorts, cohortBars(details.cohorts));
    if (changed("sync", [details.time_to_sync, Object.entries(details.cohorts ?? {}).map(([, one]) => one.time_to_sync)])) {
      curveScope?.end();
      curveScope = new Scope(scope);
      put(curve, syncParts(curveScope, details));
    }
    if (changed("broadcasts", details.broadcasts) && !broadcasts.contains(document.activeElement)) put(broadcasts, broadcastTable(details.broadcasts, at));
    if (changed("about", { ...details, counts: 0, cohorts: 0, time_to_sync: 0, broadcasts: 0 })) put(about, aboutFacts(details));
    if (changed("state", [details.state, canRestart(details)])) put(actions, actionsFor(details));
  };
  const actionsFor = ({ state, activity_id: id }) => [
    badge(state),
    state === "STARTED" && buttonLink("Compose an update", address(["tenants", to.tenant, "compose"], { activity: id })),
    canRestart(details) && buttonLink("Restart", address(["tenants", to.tenant, "compose"], { activity: id, for: "restart" })),
    state !== "DEAD" && button("End activity…", async () => { if ((await endActivity(api, details)) !== null) await read(); }, { kind: "danger" }),
  ];
  const read = async () => {
    details = await api.get(path);
    update();
    return details.state !== "DEAD";
  };
  update();
  poll(scope, 3, read, { onProblem: problems.show, onWell: problems.clear });

  const devices = deviceListing(scope, api, to.item, at);
  return [
    head(`${details.name ?? details.activity_type} ${shortID(details.activity_id)}`, { back: { href: at("activities"), text: "Activities" }, actions: [actions] }),
    problems.element,
    panel("Devices by state", bar.element, reasons, cohorts),
    h("div", { class: "columns" }, panel("Time to sync", curve), panel("Facts", about)),
    panel("Last broadcasts", broadcasts),
    panel("Schedules", scheduleListing(scope, api, details, at)),
    panel("Devices", devices),
  ];
}

/// Whether somebody can be started again. One that devices have opened knows updates and ends alone.
function canRestart({ state, counts, external_id: opened }) {
  return state === "STARTED" && opened === undefined && leftOut(counts).length > 0;
}

function cohortBars(cohorts) {
  const all = Object.entries(cohorts ?? {});
  if (all.length < 2) return null;
  return all.map(([name, counts]) => {
    const bar = stateBar(`Devices by state, cohort ${name}`, true);
    bar.update(counts);
    return h("div", {}, h("h3", {}, name, h("span", { class: "quiet" }, ` ${count(counts.devices)} devices`)), bar.element);
  });
}

function aboutFacts(details) {
  const options = Object.entries(details.options ?? {});
  return facts([
    ["Activity", code(details.activity_id)], ["Name", details.name], ["Activity type", details.activity_type],
    ["Opened by devices as", details.external_id], ["of user", details.insider_id],
    ["Users", count(details.users)], ["Devices", count(details.devices)],
    ["Created", when(details.created_at)], ["Started", details.started_at && when(details.started_at)],
    [details.ended_at ? "Ended" : "Ends", when(details.ended_at ?? details.ends_at)], ["End reason", details.end_reason && words(details.end_reason)],
    ["Updates this hour", count(details.updates_this_hour)], ["Taps", count(details.taps)], ["Dismissals", count(details.dismissals)],
    ["Options", options.length > 0 && h("ul", { class: "plain" }, options.map(([name, value]) => h("li", {}, code(`${name}: ${value}`))))],
  ]);
}

function broadcastTable(broadcasts, at) {
  return table({
    caption: "Last broadcasts", rows: broadcasts, empty: "No broadcasts yet.",
    columns: [
      { head: "Broadcast", header: true, cell: (one) => h("a", { href: at("broadcasts", one.broadcast_id) }, one.kind, " ", broadcastID(one.broadcast_id)) },
      { head: "State", cell: (one) => [badge(one.state), one.reason && h("span", { class: "quiet small" }, ` ${words(one.reason)}`)] },
      { head: "Accepted", numeric: true, cell: (one) => count(one.accepted) },
      { head: "Devices", numeric: true, cell: (one) => count(one.total) },
      { head: "Share", numeric: true, cell: (one) => percent(one.accepted, one.total) },
      { head: "Created", cell: (one) => when(one.created_at) },
      { head: "Waited", numeric: true, cell: (one) => duration(secondsBetween(one.created_at, one.started_at)) },
      { head: "Took", numeric: true, cell: (one) => duration(secondsBetween(one.started_at, one.finished_at)) },
    ],
  });
}
