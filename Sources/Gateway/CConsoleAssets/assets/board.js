// The broadcasts of a tenant, gathered from its newest activities. Pure: it says what to ask for next.

/// How many activities are watched, and how many broadcasts are shown.
export const WATCHED = 20;
export const SHOWN = 30;
/// The list of activities is asked for anew after so many questions about single ones, and when there are none.
const LIST_EVERY = 6;

const isRunning = (broadcast) => broadcast.state === "queued" || broadcast.state === "running" || broadcast.state === "paused";

export class Board {
  constructor() {
    this.activities = new Map();
    this.turn = 0;
    this.lists = new Set();
  }

  /// Whether all that there is has been read once, so that what is not known is not there.
  get isWhole() {
    return this.lists.size === 2 && [...this.activities.values()].every(({ isDone, readAt }) => isDone || readAt > 0);
  }

  /// What to ask for in the first round, all at once: the lists, and then the activities in them.
  first() {
    this.turn = 2;
    return ["started", "dead"];
  }

  /// The activities whose details are not known yet, or change.
  due() {
    return [...this.activities.values()].filter(({ isDone }) => !isDone).sort((left, right) => left.readAt - right.readAt || left.order - right.order).map(({ id }) => id);
  }

  /// What to ask for: `started` and `dead` are lists, all else the id of an activity.
  next() {
    const turn = this.turn;
    this.turn += 1;
    if (turn < 2 || turn % (LIST_EVERY * 4) === LIST_EVERY * 4 - 1) return turn === 1 || turn >= 2 ? "dead" : "started";
    if (turn % LIST_EVERY === LIST_EVERY - 1) return "started";
    return this.due()[0] ?? "started";
  }

  /// A list has come: the newest first. What is in neither list any more is forgotten.
  listCame(which, list) {
    this.lists.add(which);
    for (const [id, entry] of this.activities) if (entry.list === which && !list.some((one) => one.activity_id === id)) this.activities.delete(id);
    list.slice(0, WATCHED).forEach((summary, order) => {
      const known = this.activities.get(summary.activity_id);
      const isDone = which === "dead" && known?.list === "dead" && known.isDone;
      this.activities.set(summary.activity_id, { id: summary.activity_id, readAt: 0, broadcasts: [], ...known, list: which, order, type: summary.activity_type, isDone });
    });
  }

  /// An activity's details have come. A dead one whose broadcasts are over is not asked for again.
  detailsCame(details, now) {
    const known = this.activities.get(details.activity_id);
    if (known === undefined) return;
    known.readAt = now;
    known.broadcasts = details.broadcasts;
    known.isDone = details.state === "DEAD" && !details.broadcasts.some(isRunning);
  }

  /// An activity cannot be read.
  detailsFailed(id) {
    this.activities.delete(id);
  }

  /// The newest broadcasts, those under way first, each with its activity.
  broadcasts() {
    return [...this.activities.values()]
      .flatMap(({ id, type, broadcasts }) => broadcasts.map((broadcast) => ({ ...broadcast, activity_id: id, activity_type: type })))
      .sort((left, right) => Number(isRunning(right)) - Number(isRunning(left)) || Date.parse(right.created_at) - Date.parse(left.created_at))
      .slice(0, SHOWN);
  }
}
