// A bounded run of readings: the newest take the place of the oldest. Pure.

export class Readings {
  /// At most `limit` readings are kept.
  constructor(limit) {
    this.limit = limit;
    this.items = [];
  }

  push(item) {
    this.items.push(item);
    if (this.items.length > this.limit) this.items.splice(0, this.items.length - this.limit);
  }

  get newest() {
    return this.items.at(-1) ?? null;
  }

  /// The newest ones, at most so many.
  tail(count) {
    return this.items.slice(-count);
  }

  clear() {
    this.items.length = 0;
  }
}
