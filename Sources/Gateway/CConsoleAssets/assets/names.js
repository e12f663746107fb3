// The names of tenants, for operators, who see many. Kept for a minute.

import { ask } from "./api.js";
import { currentSession } from "./session.js";

let known = { at: 0, tenants: [] };

/// All tenants; asked for anew when the list is older than a minute or `isFresh` is wanted.
export async function tenants({ isFresh = false, signal } = {}) {
  if (isFresh || Date.now() - known.at > 60_000) {
    const { tenants: list } = await ask("GET", "/console/operator/tenants", { signal, deadline: 30 });
    known = { at: Date.now(), tenants: list };
  }
  return known.tenants;
}

/// Forgets the list, as when a session ends.
export function forgetTenants() {
  known = { at: 0, tenants: [] };
}

/// What to call a tenant. Its id where its name is not known, also not in a list that is asked for anew.
export async function tenantName(id, signal) {
  const session = currentSession();
  if (session?.role === "tenant") return session.name;
  try {
    const named = (list) => list.find((tenant) => tenant.tenant_id === id)?.name;
    return named(await tenants({ signal })) ?? named(await tenants({ isFresh: true, signal })) ?? id;
  } catch {
    return id;
  }
}
