// One topic: where it stands, who follows, its devices by state, and a timeline. It can be said to stand elsewhere, and deleted.

import { withQuery } from "./api.js";
import { progressBar, stateBar } from "./bars.js";
import { confirm } from "./dialog.js";
import { h, put, setText } from "./dom.js";
import { button, buttonLink } from "./form.js";
import { broadcastID, count, counted, duration, secondsBetween, words } from "./format.js";
import { noticePlace, tell } from "./notice.js";
import { badge, facts, head, panel, when } from "./parts.js";
import { poll } from "./poll.js";
import { address } from "./router.js";
import { paged, table } from "./table.js";
import { timelineOf } from "./timeline.js";
import { withoutDevices, workOf } from "./topic-work.js";

export async function showTopic({ scope, to, api }) {
  const at = (...parts) => address(["tenants", to.tenant, ...parts]);
  const path = `/topics/${encodeURIComponent(to.item)}`;
  let topic = await api.get(path);
  const problems = noticePlace();
  const actions = h("div", { class: "actions" });
  const bar = stateBar("Devices by state");
  const noDevices = h("p", { class: "quiet" });
  const followers = Object.fromEntries(["app", "customer", "unfollowed"].map((key) => [key, h("strong", {})]));
  const timeline = h("ol", { class: "timeline" });
  const about = h("div", {});
  let drawn = "";
  let acts = "";

  const drop = async () => {
    const { state, followers: { app, customer } } = topic;
    const done = await confirm({
      headline: `Delete topic ${topic.topic}?`, action: "Delete topic", typed: topic.topic,
      text: [
        state === "live" && h("p", {}, "The topic is live: it is ended first and disappears from the lock screens."),
        h("p", {}, "This deletes the choices of its ", h("strong", {}, counted(app + customer, "follower")), " and the customer's list."),
      ],
      work: () => api.delete(path),
    });
    if (done === null || scope.isOver) return;
    tell(`${topic.topic} is deleted.`);
    location.hash = at("topics");
  };
  const update = () => {
    const key = JSON.stringify(topic);
    if (key === drawn) return;
    drawn = key;
    const has = `${topic.state} ${topic.activity_id}`;
    if (acts !== has) {
      acts = has;
      put(actions, badge(topic.state), topic.activity_id && buttonLink("Its activity", at("activities", topic.activity_id)),
        buttonLink("Set its state", address(["tenants", to.tenant, "compose"], { topic: topic.topic })), button("Delete…", drop, { kind: "danger" }));
    }
    noDevices.hidden = topic.counts !== undefined;
    setText(noDevices, withoutDevices(topic));
    bar.element.hidden = topic.counts === undefined;
    if (topic.counts !== undefined) bar.update(topic.counts);
    for (const [name, element] of Object.entries(followers)) setText(element, count(topic.followers[name]));
    if (!timeline.contains(document.activeElement)) put(timeline, timelineOf(topic).map((entry) => timelineEntry(entry, at)));
    put(about, facts([
      ["Name", topic.name], ["Activity type", topic.activity_type], ["Sequence", topic.sequence === undefined ? null : count(topic.sequence)], ["Pending work", workOf(topic)], ["Live since", topic.live_since && when(topic.live_since)],
      ["Ends automatically", topic.ends_at && when(topic.ends_at)], ["Ended by", topic.ended_by && words(topic.ended_by)], ["Changed", when(topic.changed_at)], ["Created", when(topic.created_at)],
    ]));
  };
  update();
  poll(scope, 3, async () => { topic = await api.get(path); update(); }, { onProblem: problems.show, onWell: problems.clear });

  const listing = paged(scope, {
    label: "followers",
    load: (cursor) => api.get(withQuery(`${path}/followers`, { limit: 25, cursor })),
    show: ({ followers: list }) => table({
      caption: "Followers", rows: list, empty: "No followers yet.",
      columns: [
        { head: "User", header: true, cell: (one) => h("a", { href: address(["tenants", to.tenant, "phone"], { insider_id: one.insider_id }) }, one.insider_id) },
        { head: "Followed by", cell: (one) => (one.source === "app" ? "the user, in the app" : "the customer's list") },
      ],
    }),
  });
  listing.read();

  return [
    head(topic.topic, { back: { href: at("topics"), text: "Topics" }, actions: [actions] }),
    problems.element,
    h("ul", { class: "tiles" }, [["app", "follow in the app"], ["customer", "on the customer's list"], ["unfollowed", "have unfollowed"]].map(([key, text]) => h("li", { class: "tile" }, followers[key], h("span", {}, text)))),
    panel("Devices by state", bar.element, noDevices),
    h("div", { class: "columns" }, panel("Timeline", timeline), h("div", { class: "stack" }, panel("Facts", about), panel("Followers", listing.element))),
  ];
}

function timelineEntry({ at: time, what, broadcast }, at) {
  if (broadcast === undefined) return h("li", { class: "turn" }, when(time), h("div", {}, h("strong", {}, what)));
  const bar = progressBar(`Progress of ${broadcast.kind} ${broadcastID(broadcast.broadcast_id)}`);
  bar.update(broadcast);
  return h("li", { data: { kind: broadcast.kind } }, when(time), h("div", {},
    h("p", {}, h("a", { href: at("broadcasts", broadcast.broadcast_id) }, what), badge(broadcast.state),
      h("span", { class: "quiet small" }, `${count(broadcast.accepted)} of ${count(broadcast.total)} accepted`, broadcast.finished_at && ` in ${duration(secondsBetween(broadcast.started_at ?? broadcast.created_at, broadcast.finished_at))}`)),
    bar.element));
}
