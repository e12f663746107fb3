// Addresses of views: `#/tenants/ID/activities/AID?state=STARTED`. Pure.

/// The parts and the query of an address. Parts that cannot be decoded name nothing.
export function parse(hash) {
  const text = String(hash ?? "").replace(/^#/, "");
  const [path, query = ""] = text.split(/\?(.*)/s);
  const parts = path.split("/").filter((part) => part !== "").map(decoded);
  return { parts, query: new URLSearchParams(query) };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

/// The address of a view; what is empty in the query is left out.
export function address(parts, query = {}) {
  const path = parts.map((part) => encodeURIComponent(part)).join("/");
  const given = Object.entries(query).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const text = new URLSearchParams(given).toString();
  return `#/${path}${text === "" ? "" : `?${text}`}`;
}

/// The views of a tenant, in the order of the navigation.
export const TENANT_VIEWS = ["broadcasts", "activities", "topics", "segments", "compose", "phone", "webhooks", "limits"];

/// Which view an address means: its name, its tenant, what it names beside. Null when none is meant.
export function destination({ parts, query }) {
  const [first, tenant, view, item, ...more] = parts;
  if (first === undefined) return { name: "home", query };
  if (first === "gateway" && parts.length === 1) return { name: "gateway", query };
  if (first !== "tenants" || more.length > 0) return null;
  if (tenant === undefined) return { name: "tenants", query };
  if (view === undefined) return { name: "tenant", tenant, query };
  if (!TENANT_VIEWS.includes(view)) return null;
  if (item === undefined) return { name: view, tenant, query };
  const single = { broadcasts: "broadcast", activities: "activity", topics: "topic", webhooks: "webhook" }[view];
  return single === undefined ? null : { name: single, section: view, tenant, item, query };
}
