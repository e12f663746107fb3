// The dead letters of a webhook, in pages, and their resending.

import { withQuery } from "./api.js";
import { confirm } from "./dialog.js";
import { h } from "./dom.js";
import { button } from "./form.js";
import { count, counted } from "./format.js";
import { busily, tell } from "./notice.js";
import { when } from "./parts.js";
import { paged, table } from "./table.js";

/// The listing with its actions. `post(behind, body)` calls the webhook's routes.
export function deadLetters(scope, api, path, post) {
  const chosen = new Set();
  const acted = h("div", { class: "notice-place" });
  const said = ({ resent }) => {
    tell(resent === 0 ? "No event was resent: the webhook's queue is full." : `${counted(resent, "event")} will be resent.`);
    chosen.clear();
    refresh();
    if (!scope.isOver) listing.first();
  };
  const some = button("Resend selected", () => busily(some, acted, async () => said(await post("/dead-letters/resend", { ids: [...chosen] }))), { disabled: true });
  const all = button("Resend all…", async () => {
    const reply = await confirm({ headline: "Resend all dead letters?", action: "Resend all", isDangerous: false, text: h("p", {}, "Each dead letter is sent again with its original id."), work: () => post("/dead-letters/resend", { all: true }) });
    if (reply !== null) said(reply);
  });
  const refresh = () => { some.disabled = chosen.size === 0; some.textContent = chosen.size === 0 ? "Resend selected" : `Resend ${count(chosen.size)} selected`; };
  const box = ({ id }) => h("input", { type: "checkbox", "aria-label": `Select event ${id}`, checked: chosen.has(id), on: { change: (event) => { if (event.target.checked && chosen.size < 1000) chosen.add(id); else chosen.delete(id); refresh(); } } });
  const listing = paged(scope, {
    label: "dead letters",
    load: (cursor) => api.get(withQuery(`${path}/dead-letters`, { limit: 25, cursor })),
    show: ({ dead_letters: list }) => {
      all.disabled = list.length === 0;
      return table({
        caption: "Dead letters", rows: list, empty: "No dead letters.",
        columns: [
          { head: "Select", cell: box },
          { head: "Event", header: true, cell: (one) => [one.type, " ", h("span", { class: "quiet small clip", title: one.id }, one.id)] },
          { head: "Happened", cell: (one) => when(one.timestamp) },
          { head: "Given up", cell: (one) => when(one.died_at) },
          { head: "Attempts", numeric: true, cell: (one) => count(one.attempts) },
          { head: "Last error", cell: (one) => h("span", { class: "clip", title: one.last_error ?? null }, one.last_error ?? "—") },
        ],
      });
    },
  });
  listing.read();
  return [h("div", { class: "row-actions" }, some, all, button("Refresh", () => listing.first())), acted, listing.element];
}
