// The page reads Prometheus's text, and tells rates and quantiles between two readings.
import assert from "node:assert/strict";
import test from "node:test";
import { by, largest, parse, quantile, rate, series, sum } from "../../Sources/Gateway/CConsoleAssets/assets/metrics.js";
import { figures, jobs, plotValues, rejections } from "../../Sources/Gateway/CConsoleAssets/assets/readings.js";

const page = parse(`# HELP a Things.
# TYPE a counter
a{x="1",y="with \\"quotes\\" and \\\\ and } and \\n"} 3
a{x="2",y="z"} 4 1700000000
b 1.5e3
c{le="+Inf"} +Inf
nonsense
d NaN
`);

test("series have names, labels and values; lines that are none are passed over", () => {
  assert.equal(sum(page, "a"), 7);
  assert.equal(sum(page, "a", { x: "2" }), 4);
  assert.equal(series(page, "a")[0].labels.y, 'with "quotes" and \\ and } and \n');
  assert.equal(sum(page, "b"), 1500);
  assert.equal(largest(page, "c"), Infinity);
  assert.equal(sum(page, "absent"), null);
  assert.equal(sum(page, "d"), null);
  assert.deepEqual([...by(page, "a", "x")], [["1", 3], ["2", 4]]);
  assert.equal(parse("fanfare_a 1\nother 2\n", ["fanfare_"]).size, 1);
});

test("a rate is null without two readings, and after a restart", () => {
  assert.equal(rate(10, 30, 2), 10);
  assert.equal(rate(null, 30, 2), null);
  assert.equal(rate(30, 10, 2), null);
  assert.equal(rate(1, 2, 0), null);
});

test("a quantile is of what was taken between the readings", () => {
  const before = parse('h_bucket{le="1"} 100\nh_bucket{le="2"} 100\nh_bucket{le="+Inf"} 100\n');
  const now = parse('h_bucket{le="1"} 110\nh_bucket{le="2"} 120\nh_bucket{le="+Inf"} 120\n');
  assert.equal(quantile(before, now, "h", 0.5), 1);
  assert.equal(quantile(before, now, "h", 0.75), 1.5);
  assert.equal(quantile(before, before, "h", 0.5), null);
  assert.equal(quantile(now, before, "h", 0.5), null);
  const above = parse('h_bucket{le="1"} 100\nh_bucket{le="2"} 100\nh_bucket{le="+Inf"} 101\n');
  assert.equal(quantile(before, above, "h", 0.99), 2);
});

test("the Gateway view has nothing to show but no reading fails it", () => {
  const empty = parse("");
  assert.deepEqual(plotValues(null, empty, 0).pushes, [null, null, null, null]);
  assert.equal(figures(empty).redisUp, null);
  assert.deepEqual(jobs(empty), []);
  const now = parse('fanfare_pushes_total{event="start",outcome="accepted",reason=""} 20\nfanfare_pushes_total{event="start",outcome="rejected",reason="Unregistered"} 4\nfanfare_jobs{lane="small",state="running"} 2\nfanfare_push_paused{provider="apns",reason="overloaded"} 1\n');
  assert.deepEqual(plotValues(empty, now, 2).pushes, [10, 2, 0, 0]);
  assert.deepEqual(rejections(now), { Unregistered: 4 });
  assert.deepEqual(jobs(now), [{ lane: "small", running: 2, resting: 0, waiting: 0 }]);
  assert.deepEqual(figures(now).pauses, [{ provider: "apns", reason: "overloaded" }]);
});
