// The broadcasts of a tenant: those under way move, the others are listed.

import { withQuery } from "./api.js";
import { progressBar } from "./bars.js";
import { Board, WATCHED } from "./board.js";
import { broadcastPanel } from "./broadcast-panel.js";
import { isFinal } from "./counts.js";
import { h, put, setText } from "./dom.js";
import { follow } from "./follow.js";
import { button, field, textInput } from "./form.js";
import { broadcastID, count, counted, duration, secondsBetween } from "./format.js";
import { noticePlace, nothing, waiting } from "./notice.js";
import { badge, head, panel, when } from "./parts.js";
import { atOnce, poll } from "./poll.js";
import { address } from "./router.js";
import { table } from "./table.js";

/// How many panels move at once.
const PANELS = 8;

export async function showBroadcasts({ scope, to, api }) {
  const board = new Board();
  const problems = noticePlace();
  const live = h("div", { class: "stack" }, waiting());
  const recent = h("div", {}, waiting());
  const summary = h("span", {});
  const panels = new Map();
  const at = (...parts) => address(["tenants", to.tenant, ...parts]);

  const draw = () => {
    const all = board.broadcasts();
    const running = all.filter(({ state }) => !isFinal(state)).slice(0, PANELS);
    for (const one of running) if (!panels.has(one.broadcast_id)) panels.set(one.broadcast_id, begin(one));
    for (const [id, entry] of panels) if (!entry.isLingering && !running.some((one) => one.broadcast_id === id) && all.some((one) => one.broadcast_id === id && isFinal(one.state))) linger(id, entry);
    if (panels.size === 0 && board.isWhole) put(live, nothing("No running broadcasts.", "Starts, updates and ends appear here while they run."));
    else if (panels.size > 0 && live.querySelector(".broadcast") === null) live.replaceChildren(...[...panels.values()].map(({ element }) => element));
    if (running.length > 0 || board.isWhole) setText(summary, `${counted(running.length, "broadcast")} running`);
    const ended = all.filter(({ state }) => isFinal(state));
    if (ended.length > 0 || board.isWhole) drawRecent(recent, ended, at);
  };

  const begin = (one) => {
    const view = broadcastPanel({ id: one.broadcast_id, kind: one.kind, href: at("broadcasts", one.broadcast_id), activity: { type: one.activity_type, href: at("activities", one.activity_id) } });
    view.update(one);
    if (live.querySelector(".broadcast") === null) live.replaceChildren();
    live.prepend(view.element);
    const entry = { element: view.element, isLingering: false };
    entry.scope = follow(scope, api, one.broadcast_id, {
      onRecord: (record) => { view.update(record); if (isFinal(record.state)) linger(one.broadcast_id, entry); },
      onProblem: problems.show,
    });
    return entry;
  };

  // What has ended stays for some seconds, so that its last counts can be read.
  const linger = async (id, entry) => {
    if (entry.isLingering) return;
    entry.isLingering = true;
    await scope.pause(8);
    entry.scope.end();
    entry.element.remove();
    panels.delete(id);
    if (!scope.isOver) draw();
  };

  const read = async (next) => {
    if (next === "started" || next === "dead") {
      const page = await api.get(withQuery("/live-activity", { state: next.toUpperCase(), limit: next === "dead" ? 8 : WATCHED }));
      board.listCame(next, page.activities);
    } else {
      try {
        board.detailsCame(await api.get(`/live-activity/${next}`), Date.now());
      } catch (problem) {
        if (problem.status !== 404) throw problem;
        board.detailsFailed(next);
      }
    }
    draw();
  };
  let isFirst = true;
  const ask = async () => {
    if (!isFirst) return read(board.next());
    await Promise.all(board.first().map(read));
    await atOnce(scope, board.due(), read);
    isFirst = false;
  };
  poll(scope, 1, ask, { onProblem: problems.show, onWell: problems.clear });

  return [
    head("Broadcasts", { lead: `Starts, updates and ends of the newest ${WATCHED} activities. Open older broadcasts by id.` }),
    problems.element,
    h("section", { "aria-label": "Running" }, h("div", { class: "section-head" }, h("h2", {}, "Running"), h("span", { class: "quiet" }, summary)), live),
    panel("Recent", recent),
    panel("Open by id", openByID(at)),
  ];
}

function drawRecent(place, list, at) {
  const key = list.map(({ broadcast_id, state, accepted }) => `${broadcast_id}${state}${accepted}`).join();
  if (place.dataset.key === key || place.contains(document.activeElement)) return;
  place.dataset.key = key;
  const top = place.firstElementChild?.scrollTop ?? 0;
  put(place, table({
    caption: "Broadcasts that have ended", rows: list, empty: "No ended broadcasts yet.",
    columns: [
      { head: "Broadcast", header: true, cell: (one) => h("a", { href: at("broadcasts", one.broadcast_id) }, one.kind, " ", broadcastID(one.broadcast_id)) },
      { head: "Activity", cell: (one) => h("a", { href: at("activities", one.activity_id) }, one.activity_type) },
      { head: "State", cell: (one) => badge(one.state) },
      { head: "Accepted", cell: (one) => { const bar = progressBar(`Accepted of ${one.kind} ${broadcastID(one.broadcast_id)}`); bar.update(one); return bar.element; } },
      { head: "of devices", numeric: true, cell: (one) => `${count(one.accepted)} / ${count(one.total)}` },
      { head: "Created", cell: (one) => when(one.created_at) },
      { head: "Took", numeric: true, cell: (one) => duration(secondsBetween(one.started_at ?? one.created_at, one.finished_at)) },
    ],
  }));
  if (place.firstElementChild) place.firstElementChild.scrollTop = top;
}

function openByID(at) {
  const input = field("Broadcast id", textInput({ class: "mono", placeholder: "4978e9e5-e872-46c3-97e6-dca11aa6a53e" }));
  const form = h("form", { class: "row" }, input.element, button("Open", null, { type: "submit" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const id = input.control.value.trim();
    input.say(/^[0-9a-fA-F-]{36}$/.test(id) ? null : "An id has 36 characters: digits, letters a to f and hyphens.");
    if (/^[0-9a-fA-F-]{36}$/.test(id)) location.hash = at("broadcasts", id);
  });
  return form;
}
