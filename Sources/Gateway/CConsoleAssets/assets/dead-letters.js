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
    tell(resent === 0 ? "None could be taken: as many events wait for the webhook as may." : `${counted(resent, "event")} will be sent again.`);
    chosen.clear();
    refresh();
    if (!scope.isOver) listing.first();
  };
  const some = button("Resend chosen", () => busily(some, acted, async () => said(await post("/dead-letters/resend", { ids: [...chosen] }))), { disabled: true });
  const all = button("Resend all…", async () => {
    const reply = await confirm({ headline: "Resend all dead letters?", action: "Resend all", isDangerous: false, text: h("p", {}, "Each event that was given up is sent once more, with the id that it had."), work: () => post("/dead-letters/resend", { all: true }) });
    if (reply !== null) said(reply);
  });
  const refresh = () => { some.disabled = chosen.size === 0; some.textContent = chosen.size === 0 ? "Resend chosen" : `Resend ${count(chosen.size)} chosen`; };
  const box = ({ id }) => h("input", { type: "checkbox", "aria-label": `Choose event ${id}`, checked: chosen.has(id), on: { change: (event) => { if (event.target.checked && chosen.size < 1000) chosen.add(id); else chosen.delete(id); refresh(); } } });
  const listing = paged(scope, {
    label: "dead letters",
    load: (cursor) => api.get(withQuery(`${path}/dead-letters`, { limit: 25, cursor })),
    show: ({ dead_letters: list }) => {
      all.disabled = list.length === 0;
      return table({
        caption: "Dead letters", rows: list, empty: "No event was given up.",
        columns: [
          { head: "Choose", cell: box },
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
  return [h("div", { class: "row-actions" }, some, all, button("Look again", () => listing.first())), acted, listing.element];
}
