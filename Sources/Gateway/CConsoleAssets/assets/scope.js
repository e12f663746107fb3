// The life of a view, or of a part of one: what it has begun ends with it.

export class Scope {
  constructor(parent = null) {
    this.control = new AbortController();
    this.work = new Set();
    this.parent = parent;
    parent?.onEnd(this.endIt = () => this.end());
  }

  get signal() {
    return this.control.signal;
  }

  get isOver() {
    return this.control.signal.aborted;
  }

  /// Has something done at the end; at once when that is over.
  onEnd(work) {
    if (this.isOver) work();
    else this.work.add(work);
  }

  /// Ends it: requests are taken back, timers and streams closed. Once.
  end() {
    if (this.isOver) return;
    this.parent?.work.delete(this.endIt);
    this.control.abort();
    for (const work of this.work) work();
    this.work.clear();
  }

  /// A listener that goes with the scope.
  listen(target, event, listener) {
    target.addEventListener(event, listener, { signal: this.signal });
  }

  /// A pause that ends early, answering false, when the scope does.
  pause(seconds) {
    return new Promise((resolve) => {
      if (this.isOver) return resolve(false);
      const end = () => { clearTimeout(timer); resolve(false); };
      const timer = setTimeout(() => { this.work.delete(end); resolve(true); }, seconds * 1000);
      this.work.add(end);
    });
  }

  /// Waits while the page is hidden; answers false when the scope ends first.
  visible() {
    return new Promise((resolve) => {
      if (this.isOver) return resolve(false);
      if (!document.hidden) return resolve(true);
      const done = (value) => { document.removeEventListener("visibilitychange", look); this.work.delete(end); resolve(value); };
      const look = () => { if (!document.hidden) done(true); };
      const end = () => done(false);
      document.addEventListener("visibilitychange", look);
      this.work.add(end);
    });
  }
}
