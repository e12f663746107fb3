// The webhooks of a tenant, a new one, and whether events are recorded.

import { idempotencyKey } from "./api.js";
import { openDialog, showSecrets } from "./dialog.js";
import { h, put } from "./dom.js";
import { button, checkbox, field, textInput } from "./form.js";
import { count, counted } from "./format.js";
import { busily, noticePlace, problemPanel, tell } from "./notice.js";
import { badge, head, panel, when } from "./parts.js";
import { poll } from "./poll.js";
import { address } from "./router.js";
import { table } from "./table.js";

export const EVENT_TYPES = [
  "push.live_activity_started", "push.live_activity_synced", "push.live_activity_updated", "push.live_activity_ended", "push.live_activity_invalidated", "push.live_activity_tapped",
  "push.live_activity_dismissed", "broadcast.finished", "activity.expired", "activity.update_budget", "audit.recorded", "quota.near", "quota.reached",
];

export async function showWebhooks({ scope, to, api }) {
  const problems = noticePlace();
  const list = h("div", {});
  let drawn = "";
  const read = async () => {
    const { webhooks } = await api.get("/webhooks");
    const key = JSON.stringify(webhooks);
    if (key === drawn || list.contains(document.activeElement)) return;
    drawn = key;
    put(list, webhookTable(webhooks, to.tenant));
  };
  await read();
  poll(scope, 4, read, { onProblem: problems.show, onWell: problems.clear });
  const create = async () => {
    const made = await createWebhook(api);
    if (made === null || scope.isOver) return;
    await showSecrets("The webhook's secret", [["Secret", made.secret]], "It signs all deliveries. It is shown only once.");
    if (!scope.isOver) location.hash = address(["tenants", to.tenant, "webhooks", made.id]);
  };
  return [
    head("Webhooks", { lead: "Receivers of events about devices and broadcasts.", actions: [button("Create webhook…", create, { kind: "primary" })] }),
    problems.element, list, panel("Event stream", streamSettings(api)),
  ];
}

function webhookTable(webhooks, tenant) {
  return table({
    caption: "Webhooks", rows: webhooks, empty: "No webhooks yet.",
    columns: [
      { head: "Receiver", header: true, cell: (one) => h("a", { href: address(["tenants", tenant, "webhooks", one.id]) }, one.url) },
      { head: "State", cell: (one) => [badge(one.enabled ? "on" : "off"), one.disabled_reason && h("span", { class: "quiet small" }, ` ${one.disabled_reason}`)] },
      { head: "Delivered", numeric: true, cell: (one) => count(one.delivered) },
      { head: "Failed", numeric: true, cell: (one) => count(one.failed_attempts) },
      { head: "Consecutive", numeric: true, cell: (one) => (one.failures_in_a_row >= 5 ? h("strong", { class: "bad-text" }, count(one.failures_in_a_row)) : count(one.failures_in_a_row)) },
      { head: "Last delivery", cell: (one) => when(one.last_delivery_at) },
      { head: "Last error", cell: (one) => h("span", { class: "clip", title: one.last_error ?? null }, one.last_error ?? "—") },
    ],
  });
}

/// Asks for a receiver and its types of events, and makes a webhook. Answers with it and its secret.
function createWebhook(api) {
  const key = idempotencyKey();
  return openDialog("Create a webhook", (close, place) => {
    const url = field("URL", textInput({ type: "url", placeholder: "https://example.com/fanfare", maxlength: 2048 }), { hint: "https, with a public host." });
    const types = EVENT_TYPES.map((type) => checkbox(type, { value: type }));
    const group = h("fieldset", {}, h("legend", {}, "Types of events"), h("p", { class: "hint" }, "If you select none, all types are sent."), h("div", { class: "checks" }, types.map(({ element }) => element)));
    const go = button("Create webhook", () => busily(go, place, async () => {
      url.say(url.control.value.trim() === "" ? "Enter a URL." : null);
      if (url.control.value.trim() === "") return;
      const chosen = types.filter(({ control }) => control.checked).map(({ control }) => control.value);
      const body = { url: url.control.value.trim(), ...(chosen.length > 0 && { types: chosen }) };
      close(await api.post("/webhooks", { body, headers: { "Idempotency-Key": `${key}-${digest(JSON.stringify(body))}` } }));
    }), { kind: "primary" });
    return { body: [url.element, group], buttons: [button("Cancel", () => close(null)), go] };
  });
}

/// Another body is another wish, and so has another key.
function digest(text) {
  let sum = 0;
  for (const letter of text) sum = (sum * 31 + letter.codePointAt(0)) >>> 0;
  return sum.toString(16);
}

function streamSettings(api) {
  const place = h("div", {}, h("p", { class: "quiet" }, "…"));
  const problems = h("div", { class: "notice-place" });
  const draw = (settings) => {
    const boxes = { stream: checkbox("Record events in the event stream", { checked: settings.stream }), audit: checkbox("Also record changes as events (audit.recorded)", { checked: settings.audit }) };
    for (const [name, { control }] of Object.entries(boxes)) control.addEventListener("change", () => busily(control, problems, async () => {
      try {
        draw(await api.put("/events/settings", { body: { [name]: control.checked } }));
        tell("Settings saved.");
      } catch (problem) {
        control.checked = !control.checked;
        throw problem;
      }
    }));
    put(place, boxes.stream.element, boxes.audit.element, h("p", { class: "quiet" }, `${counted(settings.stream_length, "event")} in the stream. The Phone page uses it to show a user's pushes.`));
  };
  const read = () => api.get("/events/settings").then(draw, (problem) => { if (problem.code !== "CANCELED") put(place, problemPanel(problem, read)); });
  read();
  return [place, problems];
}
