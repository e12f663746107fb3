import assert from "node:assert/strict";
import { test } from "node:test";
import { EventParser } from "../../Sources/Gateway/CConsoleAssets/assets/event-stream.js";

const text = ":\n\nevent: progress\r\ndata: {\"a\":1}\n\ndata:x\ndata: y\n\nevent: end\n\nevent: end\ndata: {}\n\ndata: cut";
const whole = [["progress", '{"a":1}'], ["message", "x\ny"], ["end", "{}"]];

test("events are the same however the stream is cut", () => {
  for (let size = 1; size <= text.length; size += 1) {
    const events = [];
    const parser = new EventParser((name, data) => events.push([name, data]));
    for (let start = 0; start < text.length; start += size) parser.add(text.slice(start, start + size));
    assert.deepEqual(events, whole);
  }
});

test("many events may come at once", () => {
  let count = 0;
  new EventParser(() => { count += 1; }).add(`data: ${"x".repeat(500)}\n\n`.repeat(6000));
  assert.equal(count, 6000);
});

test("an event without an end is given up", () => {
  const parser = new EventParser(() => {});
  assert.throws(() => parser.add("data: " + "x".repeat(1 << 21)), /too long/);
});
