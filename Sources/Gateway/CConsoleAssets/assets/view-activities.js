// The activities of a tenant by state and type, newest first.

import { withQuery } from "./api.js";
import { h } from "./dom.js";
import { buttonLink, field, select, textInput } from "./form.js";
import { count, shortID } from "./format.js";
import { badge, head, when } from "./parts.js";
import { address } from "./router.js";
import { paged, table } from "./table.js";

export async function showActivities({ scope, to, api }) {
  const at = (...parts) => address(["tenants", to.tenant, ...parts]);
  const state = field("State", select([["", "any"], ["REGISTERED", "registered"], ["STARTED", "started"], ["DEAD", "dead"]], to.query.get("state") ?? ""));
  const openedBy = field("Opened by", select([["customer", "customer"], ["device", "device"], ["any", "any"]], to.query.get("opened_by") ?? "customer"));
  const type = field("Activity type", textInput({ value: to.query.get("activity_type") ?? "", placeholder: "any" }));
  const query = () => ({ state: state.control.value, activity_type: type.control.value.trim(), opened_by: openedBy.control.value });
  const listing = paged(scope, {
    label: "activities",
    load: (cursor) => api.get(withQuery("/live-activity", { ...query(), limit: 25, cursor })),
    show: ({ activities }) => table({
      caption: "Activities", rows: activities, empty: "No matching activities. Ended activities stay readable for a day.",
      columns: [
        { head: "Activity", header: true, cell: (one) => h("a", { href: at("activities", one.activity_id) }, one.name ?? one.activity_type, " ", shortID(one.activity_id)) },
        { head: "Type", cell: (one) => one.activity_type },
        { head: "State", cell: (one) => [badge(one.state), one.end_reason && h("span", { class: "quiet small" }, ` ${one.end_reason}`)] },
        { head: "Devices", numeric: true, cell: (one) => count(one.devices) },
        { head: "Users", numeric: true, cell: (one) => count(one.users) },
        { head: "Created", cell: (one) => when(one.created_at) },
        { head: "Started", cell: (one) => when(one.started_at) },
        { head: "Ends", cell: (one) => when(one.ended_at ?? one.ends_at) },
        { head: "Device's name", cell: (one) => one.external_id ?? "" },
      ].filter(({ head: name }) => (name !== "Device's name" || activities.some((one) => one.external_id !== undefined)) && (name !== "Type" || activities.some((one) => one.name !== undefined))),
    }),
  });
  const form = h("form", { class: "filters", role: "search", "aria-label": "Activities" }, state.element, type.element, openedBy.element);
  const change = () => {
    history.replaceState(null, "", address(["tenants", to.tenant, "activities"], { ...query(), opened_by: openedBy.control.value === "customer" ? "" : openedBy.control.value }));
    listing.first();
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); change(); });
  form.addEventListener("change", change);
  listing.read();
  return [
    head("Activities", { lead: "Registered, started and ended activities.", actions: [buttonLink("Compose", at("compose"), "primary")] }),
    form, listing.element,
  ];
}
