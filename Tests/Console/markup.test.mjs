// The assets keep to the strict policy: no markup from data, nothing inline, nothing from elsewhere, names without folders.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

const folder = new URL("../../Sources/Gateway/CConsoleAssets/assets/", import.meta.url);
const files = readdirSync(folder);
const text = (name) => readFileSync(new URL(name, folder), "utf8");
const scripts = files.filter((name) => name.endsWith(".js"));

test("no script makes markup or code of text", () => {
  for (const name of scripts) assert.doesNotMatch(text(name), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\("style"|srcdoc=|javascript:/, name);
});

test("the page has nothing inline and loads nothing from elsewhere", () => {
  const page = text("index.html");
  assert.doesNotMatch(page, /<style|style=|\son[a-z]+=|<script>|https?:\/\/(?!www\.w3\.org)/);
  for (const [, name] of page.matchAll(/\/console\/assets\/([^"]+)/g)) assert.ok(name === "chart.js" || files.includes(name), name);
  for (const name of files.filter((one) => one.endsWith(".css"))) assert.doesNotMatch(text(name), /@import|url\(/, name);
});

test("modules import what is there, and every asset is used", () => {
  const used = new Set(["index.html", "main.js", ...text("index.html").matchAll(/assets\/([a-z.-]+)/g)].map((one) => (typeof one === "string" ? one : one[1])));
  for (const name of scripts) for (const [, other] of text(name).matchAll(/from "\.\/([^"]+)"/g)) {
    assert.ok(files.includes(other), `${name} imports ${other}`);
    used.add(other);
  }
  for (const name of files) assert.ok(used.has(name), `${name} is used by nothing`);
});

// What session.js keeps is worth nothing without the cookie, which no script reads; draft.js keeps what somebody has written.
test("nothing secret is kept in the browser", () => {
  for (const name of scripts.filter((one) => !["theme.js", "session.js", "draft.js"].includes(one))) assert.doesNotMatch(text(name), /localStorage|sessionStorage|indexedDB|document\.cookie/, name);
});

// A lock screen alone writes its date as phones do.
test("all times are written in one way", () => {
  for (const name of scripts.filter((one) => one !== "preview.js")) assert.doesNotMatch(text(name), /toLocale(Date|Time)String|DateTimeFormat|new Date\([^)]*\)\.toLocaleString/, name);
});
