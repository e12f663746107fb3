// One wish to send, however often its button is pressed: while nobody knows what became of it, the same wish has the same
// key and the same time, so that a repetition joins the first try. Pure.

import { idempotencyKey } from "./api.js";

/// Whether a request that failed may have been carried out all the same.
export function isUnclear(problem) {
  return problem.code === "UNCLEAR" || problem.code === "NETWORK" || problem.status >= 500;
}

export class Wish {
  constructor(makeKey = idempotencyKey, now = Date.now) {
    Object.assign(this, { makeKey, now, open: null });
  }

  /// The key and the time of a wish, told by a text of all that it is.
  of(text) {
    if (this.open?.text !== text) this.open = { text, key: this.makeKey(), at: this.now() };
    return this.open;
  }

  /// It is known what became of it: the next wish is another one.
  settle() {
    this.open = null;
  }

  /// Does a step of it. A refusal that is clear settles it.
  async during(step) {
    try {
      return await step();
    } catch (problem) {
      if (!isUnclear(problem)) this.settle();
      throw problem;
    }
  }

  /// Carries all of it out, and settles it when that goes well.
  async carryOut(text, work) {
    const wish = this.of(text);
    const answer = await this.during(() => work(wish));
    this.settle();
    return answer;
  }
}
