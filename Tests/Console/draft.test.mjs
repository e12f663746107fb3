// What was written is kept by tenant, and forgotten when it should be; times of schedules are those of this machine's clock.
import assert from "node:assert/strict";
import test from "node:test";
import { beginning, draftOf, forgetDrafts, keepDraft } from "../../Sources/Gateway/CConsoleAssets/assets/draft.js";
import { fieldTime, instantOf, timeProblem } from "../../Sources/Gateway/CConsoleAssets/assets/schedule-time.js";

/// As a browser's storage, whose keys are properties.
class Storage {
  getItem(key) { return this[key] ?? null; }
  setItem(key, value) { this[key] = value; }
  removeItem(key) { delete this[key]; }
}
const content = { type: "T", title: "a", message: "b", contentState: '{"x": 1.0}', attributes: "{" };

test("a draft is its tenant's alone, byte for byte, and has nothing beside the content", () => {
  const storage = new Storage();
  keepDraft("one", { ...content, key: "secret" }, storage);
  assert.deepEqual(draftOf("one", storage), content);
  assert.equal(draftOf("two", storage), null);
  assert.doesNotMatch(JSON.stringify(storage), /secret/);
});

test("drafts are forgotten, and nothing else is", () => {
  const storage = new Storage();
  storage.setItem("theme", "dark");
  keepDraft("one", content, storage);
  keepDraft("two", content, storage);
  forgetDrafts(storage);
  assert.deepEqual([draftOf("one", storage), draftOf("two", storage), storage.getItem("theme")], [null, null, "dark"]);
});

test("what is kept is no draft when it is damaged, and a browser that keeps nothing fails nothing", () => {
  const storage = new Storage();
  for (const text of ["{", "null", "[]", '{"type":"T"}', '{"type":1,"title":"","message":"","contentState":"","attributes":""}']) {
    storage.setItem("fanfare-console-draft-one", text);
    assert.equal(draftOf("one", storage), null, text);
  }
  const full = { getItem() { throw new Error("refused"); }, setItem() { throw new Error("full"); }, removeItem() {} };
  keepDraft("one", content, full);
  assert.equal(draftOf("one", full), null);
  assert.equal(draftOf("one", undefined), null);
});

test("a form begins with the draft where it fits, else with nothing", () => {
  const storage = new Storage();
  const of = (type) => beginning("one", type, storage);
  assert.deepEqual(of(undefined), { type: "", title: "", message: "", contentState: "{}", attributes: "{}" });
  assert.deepEqual(of("MatchAttributes"), { type: "MatchAttributes", title: "", message: "", contentState: "{}", attributes: "{}" });
  keepDraft("one", content, storage);
  assert.deepEqual([of(undefined), of("T")], [content, content]);
  assert.equal(of("OrderAttributes").title, "");
});

test("a field's time is the moment that it says by this machine's clock", () => {
  const moment = Date.parse("2026-03-04T05:06:00Z");
  assert.equal(instantOf(fieldTime(moment)), "2026-03-04T05:06:00Z");
  assert.match(fieldTime(moment), /^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
  for (const text of ["", "soon", "2026-13-01T00:00", "2026-03-04"]) assert.equal(instantOf(text), null, text);
});

test("a schedule lies between now and the end", () => {
  const now = Date.parse("2026-03-04T05:00:00Z");
  const problem = (minutes) => timeProblem(fieldTime(now + minutes * 60_000), "2026-03-04T06:00:00Z", now);
  assert.equal(problem(1), null);
  assert.equal(problem(59), null);
  assert.match(problem(-1), /past/);
  assert.match(problem(60), /earlier/);
  assert.match(timeProblem("", "2026-03-04T06:00:00Z", now), /date/);
});
