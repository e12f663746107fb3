// Rates of a broadcast from its successive counts, at most one a second. Pure.

import { progressOf } from "./counts.js";

export class RateMeter {
  constructor() {
    this.last = null;
  }

  /// Takes where a broadcast stands at a time in milliseconds; answers with outcomes a second since the last answer, or
  /// null when that was less than a second ago.
  read(record, at) {
    const { accepted, failed } = progressOf(record);
    if (this.last === null) {
      this.last = { at, accepted, failed };
      return null;
    }
    const seconds = (at - this.last.at) / 1000;
    const isOver = record.finished_at !== undefined;
    if (seconds < (isOver ? 0.1 : 1)) return null;
    const rates = { at, accepted: Math.max(0, accepted - this.last.accepted) / seconds, failed: Math.max(0, failed - this.last.failed) / seconds };
    this.last = { at, accepted, failed };
    return rates;
  }
}
