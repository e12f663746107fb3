// A wish whose answer was lost is the same one when it is repeated, and another one as soon as its outcome is known.
import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "../../Sources/Gateway/CConsoleAssets/assets/api.js";
import { isUnclear, Wish } from "../../Sources/Gateway/CConsoleAssets/assets/wish.js";

const lost = new Problem({ code: "UNCLEAR", text: "lost" });
const refused = new Problem({ status: 422, code: "NO_ELIGIBLE_DEVICE", text: "refused" });

function numbered() {
  let last = 0;
  return new Wish(() => `key-${(last += 1)}`, () => 1000 + last);
}

async function keys(wish, ...tries) {
  const seen = [];
  for (const [text, outcome] of tries) {
    await wish.carryOut(text, async ({ key, at }) => {
      seen.push(`${key} ${at}`);
      if (outcome !== null) throw outcome;
    }).catch(() => {});
  }
  return seen;
}

test("a repetition after a lost answer has the same key and time", async () => {
  assert.deepEqual(await keys(numbered(), ["a", lost], ["a", lost], ["a", null], ["a", null]), ["key-1 1001", "key-1 1001", "key-1 1001", "key-2 1002"]);
});

test("another content is another wish, and so is one after a clear refusal", async () => {
  assert.deepEqual(await keys(numbered(), ["a", lost], ["b", refused], ["b", null]), ["key-1 1001", "key-2 1002", "key-3 1003"]);
});

test("what may have been carried out is unclear, what was refused is not", () => {
  assert.equal(isUnclear(lost), true);
  assert.equal(isUnclear(new Problem({ code: "NETWORK", text: "" })), true);
  assert.equal(isUnclear(new Problem({ status: 503, code: "STORE_UNAVAILABLE", text: "" })), true);
  assert.equal(isUnclear(refused), false);
  assert.equal(isUnclear(new Problem({ status: 429, code: "RATE_LIMITED", text: "" })), false);
});
