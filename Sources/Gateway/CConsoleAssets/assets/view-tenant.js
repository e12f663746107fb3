// One tenant for an operator: its switch, tier, keys and limits.

import { Problem } from "./api.js";
import { confirm, showSecrets } from "./dialog.js";
import { h, put } from "./dom.js";
import { button, buttonLink, field, select } from "./form.js";
import { duration, moment, signatureWords } from "./format.js";
import { limitEditor } from "./limit-editor.js";
import { forgetTenants, tenants } from "./names.js";
import { tell } from "./notice.js";
import { badge, code, facts, head, panel, when } from "./parts.js";
import { address } from "./router.js";
import { table } from "./table.js";
import { TIERS } from "./view-tenants.js";

const KINDS = { api: "API key", sdk: "SDK key", identity: "Identity secret" };
const OVERLAPS = [["0", "none: the current key ends at once"], ["3600", "an hour"], ["86400", "a day"], ["604800", "a week"]];

export async function showTenant({ scope, to, operator }) {
  const read = async () => {
    const found = (await tenants({ isFresh: true, signal: scope.signal })).find((one) => one.tenant_id === to.tenant);
    if (found === undefined) throw new Problem({ status: 404, code: "NOT_FOUND", text: "The tenant does not exist." });
    return found;
  };
  let tenant = await read();
  const body = h("div", { class: "stack" });
  const path = `/tenants/${encodeURIComponent(to.tenant)}`;
  const change = (wish) => operator("PATCH", path, { body: wish });
  const took = (value) => { tenant = value; forgetTenants(); if (!scope.isOver) draw(); };

  const switchIt = async () => {
    const isOn = tenant.enabled;
    const reply = await confirm({
      headline: `${isOn ? "Disable" : "Enable"} ${tenant.name}?`, action: isOn ? "Disable tenant" : "Enable tenant", isDangerous: isOn, typed: isOn ? tenant.name : undefined,
      text: h("p", {}, isOn ? "Its calls get 403 at all gateways. Reports of its phones are dropped." : "All gateways accept its calls again."),
      work: () => change({ enabled: !isOn }),
    });
    if (reply === null) return;
    took(reply);
    tell(`${reply.name} is ${reply.enabled ? "enabled" : "disabled"}.`);
  };
  const setTier = async (tier, control) => {
    const reply = await confirm({ headline: `Set ${tenant.name} to ${tier}?`, action: "Set tier", isDangerous: false, text: h("p", {}, `The current tier is ${tenant.tier}. The change applies to all gateways.`), work: () => change({ tier }) });
    if (reply === null) control.value = tenant.tier;
    else { took(reply); tell(`The tier is ${reply.tier}.`); }
  };
  const rotate = async (kind) => {
    const overlap = field("The current key still works for", select(OVERLAPS, "86400"));
    const reply = await confirm({
      headline: `Rotate the ${KINDS[kind]} of ${tenant.name}?`, action: "Rotate", isDangerous: true,
      text: [h("p", {}, "A new key is created and shown once. All its users need the new key within the overlap."), overlap.element],
      work: () => operator("POST", `${path}/rotate-key`, { body: { kind, overlap: Number(overlap.control.value) } }),
    });
    if (reply === null) return;
    await showSecrets(`The new ${KINDS[kind]}`, [[KINDS[kind], reply.secret]], reply.valid_until ? `The previous key works until ${moment(reply.valid_until)}. The new key is shown only once.` : undefined);
    if (!scope.isOver) took(await read());
  };

  const draw = () => {
    const tier = select(TIERS.includes(tenant.tier) ? TIERS : [tenant.tier, ...TIERS], tenant.tier);
    tier.addEventListener("change", () => setTier(tier.value, tier));
    put(body,
      panel("State", facts([["Tenant", code(tenant.tenant_id)], ["State", badge(tenant.enabled ? "on" : "off", tenant.enabled ? "enabled" : "disabled")], ["Identity signatures", signatureWords(tenant.signatures)]]),
        h("div", { class: "row" }, field("Tier", tier, { isInline: true }).element, button(tenant.enabled ? "Disable tenant…" : "Enable tenant…", switchIt, { kind: tenant.enabled ? "danger" : "primary" }))),
      panel("Keys", keyTable(tenant.keys), h("div", { class: "row-actions" }, Object.entries(KINDS).map(([kind, name]) => button(`Rotate ${name}…`, () => rotate(kind))))),
      panel("Limits", limitEditor(tenant, change, took)));
  };
  draw();
  return [
    head(tenant.name, { back: { href: "#/tenants", text: "Tenants" }, lead: "Keys, limits and state of this tenant.", actions: [buttonLink("Its broadcasts", address(["tenants", to.tenant, "broadcasts"]))] }),
    body,
  ];
}

function keyTable(keys) {
  return table({
    caption: "Keys", rows: keys, empty: "No keys.",
    columns: [
      { head: "Kind", header: true, cell: (one) => KINDS[one.kind] ?? one.kind },
      { head: "SHA-256 starts with", cell: (one) => code(one.sha256) },
      { head: "State", cell: (one) => (one.valid_until === undefined ? badge("on", "present") : badge("pending", "overlap")) },
      { head: "Valid until", cell: (one) => (one.valid_until === undefined ? "—" : [when(one.valid_until), h("span", { class: "quiet small" }, ` in ${duration(Math.max(0, (Date.parse(one.valid_until) - Date.now()) / 1000))}`)]) },
    ],
  });
}
