// The page: signs in, shows the view that the address means, and ends the one before.

import { ask, Problem, tenantAPI } from "./api.js";
import { h, put } from "./dom.js";
import { buttonLink } from "./form.js";
import { forgetTenants, tenantName } from "./names.js";
import { problemPanel, tell, waiting } from "./notice.js";
import { head } from "./parts.js";
import { address, destination, parse } from "./router.js";
import { Scope } from "./scope.js";
import { beginSession, currentSession, signOut } from "./session.js";
import { buildShell } from "./shell.js";
import { beginTheme } from "./theme.js";
import { showSignIn } from "./view-signin.js";
import { VIEWS } from "./views.js";

const place = document.getElementById("shell");
let shell = null;
let scope = null;

function toSignIn(reason) {
  scope?.end();
  shell = null;
  forgetTenants();
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  showSignIn(place, { reason, done: enter });
}

function enter() {
  const leave = async () => {
    try {
      await signOut();
      toSignIn();
    } catch (problem) {
      put(shell.main, problemPanel(problem, leave));
    }
  };
  shell = buildShell(place, { session: currentSession(), signOut: leave });
  show();
}

function home(session) {
  return session.role === "operator" ? "#/gateway" : address(["tenants", session.tenant_id, "broadcasts"]);
}

/// Shows what the address means, in a new scope.
async function show() {
  const session = currentSession();
  if (session === null || shell === null) return;
  const to = destination(parse(location.hash));
  if (to?.name === "home") return location.replace(home(session));
  scope?.end();
  const mine = scope = new Scope();
  const main = shell.main;
  const allowed = to !== null && (session.role === "operator" ? true : to.tenant === session.tenant_id && to.name !== "tenant");
  shell.show(to);
  if (to?.tenant !== undefined) tenantName(to.tenant, mine.signal).then((name) => { if (!mine.isOver) shell?.nameTenant(name); });
  put(main, waiting());
  window.scrollTo(0, 0);
  try {
    if (!allowed) throw new Problem({ status: 404, code: "NOT_FOUND", text: "The page does not exist." });
    const api = to.tenant === undefined ? null : tenantAPI(to.tenant, mine.signal);
    const operator = (method, path, options = {}) => ask(method, `/console/operator${path}`, { signal: mine.signal, ...options });
    const view = await VIEWS[to.name]({ main, scope: mine, to, api, operator, session });
    if (mine.isOver) return;
    if (view !== undefined) put(main, view);
  } catch (problem) {
    if (mine.isOver || problem.code === "CANCELED") return;
    if (!(problem instanceof Problem)) console.error(problem);
    put(main, head("Not shown"), problemPanel(problem, show), h("p", {}, buttonLink("To the start page", "#/")));
  }
  arrive(main);
}

/// Says where one is: the title, and the focus on the headline.
function arrive(main) {
  const headline = main.querySelector("h1");
  document.title = `${headline?.textContent ?? "Console"} · Fanfare`;
  headline?.focus({ preventScroll: true });
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  (document.querySelector("main h1") ?? document.getElementById("main"))?.focus();
});
window.addEventListener("hashchange", show);
// What an action could not do, and has no place of its own to say so.
window.addEventListener("unhandledrejection", (event) => {
  if (!(event.reason instanceof Problem)) return;
  event.preventDefault();
  if (event.reason.code !== "CANCELED" && event.reason.status !== 401) tell(`${event.reason.message} (${event.reason.code})`);
});
beginTheme();

async function begin() {
  put(place, waiting("Checking the session…"));
  try {
    const session = await beginSession(() => toSignIn("The session has ended. Sign in again to continue on this page."));
    if (session === null) toSignIn();
    else enter();
  } catch (problem) {
    put(place, problemPanel(problem, begin));
  }
}
begin();
