// The devices of an activity by state, in pages.

import { withQuery } from "./api.js";
import { DEVICE_STATES } from "./counts.js";
import { h } from "./dom.js";
import { field, select } from "./form.js";
import { words } from "./format.js";
import { badge, when } from "./parts.js";
import { address } from "./router.js";
import { paged, table } from "./table.js";

/// The listing with its choice of a state.
export function deviceListing(scope, api, activityID, at) {
  const state = field("Devices in state", select([["", "any"], ...DEVICE_STATES], ""), { isInline: true });
  const tenant = at().split("/")[2];
  const phone = (insiderID) => address(["tenants", decodeURIComponent(tenant), "phone"], { insider_id: insiderID });
  const listing = paged(scope, {
    label: "devices",
    load: (cursor) => api.get(withQuery(`/live-activity/${encodeURIComponent(activityID)}/devices`, { state: state.control.value, limit: 50, cursor })),
    show: ({ devices }) => table({
      caption: "Devices of the activity", rows: devices, empty: "No matching devices.",
      columns: [
        { head: "User", header: true, cell: (one) => h("a", { href: phone(one.insider_id) }, one.insider_id) },
        { head: "Device", cell: (one) => one.udid },
        { head: "Cohort", cell: (one) => one.cohort },
        { head: "State", cell: (one) => [badge(one.state), one.end_reason && h("span", { class: "quiet small" }, ` ${words(one.end_reason)}`)] },
        { head: "Last outcome", cell: (one) => (one.last_outcome === undefined ? "—" : badge(one.last_outcome === "accepted" ? "accepted" : "failed", one.last_outcome)) },
        { head: "At", cell: (one) => when(one.last_outcome_at) },
      ],
    }),
  });
  state.control.addEventListener("change", () => listing.first());
  listing.read();
  return h("div", {}, h("div", { class: "filters" }, state.element), listing.element);
}
