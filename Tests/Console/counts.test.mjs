// What counts say of a broadcast, its stages and rates, and which broadcasts the board asks for.
import assert from "node:assert/strict";
import test from "node:test";
import { Board, WATCHED } from "../../Sources/Gateway/CConsoleAssets/assets/board.js";
import { leftOut, progressOf, stagesOf, statesOf, syncCurve } from "../../Sources/Gateway/CConsoleAssets/assets/counts.js";
import { RateMeter } from "../../Sources/Gateway/CConsoleAssets/assets/rates.js";
import { timelineOf } from "../../Sources/Gateway/CConsoleAssets/assets/timeline.js";
import { Readings } from "../../Sources/Gateway/CConsoleAssets/assets/window.js";

test("a broadcast's devices divide without rest", () => {
  assert.deepEqual(progressOf({ kind: "start", total: 10, accepted: 4, failed: { a: 1 }, skipped: { b: 2 } }), { accepted: 4, failed: 1, skipped: 2, left: 3, whole: 10, done: 0.7 });
  assert.equal(progressOf({ kind: "update", total: 0, accepted: 0 }).done, 1);
  assert.equal(progressOf({ kind: "update", total: 3, accepted: 5 }).left, 0);
});

test("of what is over nothing is left, also where a listing tells no failures", () => {
  assert.deepEqual(progressOf({ kind: "update", state: "done", total: 300, accepted: 5 }), { accepted: 5, failed: 0, skipped: 0, left: 0, whole: 300, done: 1 });
});

test("one push to a channel reaches all who follow it", () => {
  const record = { kind: "update", total: 1000, accepted: 101, failed: {}, skipped: {}, cohorts: { channel: { devices: 900, accepted: 1 }, apns: { devices: 100, accepted: 100 } } };
  assert.equal(progressOf(record).left, 0);
  assert.equal(progressOf({ ...record, kind: "start" }).left, 899);
});

test("of one that has ended sending has three parts, where its pushes are known", () => {
  const record = { created_at: "2026-01-01T00:00:00Z", started_at: "2026-01-01T00:00:02Z", first_push_at: "2026-01-01T00:00:03Z", last_push_at: "2026-01-01T00:00:07Z" };
  assert.equal(stagesOf(record).parts, null);
  assert.deepEqual(stagesOf({ ...record, finished_at: "2026-01-01T00:00:08.500Z" }).parts, { preparing: 1, pushing: 4, recording: 1.5 });
});

test("stages are waiting and sending", () => {
  const record = { created_at: "2026-01-01T00:00:00Z", started_at: "2026-01-01T00:00:02Z", finished_at: "2026-01-01T00:00:05Z" };
  assert.deepEqual(stagesOf(record), { waiting: 2, sending: 3, parts: null, isOver: true });
  assert.deepEqual(stagesOf({ created_at: "2026-01-01T00:00:00Z" }, Date.parse("2026-01-01T00:00:07Z")), { waiting: 7, sending: null, parts: null, isOver: false });
});

test("states that do not occur are not drawn, curves are in order", () => {
  assert.deepEqual(statesOf({ active: 2, pending: 0, failed: 1, ended_by: {} }), [["active", 2], ["failed", 1]]);
  assert.deepEqual(syncCurve({ within: { 30: 5, 1: 1, 5: 2 } }), [[1, 1], [5, 2], [30, 5]]);
  assert.deepEqual(syncCurve(undefined), []);
});

test("who can be started again are those whom the start has left out, by the names of a restart", () => {
  assert.deepEqual(leftOut({ active: 9, shown: 2, ended: 3, registered: 1, pending: 4, failed: 5, unknown: 0, unsent: 6 }), [["unsent", 6], ["failed", 5], ["not_synced", 4]]);
  assert.deepEqual(leftOut({ active: 9 }), []);
  assert.deepEqual(leftOut(undefined), []);
});

