// Asking again and again: not while the page is hidden, later after a refusal, never after the view is left.

import { Problem } from "./api.js";

/// The pause before the next try: longer after each failure in a row, a minute at most, never shorter than asked for.
export function nextPause(seconds, failures, retryAfter) {
  const grown = failures === 0 ? seconds : Math.min(60, seconds * 2 ** Math.min(failures, 6));
  return Math.max(grown, retryAfter ?? 0);
}

/// Does the work for each item, so many at once, until the scope ends. Work that throws ends it all.
export async function atOnce(scope, items, work, width = 6) {
  const left = [...items];
  const lane = async () => {
    while (left.length > 0 && (await scope.visible())) await work(left.shift());
  };
  await Promise.all(Array.from({ length: Math.min(width, left.length) }, lane));
}

/// Does the work now and every so many seconds until the scope ends. `onProblem` is told of failures, `onWell` when one
/// is over. Work that answers false is not done again.
export async function poll(scope, seconds, work, { onProblem = () => {}, onWell = () => {} } = {}) {
  let failures = 0;
  while (await scope.visible()) {
    let retryAfter = null;
    try {
      if ((await work()) === false) return;
      if (scope.isOver) return;
      if (failures > 0) onWell();
      failures = 0;
    } catch (error) {
      if (scope.isOver) return;
      failures += 1;
      const problem = error instanceof Problem ? error : new Problem({ code: "PAGE", text: String(error?.message ?? error) });
      retryAfter = problem.retryAfter;
      onProblem(problem);
    }
    if (!(await scope.pause(nextPause(seconds, failures, retryAfter)))) return;
  }
}
