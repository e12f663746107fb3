// The words for a topic's work.
import assert from "node:assert/strict";
import test from "node:test";
import { withoutDevices, workOf } from "../../Sources/Gateway/CConsoleAssets/assets/topic-work.js";

test("a live topic without an activity is not called not live", () => {
  for (const work of ["waiting", "starting"]) {
    assert.ok(!withoutDevices({ state: "live", work }).includes("not live"));
    assert.ok(workOf({ work }) !== null);
  }
  assert.ok(withoutDevices({ state: "upcoming", work: "none" }).includes("not live"));
});

test("a topic with nothing left to do has no work", () => {
  assert.equal(workOf({ work: "none" }), null);
});
