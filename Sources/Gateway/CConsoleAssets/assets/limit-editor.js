// The limits of a tenant, each of which an operator sets or gives back to the default.

import { h } from "./dom.js";
import { button, textInput } from "./form.js";
import { count, words } from "./format.js";
import { busily, tell } from "./notice.js";
import { table } from "./table.js";

/// The table. `change(wish)` asks the gateway, `took(tenant)` is told the answer.
export function limitEditor(tenant, change, took) {
  const problems = h("div", { class: "notice-place" });
  const set = (name, control, from) => busily(from, problems, async () => {
    const text = control.value.trim().replaceAll(",", "");
    if (!/^[1-9][0-9]{0,14}$/.test(text)) {
      control.setAttribute("aria-invalid", "true");
      return control.focus();
    }
    took(await change({ limits: { [name]: Number(text) } }));
    tell(`${words(name)} is ${count(Number(text))}.`);
  });
  const reset = (name, from) => busily(from, problems, async () => {
    took(await change({ limits: { [name]: null } }));
    tell(`${words(name)} is reset to its default.`);
  });
  return [problems, table({
    caption: "Limits", rows: tenant.limits, empty: "No limits.",
    columns: [
      { head: "Limit", header: true, cell: (one) => words(one.name) },
      { head: "Now", numeric: true, cell: (one) => (one.limit === undefined ? "no limit" : count(one.limit)) },
      { head: "Set by", cell: (one) => (one.default ? h("span", { class: "quiet" }, "default") : "operator") },
      { head: "New value", cell: (one) => {
        const control = textInput({ inputmode: "numeric", class: "narrow", "aria-label": `New value of ${words(one.name)}` });
        const go = button("Set", () => set(one.name, control, go), { kind: "small", "aria-label": `Set ${words(one.name)}` });
        control.addEventListener("keydown", (event) => { if (event.key === "Enter") go.click(); });
        const back = !one.default && button("Default", () => reset(one.name, back), { kind: "small", "aria-label": `Reset ${words(one.name)} to its default` });
        return h("div", { class: "row-actions" }, control, go, back);
      } },
    ],
  })];
}
