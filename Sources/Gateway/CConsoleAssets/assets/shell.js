// What stands around a view: the navigation, who is signed in, the theme.

import { h, put, setAttribute, setText } from "./dom.js";
import { icon, sign } from "./icons.js";
import { address, TENANT_VIEWS } from "./router.js";
import { chosenTheme, setTheme, THEMES } from "./theme.js";

const TITLES = { gateway: "Gateway", tenants: "Tenants", tenant: "Keys and limits", broadcasts: "Broadcasts", activities: "Activities", topics: "Topics", segments: "Segments", compose: "Compose", phone: "Phone", webhooks: "Webhooks", limits: "Limits" };

/// Builds the shell once for a session. `show(destination, tenantName)` marks where one is.
export function buildShell(place, { session, signOut }) {
  const main = h("main", { id: "main", tabindex: "-1" });
  const links = h("div", { class: "nav-links", id: "nav-links" });
  const toggle = h("button", { type: "button", class: "button icon-button menu", "aria-expanded": "false", "aria-controls": "nav-links" }, icon("menu"), h("span", {}, "Menu"));
  const nav = h("nav", { class: "side", "aria-label": "Console" },
    h("div", { class: "side-head" }, h("a", { class: "brand", href: "#/" }, sign(), h("span", {}, "Fanfare")), toggle),
    links);
  const set = (isOpen) => { setAttribute(toggle, "aria-expanded", isOpen); nav.classList.toggle("is-open", isOpen); };
  toggle.addEventListener("click", () => set(toggle.getAttribute("aria-expanded") !== "true"));
  nav.addEventListener("keydown", (event) => { if (event.key === "Escape" && nav.classList.contains("is-open")) { set(false); toggle.focus(); } });
  put(place, nav, main, h("div", { id: "told", role: "status", "aria-live": "polite" }));
  const name = h("span", { class: "tenant-name" });
  let named = null;
  return {
    main,
    show(destination) {
      set(false);
      if (destination?.tenant !== named) setText(name, destination?.tenant ?? "");
      named = destination?.tenant;
      put(links, navigation(session, destination, name), footer(session, signOut));
    },
    nameTenant(text) {
      setText(name, text);
      setAttribute(name, "title", text);
    },
  };
}

function link(name, href, destination) {
  const isHere = (destination?.section ?? destination?.name) === name;
  return h("li", {}, h("a", { href, "aria-current": isHere ? "page" : null }, icon(name), TITLES[name]));
}

function navigation(session, destination, tenantName) {
  const isOperator = session.role === "operator";
  const tenant = isOperator ? destination?.tenant : session.tenant_id;
  return [
    isOperator && h("div", { class: "nav-group" }, h("h2", { class: "nav-head", id: "nav-gateway" }, "Gateway"),
      h("ul", { "aria-labelledby": "nav-gateway" }, link("gateway", "#/gateway", destination), link("tenants", "#/tenants", destination))),
    tenant !== undefined && h("div", { class: "nav-group" },
      h("h2", { class: "nav-head", id: "nav-tenant" }, "Tenant"),
      h("p", { class: "nav-tenant" }, tenantName, isOperator && h("a", { href: "#/tenants", "aria-label": "Change tenant" }, "change")),
      h("ul", { "aria-labelledby": "nav-tenant" },
        TENANT_VIEWS.map((view) => link(view, address(["tenants", tenant, view]), destination)),
        isOperator && link("tenant", address(["tenants", tenant]), destination))),
  ];
}

function footer(session, signOut) {
  const group = "theme";
  const theme = h("fieldset", { class: "theme" }, h("legend", { class: "hidden" }, "Theme"), THEMES.map((value) => {
    const id = `theme-${value}`;
    const input = h("input", { type: "radio", name: group, id, value, checked: value === chosenTheme(), on: { change: () => setTheme(value) } });
    return [input, h("label", { htmlFor: id }, value[0].toUpperCase() + value.slice(1))];
  }));
  return h("div", { class: "side-foot" }, theme,
    h("p", { class: "who" }, h("span", { class: "quiet" }, session.role === "operator" ? "Operator" : "Tenant"), h("span", { class: "who-name", title: session.name }, session.name)),
    h("button", { type: "button", class: "button wide", on: { click: signOut } }, "Sign out"));
}
