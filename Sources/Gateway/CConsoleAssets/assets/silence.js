// What is said of a gateway that does not answer. Pure: times are milliseconds.

/// Seconds that a request may wait for its answer before the gateway counts as silent.
const PATIENCE = 3;

/// The requests to a gateway and their answers.
export class Silence {
  constructor() {
    this.askedAt = null;
    this.heardAt = null;
  }

  /// A request leaves. The oldest one without an answer counts.
  asked(now) {
    this.askedAt ??= now;
  }

  /// An answer has come, whatever it says.
  heard(now) {
    this.askedAt = null;
    this.heardAt = now;
  }

  /// The text in place of the gateway's state; null while it answers.
  text(now) {
    if (this.askedAt === null || now - this.askedAt < PATIENCE * 1000) return null;
    return this.heardAt === null ? "no answer yet" : `last answer ${Math.round((now - this.heardAt) / 1000)} s ago`;
  }
}
