// The form of a content: fields, what is wrong with them, and the size of the push that comes of them.

import { h, setPart, setText } from "./dom.js";
import { beginning, keepDraft } from "./draft.js";
import { button, checkbox, field, select, textInput } from "./form.js";
import { count } from "./format.js";
import { objectOf, objectProblem } from "./json-text.js";
import { LIMITS, payloadLength } from "./requests.js";
import { TEMPLATES } from "./templates.js";

/// What the content may be for: whether it needs an alert, whether attributes go along, and what is said of the alert.
const PURPOSES = {
  start: { needsAlert: true, hasAttributes: true },
  update: { needsAlert: false, hasAttributes: false, hint: "Without title and message the update is silent." },
  restart: { needsAlert: true, hasAttributes: true },
  topic: { needsAlert: false, hasAttributes: true, hint: "A topic needs title and message to go live. Later updates without them are silent." },
};

/// The form. `purpose` is one of those above, `type` that of what there is already, `attributeKey` the key under which its id
/// joins the attributes; `onChange` is told of each change.
export function contentForm({ tenant, purpose, type, attributeKey, onChange }) {
  const { needsAlert, hasAttributes, hint } = PURPOSES[purpose];
  const isNew = type === undefined;
  const start = beginning(tenant, type);
  const area = (value, rows) => h("textarea", { rows, value, class: "mono", spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
  const fields = {
    type: field("Activity type", textInput({ value: start.type, maxlength: 250, disabled: !isNew }), { hint: "The name of the app's ActivityAttributes type, case-sensitive." }),
    title: field("Title", textInput({ value: start.title, spellcheck: "true" }), { hint }),
    message: field("Message", textInput({ value: start.message, spellcheck: "true" })),
    contentState: field("content_state", area(start.contentState, 8), { hint: "The dynamic part, as JSON. Phones receive it byte for byte." }),
    attributes: field("attributes", area(start.attributes, 5), { hint: "The fixed part, as JSON. Only the start contains it." }),
  };
  const settings = settingFields();
  const size = sizeMeter();
  const content = () => Object.fromEntries(Object.entries(fields).map(([name, { control }]) => [name, control.value]));

  const change = () => {
    const now = content();
    fields.contentState.say(objectProblem(now.contentState));
    fields.attributes.say(hasAttributes && now.attributes.trim() !== "" ? objectProblem(now.attributes) : null);
    size.update(payloadLength({ event: hasAttributes ? "start" : "update", type: now.type, content: now, attributeKey: isNew ? settings.attribute.control.value.trim() : attributeKey }));
    onChange({ ...now, state: objectOf(now.contentState), attributes: objectOf(now.attributes) });
  };
  const write = () => keepDraft(tenant, content());
  const fill = (template) => { for (const [name, { control }] of Object.entries(fields)) control.value = template[name]; check(); write(); };
  /// Looks at all of it; answers whether it can be sent, with the focus on what is wrong first.
  const check = () => {
    change();
    const now = content();
    fields.type.say(now.type.trim() === "" ? "Enter the activity type." : null);
    fields.title.say(needsAlert && now.title === "" ? "A start needs a title." : !needsAlert && (now.title === "") !== (now.message === "") ? "Enter both title and message, or neither." : null);
    fields.message.say(needsAlert && now.message === "" ? "A start needs a message." : null);
    const wrong = Object.values(fields).find(({ control }) => control.getAttribute("aria-invalid") === "true");
    return wrong ?? null;
  };
  const element = h("form", { class: "compose-form", "aria-label": "Content" },
    isNew && h("div", { class: "row-actions templates", role: "group", "aria-label": "Templates" }, h("span", { class: "quiet" }, "Start from"), Object.values(TEMPLATES).map((template) => button(template.name, () => fill(template), { kind: "small" }))),
    isNew && fields.type.element,
    h("div", { class: "pair" }, fields.title.element, fields.message.element),
    fields.contentState.element, hasAttributes && fields.attributes.element, size.element,
    isNew && settings.element);
  element.addEventListener("input", () => { change(); write(); });
  element.addEventListener("submit", (submit) => submit.preventDefault());
  return { element, content, settings, begin: change, isReady() { const wrong = check(); wrong?.control.focus(); return wrong === null; } };
}

function settingFields() {
  const lasts = field("Ends after", select([["600", "10 minutes"], ["3600", "1 hour"], ["7200", "2 hours"], ["14400", "4 hours"], ["28800", "8 hours"], ["86400", "a day"]], "7200"));
  const attribute = field("Attribute for the activity's id", textInput({ maxlength: 128, class: "mono", placeholder: "none" }), { hint: "Adds the id to attributes under this key, so that the app can report it." });
  const channel = field("Channel", select([["", "the app's default"], ["auto", "auto"], ["required", "required"], ["never", "never"]], ""));
  const catchUp = checkbox("Show the newest content to phones that sync late (catch_up)");
  return {
    attribute,
    /// All that is set, as a text.
    text() { return JSON.stringify([lasts.control.value, this.options()]); },
    endsAt: (now) => new Date(now + Number(lasts.control.value) * 1000).toISOString().replace(/\.\d+Z$/, "Z"),
    options() {
      const key = attribute.control.value.trim();
      return { ...(key !== "" && { activity_id_attribute: key }), ...(channel.control.value !== "" && { channel: channel.control.value }), ...(catchUp.control.checked && { catch_up: true }) };
    },
    element: h("details", { class: "more" }, h("summary", {}, "Duration and options"), h("div", { class: "pair" }, lasts.element, channel.element), attribute.element, catchUp.element),
  };
}

function sizeMeter() {
  const track = h("div", { class: "progress meter", role: "meter", "aria-label": "Push size", "aria-valuemin": 0, "aria-valuemax": LIMITS.device }, h("span", { class: "piece" }));
  const text = h("p", { class: "hint" });
  return {
    element: h("div", { class: "size" }, track, text),
    update(length) {
      const tone = length > LIMITS.device ? "bad" : length > LIMITS.device * 0.9 ? "warn" : "good";
      track.className = `progress meter ${tone}`;
      setPart(track.firstElementChild, length / LIMITS.device);
      track.setAttribute("aria-valuenow", Math.min(length, LIMITS.device));
      track.setAttribute("aria-valuetext", `${length} of ${LIMITS.device} bytes`);
      setText(text, `${count(length)} of ${count(LIMITS.device)} bytes for a device${length > LIMITS.device ? ": the gateway will refuse it" : ""}. On a channel an update may have ${count(LIMITS.channel)}.`);
    },
  };
}
