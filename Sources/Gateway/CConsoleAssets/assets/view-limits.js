// What a tenant may use, and uses: its limits, and its shares of what tenants share.

import { meter } from "./bars.js";
import { h, put } from "./dom.js";
import { bytes, count, words } from "./format.js";
import { noticePlace } from "./notice.js";
import { head, panel } from "./parts.js";
import { poll } from "./poll.js";
import { table } from "./table.js";

export async function showLimits({ scope, api }) {
  const problems = noticePlace();
  const limits = h("div", {});
  const shares = h("div", {});
  let drawn = "";
  const draw = (reply) => {
    const key = JSON.stringify(reply);
    if (key === drawn) return;
    drawn = key;
    put(limits, usage("Limits", reply.limits));
    put(shares, usage("Shares", reply.shares));
  };
  draw(await api.get("/limits"));
  poll(scope, 5, async () => draw(await api.get("/limits")), { onProblem: problems.show, onWell: problems.clear });
  return [
    head("Limits", { lead: "Usage is updated every 5 seconds." }), problems.element,
    panel("Limits", h("p", { class: "quiet" }, "The tenant's limits, set by an operator. Limits of a single user or device have no count."), limits),
    panel("Shares", h("p", { class: "quiet" }, "The tenant's shares of common resources, at the gateway that answers."), shares),
  ];
}

const written = (name, value) => (name.includes("bytes") ? bytes(value) : count(value));

function usage(caption, rows) {
  return table({
    caption, rows,
    columns: [
      { head: "Name", header: true, cell: (one) => words(one.name) },
      { head: "Used", numeric: true, cell: (one) => (one.used === undefined ? "—" : written(one.name, one.used)) },
      { head: "Limit", numeric: true, cell: (one) => (one.limit === undefined ? "none" : written(one.name, one.limit)) },
      { head: "Use", cell: (one) => (one.used === undefined || one.limit === undefined ? "" : meter(`Use of ${words(one.name)}`, one.used, one.limit)) },
      { head: "Set by", cell: (one) => (one.default === undefined ? "" : one.default ? h("span", { class: "quiet" }, "default") : "operator") },
    ].filter(({ head: name }) => name !== "Set by" || rows.some((one) => one.default !== undefined)),
  });
}
