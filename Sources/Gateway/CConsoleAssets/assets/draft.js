// What was written last in Compose, by tenant: kept by this tab alone, also when the page is loaded anew, until somebody signs out.

import { BLANK } from "./templates.js";

const KEPT = "fanfare-console-draft-";
const FIELDS = Object.keys(BLANK);

/// Keeps what was written. Where the browser keeps nothing, or it is too much, there is no draft.
export function keepDraft(tenant, content, storage = globalThis.sessionStorage) {
  try {
    storage.setItem(KEPT + tenant, JSON.stringify(Object.fromEntries(FIELDS.map((name) => [name, content[name]]))));
  } catch {
    forgetDrafts(storage);
  }
}

/// A tenant's draft, or null.
export function draftOf(tenant, storage = globalThis.sessionStorage) {
  try {
    const content = JSON.parse(storage.getItem(KEPT + tenant));
    return FIELDS.every((name) => typeof content[name] === "string") ? content : null;
  } catch {
    return null;
  }
}

/// Forgets the drafts of all tenants.
export function forgetDrafts(storage = globalThis.sessionStorage) {
  try {
    for (const key of Object.keys(storage).filter((name) => name.startsWith(KEPT))) storage.removeItem(key);
  } catch {
    // Nothing is kept then.
  }
}

/// The content that a form begins with: the draft where it fits, else none, so that an example is never sent by mistake.
/// `type` is the type of the activity or topic; undefined for a new one.
export function beginning(tenant, type, storage = globalThis.sessionStorage) {
  const draft = draftOf(tenant, storage);
  if (type === undefined) return draft ?? BLANK;
  return draft?.type === type ? draft : { ...BLANK, type };
}
