// What somebody typed reaches the body byte for byte, and no text breaks out of its place.
import assert from "node:assert/strict";
import test from "node:test";
import { byteLength, objectProblem, objectText, quoted } from "../../Sources/Gateway/CConsoleAssets/assets/json-text.js";
import { broadcastBody, contentText, payloadLength, registerBody, restartBody, scheduleBody, topicBody } from "../../Sources/Gateway/CConsoleAssets/assets/requests.js";

test("an object is taken, everything else is refused with a sentence", () => {
  for (const text of ["{}", ' {"a":1.0}\n', '{"a":{"b":[1e0]}}', '{"\\u0000":"\\ud83d\\ude00"}']) assert.equal(objectProblem(text), null, text);
  for (const text of ["", "  ", "[]", "1", "null", '"a"', "{", '{"a":}', '{"a":1},"b":2', "{}{}", "\uFEFF{}", '{"a":"\uD800"}']) assert.match(objectProblem(text), /^[A-Z].*\.$/, text);
});

test("content_state and attributes stand in the body as they were typed", () => {
  const state = '{ "x" : 1.0,\n  "y":1E2, "big":12345678901234567890, "k":1, "k":2, "z":"\\u00e9" }';
  const attributes = '\t{"a":  [ ] }';
  const body = broadcastBody({ activityID: "id-1", type: "T", content: { title: 'He said "hi"\\', message: "é\n", contentState: state, attributes } });
  assert.ok(body.includes(`"content_state":${state},`));
  assert.ok(body.includes(`"attributes":${attributes}`));
  assert.equal(JSON.parse(body).content.title, 'He said "hi"\\');
  assert.deepEqual(Object.keys(JSON.parse(body)), ["activity_id", "activity_type", "content"]);
});

test("what is empty is left out", () => {
  assert.equal(contentText({ title: "", message: "", contentState: "{}", attributes: "  " }), '{"content_state":{}}');
  assert.equal(broadcastBody({ activityID: "i", type: "T" }), '{"activity_id":"i","activity_type":"T"}');
  assert.deepEqual(JSON.parse(registerBody({ type: "T", segment: "vip", endsAt: "2026-01-01T00:00:00Z" })), { activity_type: "T", segment: "vip", ends_at: "2026-01-01T00:00:00Z" });
  assert.deepEqual(JSON.parse(registerBody({ type: "T", insiderIDs: ['a"b'], endsAt: "e", options: { channel: "never" } })).insider_ids, ['a"b']);
});

test("texts are quoted, and bytes are those of UTF-8", () => {
  assert.equal(quoted('a"\n'), '"a\\"\\n"');
  assert.equal(objectText([["a", "1"], ["b", null], ["c\"", "{}"]]), '{"a":1,"c\\"":{}}');
  assert.equal(byteLength("é😀"), 6);
});

test("the size of a push is that of its whole payload", () => {
  const content = { title: "T", message: "M", contentState: '{"a":1}', attributes: '{"b":2}' };
  const start = '{"aps":{"timestamp":1000000000,"event":"start","content-state":{"a":1},"attributes-type":"X","attributes":{"b":2},"input-push-token":1,"alert":{"title":"T","body":"M"}}}';
  assert.equal(payloadLength({ event: "start", type: "X", content }), start.length);
  const withID = start.replace('{"b":2}', '{"key":"4978e9e5-e872-46c3-97e6-dca11aa6a53e","b":2}');
  assert.equal(payloadLength({ event: "start", type: "X", content, attributeKey: "key" }), withID.length);
  const silent = '{"aps":{"timestamp":1000000000,"event":"update","content-state":{"a":1}}}';
  assert.equal(payloadLength({ event: "update", type: "X", content: { ...content, title: "", message: "" } }), silent.length);
});

test("a restart, a schedule and a topic have the content as it was typed, and nothing that is empty", () => {
  const content = { title: "T", message: "M", contentState: '{"a":1.0}', attributes: '{ "b":1E2 }' };
  const copied = '"content":{"title":"T","message":"M","content_state":{"a":1.0},"attributes":{ "b":1E2 }}';
  const restart = restartBody({ activityID: "i", type: "T", content, devices: "not_synced", olderThan: 900 });
  assert.equal(restart, `{"activity_id":"i","activity_type":"T","devices":"not_synced","older_than":900,${copied}}`);
  assert.equal("older_than" in JSON.parse(restartBody({ activityID: "i", type: "T", content, devices: "failed" })), false);
  const schedule = { activityID: "i", type: "T", event: "end", deliverAt: "2026-01-01T00:00:00Z", name: "" };
  assert.equal(scheduleBody({ ...schedule, content: null }), '{"activity_id":"i","activity_type":"T","event":"end","deliver_at":"2026-01-01T00:00:00Z"}');
  assert.ok(scheduleBody({ ...schedule, name: 'a"b', content }).endsWith(`"name":"a\\"b",${copied}}`));
  assert.equal(topicBody({ type: "T", state: "upcoming", content: null }), '{"activity_type":"T","state":"upcoming"}');
  assert.equal(topicBody({ type: "T", state: "live", content }), `{"activity_type":"T","state":"live",${copied}}`);
});
