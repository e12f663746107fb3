// Fields with a label, a hint and a place for what is wrong with them.

import { h, setText, uniqueID } from "./dom.js";

/// A labelled control. `control` gets the id; a hint and a problem describe it.
export function field(label, control, { hint, isInline = false } = {}) {
  const id = control.id || uniqueID("field");
  control.id = id;
  const problem = h("p", { class: "field-problem", id: `${id}-problem`, hidden: true });
  const note = hint && h("p", { class: "hint", id: `${id}-hint` }, hint);
  control.setAttribute("aria-describedby", [hint && `${id}-hint`, `${id}-problem`].filter(Boolean).join(" "));
  return {
    control,
    element: h("div", { class: isInline ? "field inline" : "field" }, h("label", { htmlFor: id }, label), control, note, problem),
    /// Says what is wrong with it; null for nothing.
    say(text) {
      setText(problem, text ?? "");
      problem.hidden = !text;
      if (text) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    },
  };
}

/// A line of text.
export function textInput(props = {}) {
  return h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...props });
}

/// A choice of a few, each a text or a pair of value and text.
export function select(options, value, props = {}) {
  const control = h("select", props, options.map((option) => {
    const [key, text] = Array.isArray(option) ? option : [option, option];
    return h("option", { value: key, selected: key === value }, text);
  }));
  if (value !== undefined) control.value = value;
  return control;
}

/// A box to tick with its label.
export function checkbox(label, props = {}) {
  const id = uniqueID("box");
  const control = h("input", { type: "checkbox", id, ...props });
  return { control, element: h("div", { class: "check" }, control, h("label", { htmlFor: id }, label)) };
}

/// A button.
export function button(text, click, { kind = "", ...props } = {}) {
  return h("button", { type: "button", class: `button ${kind}`.trim(), on: { click }, ...props }, text);
}

/// A link that looks like a button.
export function buttonLink(text, href, kind = "") {
  return h("a", { class: `button ${kind}`.trim(), href }, text);
}
