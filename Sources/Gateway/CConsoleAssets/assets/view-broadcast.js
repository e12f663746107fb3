// One broadcast, followed until it has ended: its bar, its rate over time, failures and skipped by reason, cohorts.

import { broadcastPanel, cohortRows } from "./broadcast-panel.js";
import { isFinal } from "./counts.js";
import { h, put } from "./dom.js";
import { follow } from "./follow.js";
import { buttonLink } from "./form.js";
import { broadcastID, compact, count } from "./format.js";
import { noticePlace } from "./notice.js";
import { badge, code, facts, head, panel, reasonBars } from "./parts.js";
import { timePlot } from "./plots.js";
import { RateMeter } from "./rates.js";
import { address } from "./router.js";
import { table } from "./table.js";

export async function showBroadcast({ scope, to, api }) {
  const first = await api.get(`/live-activity/broadcasts/${encodeURIComponent(to.item)}`);
  const at = (...parts) => address(["tenants", to.tenant, ...parts]);
  const problems = noticePlace();
  const way = h("span", {});
  const setWay = (word) => {
    if (way.dataset.way === word) return;
    way.dataset.way = word;
    put(way, badge({ live: "live", asking: "queued", ended: "ended" }[word], { live: "live", asking: "polling every 2 s", ended: "ended" }[word]));
  };
  const view = broadcastPanel({ id: first.broadcast_id, kind: first.kind, level: 2 });
  const reasons = h("div", { class: "columns" });
  const cohorts = h("div", {});
  const warnings = h("div", {});
  const meter = new RateMeter();
  const isLive = !isFinal(first.state);
  const plot = isLive ? timePlot(scope, { title: "Outcomes per second", format: compact, series: [{ name: "accepted", tone: "good" }, { name: "failed", tone: "bad" }] }) : null;
  let drawn = "";

  const update = (record) => {
    view.update(record);
    const key = JSON.stringify([record.failed, record.skipped, record.cohorts, record.warnings]);
    if (key !== drawn) {
      drawn = key;
      put(reasons, reasonBars("Failed by reason", record.failed) ?? h("p", { class: "quiet" }, "No failed pushes."), reasonBars("Skipped by reason", record.skipped, "warn") ?? h("p", { class: "quiet" }, "No skipped devices."));
      put(cohorts, cohortTable(record));
      put(warnings, (record.warnings ?? []).map((warning) => h("p", { class: "notice warn" }, h("code", {}, warning), " At least a fifth of the tokens of one kind belong to another environment or app: check the environment that the app reports.")));
    }
    if (plot === null) return;
    const rates = meter.read(record, Date.now());
    if (rates !== null) plot.push(rates.at, [rates.accepted, rates.failed]);
  };
  update(first);
  if (isLive) {
    follow(scope, api, first.broadcast_id, {
      onRecord: update,
      onWay: (word) => { setWay(word); problems.clear(); },
      onProblem: problems.show,
    });
  } else setWay("ended");

  return [
    head(`${first.kind[0].toUpperCase()}${first.kind.slice(1)} ${broadcastID(first.broadcast_id)}`, {
      back: { href: at("broadcasts"), text: "Broadcasts" },
      actions: [way, buttonLink("Its activity", at("activities", first.activity_id))],
    }),
    problems.element, warnings, view.element,
    plot && panel("Rate", plot.element),
    panel("Outcomes", reasons, cohorts),
    panel("Facts", facts([["Broadcast", code(first.broadcast_id)], ["Activity", h("a", { href: at("activities", first.activity_id) }, code(first.activity_id))], ["Kind", badge(first.kind)], ["Devices addressed", count(first.total)]])),
  ];
}

function cohortTable(record) {
  const rows = cohortRows(record);
  return rows.length === 0 ? null : [h("h3", {}, "Cohorts"), table({
    caption: "Pushes by kind of destination", rows,
    columns: [
      { head: "Cohort", header: true, cell: (row) => row.cohort },
      { head: "Devices", numeric: true, cell: (row) => count(row.devices) },
      { head: "Accepted", numeric: true, cell: (row) => count(row.accepted) },
      { head: "Share", numeric: true, cell: (row) => row.share },
    ],
  })];
}
