// A broadcast, followed by server-sent events, and by asking where these do not come.

import { Problem } from "./api.js";
import { isFinal } from "./counts.js";
import { readEvents } from "./event-stream.js";
import { nextPause, poll } from "./poll.js";
import { Scope } from "./scope.js";

/// How many streams may be open at once: a browser has six connections to a gateway, and other requests need some.
const MOST = 3;
/// After so many seconds without an event it is asked whether there is one.
const SILENCE = 25;
/// A stream that fails more often in a row is given up for asking.
const MOST_FAILURES = 3;
let open = 0;

/// Tells `onRecord` where a broadcast stands until it has ended or the scope has. `onWay` is told how: `live`, `asking`, `ended`.
export function follow(parent, api, id, { onRecord, onWay = () => {}, onProblem = () => {} }) {
  const scope = new Scope(parent);
  const path = `/live-activity/broadcasts/${encodeURIComponent(id)}`;
  const take = (record) => {
    if (scope.isOver) return;
    onRecord(record);
    if (isFinal(record.state)) { onWay("ended"); scope.end(); }
  };
  const look = async () => take(await api.get(path));
  const askOn = () => { onWay("asking"); poll(scope, 2, look, { onProblem }); };
  run(scope, `${api.base}${path}/events`, take, look, { onWay, onProblem, askOn });
  return scope;
}

function run(scope, url, take, look, { onWay, onProblem, askOn }) {
  let way = null;
  const listen = () => {
    if (scope.isOver || way !== null || document.hidden) return;
    if (open >= MOST) { way = "asking"; return askOn(); }
    way = stream(scope, url, take, look, { onWay, onProblem, onFailed: () => { way = "asking"; askOn(); } });
  };
  scope.listen(document, "visibilitychange", () => {
    if (document.hidden && way instanceof Scope) { way.end(); way = null; }
    else listen();
  });
  listen();
}

function stream(parent, url, take, look, { onWay, onProblem, onFailed }) {
  const scope = new Scope(parent);
  let heard = Date.now();
  open += 1;
  scope.onEnd(() => { open -= 1; });
  const read = (_, data) => {
    heard = Date.now();
    try {
      take(JSON.parse(data));
    } catch (error) {
      onProblem(new Problem({ code: "PAGE", text: `An event could not be read: ${error.message}` }));
    }
  };
  listenOn(scope, url, { onOpen: () => onWay("live"), onEvent: read }, onWay, onFailed);
  const watch = setInterval(() => {
    if (Date.now() - heard < SILENCE * 1000) return;
    heard = Date.now();
    look().catch((problem) => { if (!scope.isOver) onProblem(problem); });
  }, 5000);
  scope.onEnd(() => clearInterval(watch));
  return scope;
}

/// The gateway ends a stream every few seconds, to see that whoever looks on is still signed in: it is asked for again.
async function listenOn(scope, url, listener, onWay, onFailed) {
  let failures = 0;
  const onOpen = () => { failures = 0; listener.onOpen(); };
  while (!scope.isOver) {
    try {
      await readEvents(url, scope.signal, { onOpen, onEvent: listener.onEvent });
      await scope.pause(0.1);
    } catch (problem) {
      if (scope.isOver) return;
      failures += 1;
      if (failures > MOST_FAILURES || (problem.status >= 400 && problem.status < 500 && problem.status !== 429)) {
        scope.end();
        return onFailed();
      }
      onWay("asking");
      await scope.pause(nextPause(1, failures, problem.retryAfter));
    }
  }
}
