// All tenants, and a new one.

import { openDialog, showSecrets } from "./dialog.js";
import { h, put, setText } from "./dom.js";
import { button, buttonLink, field, select, textInput } from "./form.js";
import { count, counted, signatureWords } from "./format.js";
import { tenants } from "./names.js";
import { busily } from "./notice.js";
import { badge, head } from "./parts.js";
import { address } from "./router.js";
import { table } from "./table.js";

export const TIERS = ["starter", "growth", "enterprise"];
/// How many are shown; the filter finds the others.
const SHOWN = 100;

export async function showTenants({ scope, operator }) {
  const all = await tenants({ isFresh: true, signal: scope.signal });
  const filter = field("Filter", textInput({ type: "search", placeholder: "name or id" }), { isInline: true });
  const list = h("div", {});
  const said = h("p", { class: "quiet", role: "status" });
  const draw = () => {
    const wanted = filter.control.value.trim().toLowerCase();
    const found = all.filter((one) => one.name.toLowerCase().includes(wanted) || one.tenant_id.startsWith(wanted));
    setText(said, found.length > SHOWN ? `${counted(found.length, "tenant")}, the first ${SHOWN} are shown.` : counted(found.length, "tenant"));
    put(list, tenantTable(found.slice(0, SHOWN)));
  };
  filter.control.addEventListener("input", draw);
  draw();
  const create = async () => {
    const made = await createTenant(operator);
    if (made === null) return;
    await showSecrets("The tenant's keys", [["API key", made.api_key], ["SDK key", made.sdk_key], ["Identity secret", made.identity_secret]], "They are shown only once and not stored.");
    await tenants({ isFresh: true });
    if (!scope.isOver) location.hash = address(["tenants", made.tenant_id]);
  };
  return [
    head("Tenants", { lead: "Customers of this gateway. Choose a tenant to see its broadcasts.", actions: [button("Create tenant…", create, { kind: "primary" })] }),
    h("div", { class: "filters" }, filter.element, said), list,
  ];
}

function tenantTable(rows) {
  return table({
    caption: "Tenants", rows, empty: "No matching tenants.",
    columns: [
      { head: "Tenant", header: true, cell: (one) => [h("a", { href: address(["tenants", one.tenant_id, "broadcasts"]) }, one.name), h("div", { class: "quiet small mono" }, one.tenant_id)] },
      { head: "State", cell: (one) => badge(one.enabled ? "on" : "off", one.enabled ? "enabled" : "disabled") },
      { head: "Tier", cell: (one) => one.tier },
      { head: "Signatures", cell: (one) => signatureWords(one.signatures) },
      { head: "Keys", numeric: true, cell: (one) => count(one.keys.length) },
      { head: "Own limits", numeric: true, cell: (one) => count(one.limits.filter((limit) => !limit.default).length) },
      { head: "Actions", cell: (one) => buttonLink("Keys and limits", address(["tenants", one.tenant_id]), "small") },
    ],
  });
}

function createTenant(operator) {
  return openDialog("Create a tenant", (close, place) => {
    const name = field("Name", textInput({ maxlength: 250 }));
    const tier = field("Tier", select(TIERS, "enterprise"), { hint: "Below the tier that the gateway requires, calls get 402." });
    const go = button("Create tenant", () => busily(go, place, async () => {
      const value = name.control.value.trim();
      name.say(value === "" ? "Enter a name." : null);
      if (value !== "") close(await operator("POST", "/tenants", { body: { name: value, tier: tier.control.value } }));
    }), { kind: "primary" });
    return { body: [h("p", {}, "It gets an API key, an SDK key and an identity secret, which are shown only once."), name.element, tier.element], buttons: [button("Cancel", () => close(null)), go] };
  });
}
