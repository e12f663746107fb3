// Who is signed in.

import { ask, useSession } from "./api.js";
import { forgetDrafts } from "./draft.js";

// The token is kept where pages of this address alone can read it. Without the cookie, which no page can, it is worth nothing.
const KEPT = "fanfare-console-token";

let session = null;
let whenOver = () => {};

/// The session, or null.
export function currentSession() {
  return session;
}

/// Looks whether somebody is signed in already. `over` is called once for each session that ends by itself.
export async function beginSession(over) {
  whenOver = over;
  const token = localStorage.getItem(KEPT);
  if (token === null) return null;
  useSession(token);
  try {
    keep({ ...await ask("GET", "/console/session", { isSignIn: true }), token });
  } catch (problem) {
    if (problem.status !== 401) throw problem;
    keep(null);
  }
  return session;
}

/// Signs in with a key, which is kept nowhere.
export async function signIn(key) {
  keep(await ask("POST", "/console/session", { body: { key }, isSignIn: true }));
  return session;
}

/// Signs out, also where the gateway does not know the session any more. What was written goes with it.
export async function signOut() {
  try {
    await ask("DELETE", "/console/session", { isSignIn: true });
  } catch (problem) {
    if (problem.status !== 401) throw problem;
  }
  forgetDrafts();
  keep(null);
}

function keep(value) {
  session = value;
  if (value === null) localStorage.removeItem(KEPT);
  else localStorage.setItem(KEPT, value.token);
  useSession(value?.token ?? null, () => {
    if (session === null) return;
    keep(null);
    whenOver();
  });
}
