// The topics of a tenant by state. Followers and devices of those on the page come one by one.

import { withQuery } from "./api.js";
import { stateBar } from "./bars.js";
import { h, put } from "./dom.js";
import { field, select } from "./form.js";
import { count } from "./format.js";
import { badge, head, when } from "./parts.js";
import { atOnce } from "./poll.js";
import { address } from "./router.js";
import { Scope } from "./scope.js";
import { paged, table } from "./table.js";

export async function showTopics({ scope, to, api }) {
  const at = (...parts) => address(["tenants", to.tenant, ...parts]);
  const state = field("State", select([["", "any"], "upcoming", "live", "ended"], to.query.get("state") ?? ""));
  let filling = null;
  const listing = paged(scope, {
    label: "topics",
    load: (cursor) => api.get(withQuery("/topics", { state: state.control.value, limit: 20, cursor })),
    show: ({ topics }) => {
      const rows = topics.map((topic) => ({ ...topic, followers: h("span", { class: "quiet" }, "…"), devices: h("div", {}) }));
      filling?.end();
      filling = new Scope(scope);
      fill(filling, api, rows);
      return table({
        caption: "Topics", rows, empty: "No matching topics. Create topics with PUT /api/v1/topics/{topic}, or with a feed.",
        columns: [
          { head: "Topic", header: true, cell: (one) => h("a", { href: at("topics", one.topic) }, one.topic) },
          { head: "Name", cell: (one) => one.name ?? "" },
          { head: "State", cell: (one) => [badge(one.state), one.ended_by && h("span", { class: "quiet small" }, ` ${one.ended_by}`)] },
          { head: "Activity type", cell: (one) => one.activity_type },
          { head: "Followers", numeric: true, cell: (one) => one.followers },
          { head: "Devices", cell: (one) => one.devices },
          { head: "Live since", cell: (one) => when(one.live_since) },
          { head: "Changed", cell: (one) => when(one.changed_at) },
        ].filter(({ head: name }) => name !== "Name" || topics.some((one) => one.name !== undefined)),
      });
    },
  });
  state.control.addEventListener("change", () => {
    history.replaceState(null, "", address(["tenants", to.tenant, "topics"], { state: state.control.value }));
    listing.first();
  });
  listing.read();
  return [
    head("Topics", { lead: "Events that go live automatically for their followers, like a match." }),
    h("div", { class: "filters" }, state.element), listing.element,
  ];
}

/// Fills followers and devices in, live topics first.
async function fill(scope, api, rows) {
  const order = [...rows].sort((left, right) => Number(right.state === "live") - Number(left.state === "live"));
  await atOnce(scope, order, async (row) => {
    try {
      const topic = await api.get(`/topics/${encodeURIComponent(row.topic)}`, { signal: scope.signal });
      put(row.followers, count(topic.followers.app + topic.followers.customer));
      if (topic.counts !== undefined) {
        const bar = stateBar(`Devices of ${row.topic} by state`, true);
        bar.update(topic.counts);
        put(row.devices, bar.element);
      }
    } catch (problem) {
      put(row.followers, "—");
      await scope.pause(problem.retryAfter ?? 2);
    }
  });
}
