// The time-to-sync curve of an activity, whole and by cohort.

import { syncCurve } from "./counts.js";
import { h } from "./dom.js";
import { compact, duration } from "./format.js";
import { nothing } from "./notice.js";
import { syncPlot } from "./plots.js";

const TONES = { apns: "accent", channel: "cyan", fcm: "warn" };

/// The curve with the seconds in which half, nine of ten and 99 of a hundred have synced.
export function syncParts(scope, details) {
  const all = details.time_to_sync;
  const points = syncCurve(all);
  if ((points.at(-1)?.[1] ?? 0) === 0) return nothing("No device has synced yet.", "A phone syncs when its app reports the update token of its Live Activity.");
  const cohorts = Object.entries(details.cohorts ?? {}).filter(([, one]) => (syncCurve(one.time_to_sync).at(-1)?.[1] ?? 0) > 0);
  const curves = cohorts.length > 1
    ? [{ name: "all", tone: "text", points }, ...cohorts.map(([name, one]) => ({ name, tone: TONES[name] ?? "accent", points: syncCurve(one.time_to_sync) }))]
    : [{ name: "synced devices", tone: "accent", points }];
  const plot = syncPlot(scope, { title: "Devices that have synced", curves, format: compact, seconds: duration });
  const figures = [["half", all.p50], ["9 of 10", all.p90], ["99 of 100", all.p99]].filter(([, value]) => value !== undefined);
  return [plot.element, h("ul", { class: "figures" }, figures.map(([name, value]) => h("li", { class: "figure" }, h("strong", {}, duration(value)), " ", h("span", {}, name))))];
}