test("a rate is told once a second, and at the end", () => {
  const meter = new RateMeter();
  assert.equal(meter.read({ total: 9, accepted: 0 }, 0), null);
  assert.equal(meter.read({ total: 9, accepted: 5 }, 500), null);
  assert.deepEqual(meter.read({ total: 9, accepted: 6, failed: { a: 2 } }, 2000), { at: 2000, accepted: 3, failed: 1 });
  assert.equal(meter.read({ total: 9, accepted: 7, failed: { a: 2 }, finished_at: "x" }, 2500).accepted, 2);
});

test("the board reads both lists first, then the activity that was read longest ago", () => {
  const board = new Board();
  assert.equal(board.next(), "started");
  board.listCame("started", [{ activity_id: "a", activity_type: "T" }, { activity_id: "b", activity_type: "T" }]);
  assert.equal(board.next(), "dead");
  board.listCame("dead", []);
  assert.equal(board.next(), "a");
  board.detailsCame({ activity_id: "a", state: "STARTED", broadcasts: [{ broadcast_id: "1", state: "done", created_at: "2026-01-01T00:00:00Z" }] }, 5);
  assert.equal(board.next(), "b");
  board.detailsCame({ activity_id: "b", state: "STARTED", broadcasts: [{ broadcast_id: "2", state: "running", created_at: "2025-01-01T00:00:00Z" }] }, 6);
  assert.deepEqual(board.broadcasts().map((one) => one.broadcast_id), ["2", "1"]);
});

test("the first round is both lists and then each activity in them, all at once", () => {
  const board = new Board();
  assert.deepEqual(board.first(), ["started", "dead"]);
  board.listCame("started", [{ activity_id: "a", activity_type: "T" }, { activity_id: "b", activity_type: "T" }]);
  board.listCame("dead", [{ activity_id: "d", activity_type: "T" }]);
  assert.deepEqual(board.due(), ["a", "d", "b"]);
  for (const [id, state] of [["a", "STARTED"], ["b", "STARTED"], ["d", "DEAD"]]) board.detailsCame({ activity_id: id, state, broadcasts: [] }, 1);
  assert.equal(board.isWhole, true);
  assert.equal(board.next(), "a");
});

test("the board is whole when both lists and each activity have been read", () => {
  const board = new Board();
  board.listCame("started", [{ activity_id: "a", activity_type: "T" }]);
  board.detailsCame({ activity_id: "a", state: "STARTED", broadcasts: [] }, 1);
  assert.equal(board.isWhole, false);
  board.listCame("dead", [{ activity_id: "d", activity_type: "T" }]);
  assert.equal(board.isWhole, false);
  board.detailsCame({ activity_id: "d", state: "DEAD", broadcasts: [] }, 2);
  assert.equal(board.isWhole, true);
});

test("the board forgets what is in no list any more, and does not grow", () => {
  const board = new Board();
  for (let round = 0; round < 50; round += 1) {
    board.listCame("started", Array.from({ length: 30 }, (_, at) => ({ activity_id: `${round}-${at}`, activity_type: "T" })));
    board.next();
  }
  assert.equal(board.activities.size, WATCHED);
});

test("a dead activity whose broadcasts are over is not asked for again", () => {
  const board = new Board();
  board.listCame("dead", [{ activity_id: "d", activity_type: "T" }]);
  board.detailsCame({ activity_id: "d", state: "DEAD", broadcasts: [] }, 1);
  for (let turn = 0; turn < 40; turn += 1) assert.notEqual(board.next(), "d");
});

test("readings are bounded", () => {
  const readings = new Readings(3);
  for (let at = 0; at < 1000; at += 1) readings.push(at);
  assert.deepEqual(readings.items, [997, 998, 999]);
  assert.deepEqual(readings.tail(2), [998, 999]);
});

test("a topic's timeline has its turns and broadcasts, the newest first", () => {
  const topic = { state: "ended", ended_by: "lifetime", created_at: "2026-01-01T00:00:00Z", live_since: "2026-01-01T01:00:00Z", changed_at: "2026-01-01T09:00:00Z", broadcasts: [{ broadcast_id: "0123456789", kind: "start", created_at: "2026-01-01T01:00:01Z" }] };
  assert.deepEqual(timelineOf(topic).map(({ what }) => what), ["ended automatically: lifetime", "start …456789", "went live", "created"]);
});
