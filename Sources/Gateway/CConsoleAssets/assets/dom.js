// Elements without HTML text: data reaches the page as text nodes and attributes alone, so none of it can become markup.

const SVG = "http://www.w3.org/2000/svg";

/// An element. `props`: `class`, `on` (listeners by event), `data` (data attributes), properties of form controls, and
/// attributes; null, undefined and false leave one out. Children are nodes, texts, numbers, or arrays of these.
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props ?? {}, children);
}

/// The same in SVG.
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props ?? {}, children);
}

const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "open", "indeterminate", "htmlFor", "hidden", "multiple"]);
const REFUSED = /^(on|style$|srcdoc$)/i;

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.setAttribute("class", value);
    else if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (PROPERTIES.has(name)) element[name] = value;
    else if (REFUSED.test(name)) throw new Error(`${name} is no attribute for h()`);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

/// Appends children as `h` does.
export function add(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/// Puts children in place of what an element holds.
export function put(element, ...children) {
  element.replaceChildren();
  return add(element, children);
}

/// Sets a text only when it is another one, so that nothing is told or drawn anew for nothing.
export function setText(element, text) {
  const wanted = String(text ?? "");
  if (element.textContent !== wanted) element.textContent = wanted;
}

/// Sets or, for null, removes an attribute, only when it is another one.
export function setAttribute(element, name, value) {
  if (value === null || value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

/// A share of 0 to 1 as the custom property that the style sheet makes a width of.
export function setPart(element, fraction) {
  const part = Number.isFinite(fraction) ? Math.min(1, Math.max(0, fraction)) : 0;
  element.style.setProperty("--part", part.toFixed(5));
  element.classList.toggle("is-empty", part === 0);
  return element;
}

let last = 0;

/// An id that no other element has.
export function uniqueID(prefix = "id") {
  last += 1;
  return `${prefix}-${last}`;
}
