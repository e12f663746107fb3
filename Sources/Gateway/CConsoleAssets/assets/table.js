// Tables with a caption and heads, and their paging by cursor.

import { h, put } from "./dom.js";
import { nothing, problemPanel, waiting } from "./notice.js";

/// A table. Each column has a `head`, a `cell` of a row, and may be `numeric` or the row's `header`. `rows` is bounded by
/// whoever asks for them.
export function table({ caption, columns, rows, isCaptionHidden = true, empty = "No entries." }) {
  if (rows.length === 0 && empty !== null) return nothing(empty);
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    h("table", { role: "table", class: columns.length > 2 ? "many" : null },
      h("caption", { class: isCaptionHidden ? "hidden" : null }, caption),
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, columns.map(({ head, numeric }) => h("th", { scope: "col", role: "columnheader", class: numeric ? "numeric" : null }, head)))),
      h("tbody", { role: "rowgroup" }, rows.map((row) => tableRow(columns, row)))));
}

/// A row of such a table. The roles are said because narrow screens show rows as blocks, with each cell's head in front.
function tableRow(columns, row) {
  return h("tr", { role: "row" }, columns.map(({ head, cell, numeric, header }) =>
    h(header ? "th" : "td", { scope: header ? "row" : null, role: header ? "rowheader" : "cell", class: numeric ? "numeric" : null, data: { head } }, cell(row))));
}

/// As many pages back as can be gone to.
const MOST_PAGES = 200;

/// A listing by pages. `load(cursor)` answers with an object that may have a `cursor`; `show(page)` with an element.
/// A page may be empty and not the last one: then the next ones are asked for, five at most, before it is shown.
export function paged(scope, { label, load, show }) {
  const body = h("div", { class: "page-body" });
  const previous = h("button", { type: "button", class: "button", on: { click: () => go(-1) } }, "Previous");
  const next = h("button", { type: "button", class: "button", on: { click: () => go(1) } }, "Next");
  const place = h("span", { class: "quiet", "aria-live": "polite" });
  const bar = h("nav", { class: "pager", "aria-label": `Pages of ${label}`, hidden: true }, previous, place, next);
  let cursors = [undefined];
  let following;
  let run = 0;

  async function go(step) {
    if (step > 0 && following === undefined) return;
    if (step > 0) cursors.push(following);
    if (step < 0 && cursors.length > 1) cursors.pop();
    if (cursors.length > MOST_PAGES) cursors = cursors.slice(-MOST_PAGES);
    await read();
  }

  async function read() {
    const mine = run += 1;
    if (body.childElementCount === 0) put(body, waiting());
    body.setAttribute("aria-busy", "true");
    try {
      let page = await load(cursors.at(-1));
      for (let more = 0; more < 5 && isEmpty(page) && page.cursor !== undefined && mine === run; more += 1) page = await load(page.cursor);
      if (mine !== run || scope.isOver) return;
      following = page.cursor;
      put(body, show(page));
      bar.hidden = cursors.length === 1 && following === undefined;
      previous.disabled = cursors.length === 1;
      next.disabled = following === undefined;
      place.textContent = bar.hidden ? "" : `Page ${cursors.length}`;
    } catch (problem) {
      if (mine === run && !scope.isOver && problem.code !== "CANCELED") put(body, problemPanel(problem, read));
    } finally {
      body.removeAttribute("aria-busy");
    }
  }

  return { element: h("div", { class: "paged" }, body, bar), read, first() { cursors = [undefined]; return read(); } };
}

function isEmpty(page) {
  const list = Object.values(page).find(Array.isArray);
  return list !== undefined && list.length === 0;
}
