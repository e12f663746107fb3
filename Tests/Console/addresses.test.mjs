// Addresses lead to views and back, whatever names hold; numbers and times are written for people.
import assert from "node:assert/strict";
import test from "node:test";
import { advice } from "../../Sources/Gateway/CConsoleAssets/assets/advice.js";
import { bytes, compact, count, duration, fromNow, percent, signatureWords } from "../../Sources/Gateway/CConsoleAssets/assets/format.js";
import { atOnce, nextPause } from "../../Sources/Gateway/CConsoleAssets/assets/poll.js";
import { previewOf } from "../../Sources/Gateway/CConsoleAssets/assets/preview-model.js";
import { names } from "../../Sources/Gateway/CConsoleAssets/assets/push-history.js";
import { address, destination, parse } from "../../Sources/Gateway/CConsoleAssets/assets/router.js";
import { Silence } from "../../Sources/Gateway/CConsoleAssets/assets/silence.js";
import { listType } from "../../Sources/Gateway/CConsoleAssets/assets/upload.js";

test("an address is read as it was written", () => {
  for (const name of ["a/b", "ä ?#&%", "..", "<script>"]) {
    const { parts, query } = parse(address(["tenants", "t", "topics", name], { state: name, empty: "" }));
    assert.deepEqual(parts, ["tenants", "t", "topics", name]);
    assert.equal(query.get("state"), name);
    assert.equal(query.has("empty"), false);
  }
});

test("an address means one view or none", () => {
  const named = (hash) => destination(parse(hash))?.name ?? null;
  assert.equal(named(""), "home");
  assert.equal(named("#/gateway"), "gateway");
  assert.equal(named("#/tenants"), "tenants");
  assert.equal(named("#/tenants/t"), "tenant");
  assert.equal(named("#/tenants/t/activities?state=STARTED"), "activities");
  assert.equal(named("#/tenants/t/activities/a"), "activity");
  assert.equal(named("#/tenants/t/limits/x"), null);
  for (const hash of ["#/x", "#/gateway/x", "#/tenants/t/x", "#/tenants/t/activities/a/b", "#/__proto__"]) assert.equal(named(hash), null, hash);
  assert.doesNotThrow(() => parse("#/%E0%A4%A"));
});

test("numbers and times are short and exact", () => {
  assert.equal(count(1234567), "1,234,567");
  assert.equal(count(undefined), "—");
  assert.equal(compact(12345), "12.3K");
  assert.equal(percent(1, 1_000_000), "<0.1%");
  assert.equal(percent(999_999, 1_000_000), ">99.9%");
  assert.equal(percent(0, 0), "—");
  assert.deepEqual([0, 0.0002, 0.0125, 1.44, 65, 7800, 90000].map(duration), ["0 s", "200 µs", "13 ms", "1.4 s", "1 min 5 s", "2 h 10 min", "1 d 1 h"]);
  assert.equal(bytes(1_400_000), "1.4 MB");
  assert.equal(fromNow("2026-01-01T00:00:00Z", Date.parse("2026-01-01T00:03:00Z")), "3 min ago");
});

test("whether signatures are demanded is said in one way, also of a word that is new", () => {
  assert.deepEqual(["none", "any", "v2", "v3_only"].map(signatureWords), ["not required", "required", "required, version 2", "v3 only"]);
});

test("a poll is later after failures, and never earlier than it was told", () => {
  assert.equal(nextPause(1, 0, null), 1);
  assert.equal(nextPause(1, 3, null), 8);
  assert.equal(nextPause(1, 1, 30), 30);
  assert.equal(nextPause(2, 50, null), 60);
});

test("work of a first round is done some at a time, and ends with its scope", async () => {
  let [isOver, running, most] = [false, 0, 0];
  const done = [];
  const scope = { visible: async () => !isOver };
  const work = async (item) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => { setTimeout(resolve, 1); });
    running -= 1;
    done.push(item);
    if (item === 7) isOver = true;
  };
  await atOnce(scope, [1, 2, 3, 4, 5], work, 3);
  assert.deepEqual([done.sort(), most], [[1, 2, 3, 4, 5], 3]);
  await atOnce(scope, [6, 7, 8, 9], work, 1);
  assert.deepEqual(done.slice(5), [6, 7]);
  await assert.rejects(atOnce({ visible: async () => true }, [1], async () => { throw new Error("refused"); }));
});

test("a gateway that hangs is told by the time of its last answer", () => {
  const silence = new Silence();
  assert.equal(silence.text(0), null);
  silence.asked(0);
  assert.equal(silence.text(2999), null);
  assert.equal(silence.text(3000), "no answer yet");
  silence.heard(4000);
  assert.equal(silence.text(60_000), null);
  silence.asked(6000);
  silence.asked(9000);
  assert.equal(silence.text(8900), null);
  assert.equal(silence.text(10_000), "last answer 6 s ago");
});

test("a preview is chosen by the content", () => {
  const of = (state, attributes = {}) => previewOf({ type: "MatchAttributes", title: "", message: "", state, attributes });
  assert.equal(of({ home: 1, away: 0 }, { homeTeam: "Ajax" }).home.name, "Ajax");
  assert.equal(of({ home_score: 1, away_score: 0 }).layout, "match");
  assert.equal(of({ progress: 40 }).share, 0.4);
  assert.deepEqual(of({ a: 1, b: { c: 2 } }).facts, [["a", "1"]]);
  assert.equal(of({}).app, "Match");
});

test("a list's type is that of its name, and an event names its users", () => {
  assert.equal(listType("Fans.CSV"), "text/csv");
  assert.equal(listType("fans.ndjson"), "application/x-ndjson");
  assert.equal(listType("fans.txt"), null);
  assert.equal(names({ data: { devices: [{ insider_id: "ann" }] } }, "ann"), true);
  assert.equal(names({ data: { insider_id: "bob" } }, "ann"), false);
});

test("a code that is new has no advice, and fails nothing", () => {
  assert.equal(advice("SOMETHING_NEW"), "");
  assert.match(advice("RATE_LIMITED"), /minute/);
});
