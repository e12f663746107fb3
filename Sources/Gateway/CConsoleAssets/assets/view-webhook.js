// One webhook: how deliveries go, its attempts and dead letters, and what can be done with it.

import { idempotencyKey } from "./api.js";
import { deadLetters } from "./dead-letters.js";
import { confirm, showSecrets } from "./dialog.js";
import { h, put } from "./dom.js";
import { button } from "./form.js";
import { count, duration } from "./format.js";
import { busily, noticePlace, tell } from "./notice.js";
import { badge, code, facts, head, panel, when } from "./parts.js";
import { poll } from "./poll.js";
import { address } from "./router.js";
import { table } from "./table.js";

export async function showWebhook({ scope, to, api }) {
  const path = `/webhooks/${encodeURIComponent(to.item)}`;
  let webhook = await api.get(path);
  const problems = noticePlace();
  const acted = h("div", { class: "notice-place" });
  const state = h("span", {});
  const tiles = h("ul", { class: "tiles" });
  const about = h("div", {});
  const attempts = h("div", {});
  const toggle = button("", () => switchIt());
  const drawn = {};
  const isNew = (key, value) => { const text = JSON.stringify(value); const changed = drawn[key] !== text; drawn[key] = text; return changed; };

  const update = () => {
    if (!isNew("webhook", webhook)) return;
    put(state, badge(webhook.enabled ? "on" : "off"));
    toggle.textContent = webhook.enabled ? "Disable…" : "Enable";
    put(tiles, [["delivered", webhook.delivered], ["failed attempts", webhook.failed_attempts], ["failures in a row", webhook.failures_in_a_row], ["waiting", webhook.pending], ["dead letters", webhook.dead_letters]]
      .map(([name, value]) => h("li", { class: `tile ${name === "dead letters" && value > 0 ? "bad" : ""}` }, h("strong", {}, count(value)), h("span", {}, name))));
    put(about, facts([
      ["Webhook", code(webhook.id)], ["URL", webhook.url], ["Types of events", (webhook.types ?? []).join(", ") || "all"], ["Created", when(webhook.created_at)],
      ["Last delivery", when(webhook.last_delivery_at)], ["Last failure", when(webhook.last_failure_at)], ["Last error", webhook.last_error],
      ["Disabled because", webhook.disabled_reason], ["Old secret signs until", webhook.old_secret_until && when(webhook.old_secret_until)], ["Dropped dead letters", webhook.dropped > 0 ? count(webhook.dropped) : null],
    ]));
  };
  const read = async () => {
    webhook = await api.get(path);
    update();
    const { attempts: list } = await api.get(`${path}/attempts?limit=50`);
    if (isNew("attempts", list)) put(attempts, attemptTable(list));
  };
  const post = (behind, body) => api.post(`${path}${behind}`, { ...(body && { body }), headers: { "Idempotency-Key": idempotencyKey() } });
  const switchIt = async () => {
    const set = (enabled) => api.patch(path, { body: { enabled } });
    if (!webhook.enabled) await busily(toggle, acted, () => set(true));
    else await confirm({ headline: "Disable the webhook?", action: "Disable", text: h("p", {}, "No events are sent to ", code(webhook.url), " until you enable it again."), work: () => set(false) });
    if (!scope.isOver) await read();
  };
  const test = button("Send test event", () => busily(test, acted, async () => {
    const { event_id: id } = await post("/test");
    tell(`Test event ${id} is on its way. Its attempt appears below.`);
  }));
  const rotate = button("Rotate secret…", async () => {
    const reply = await confirm({ headline: "Rotate the secret?", action: "Rotate secret", isDangerous: false, text: h("p", {}, "Creates a new secret for ", code(webhook.url), ". Both secrets sign for a day."), work: () => post("/rotate-secret") });
    if (reply !== null) await showSecrets("The new secret", [["Secret", reply.secret]], "It is shown only once. The old secret also signs for a day.");
    if (!scope.isOver) await read();
  });
  const drop = button("Delete…", async () => {
    const done = await confirm({ headline: "Delete the webhook?", action: "Delete webhook", text: h("p", {}, code(webhook.url), " gets no more events, and its pending events are deleted."), work: () => api.delete(path) });
    if (done === null || scope.isOver) return;
    tell("The webhook is deleted.");
    location.hash = address(["tenants", to.tenant, "webhooks"]);
  }, { kind: "danger" });

  update();
  poll(scope, 4, read, { onProblem: problems.show, onWell: problems.clear });
  return [
    head(hostOf(webhook.url), { back: { href: address(["tenants", to.tenant, "webhooks"]), text: "Webhooks" }, actions: [state, test, toggle, rotate, drop] }),
    problems.element, acted, tiles,
    panel("Attempts", h("p", { class: "quiet" }, "Attempts of the last day, newest first."), attempts),
    panel("Dead letters", deadLetters(scope, api, path, post)),
    panel("Facts", about),
  ];
}

function hostOf(url) {
  try {
    return new URL(url).host;
  } catch {
    return "Webhook";
  }
}

function attemptTable(list) {
  return table({
    caption: "Attempts", rows: list, empty: "No attempts in the last day.",
    columns: [
      { head: "At", header: true, cell: (one) => when(one.at) },
      { head: "Event", cell: (one) => [one.type, " ", h("span", { class: "quiet small clip", title: one.event_id }, one.event_id)] },
      { head: "Attempt", numeric: true, cell: (one) => count(one.attempt) },
      { head: "Outcome", cell: (one) => (one.delivered ? badge("delivered") : badge("failed", one.failure)) },
      { head: "Status", numeric: true, cell: (one) => one.status ?? "—" },
      { head: "Took", numeric: true, cell: (one) => duration(one.duration_ms / 1000) },
      { head: "Answer", cell: (one) => h("span", { class: "clip", title: one.error ?? one.answer ?? null }, one.error ?? one.answer ?? "") },
    ],
  });
}
