// Server-sent events by fetch, which sends the session's token along, as EventSource cannot.

import { Problem, refusal, sessionHeaders } from "./api.js";

/// More than any event takes, in characters.
const LONGEST = 1 << 20;

/// Reads a stream until it ends, and tells `onOpen`, then `onEvent` the name and data of each event. Throws a `Problem`.
export async function readEvents(url, signal, { onOpen, onEvent }) {
  const headers = { Accept: "text/event-stream", ...sessionHeaders() };
  let response;
  try {
    response = await fetch(url, { headers, signal, credentials: "same-origin", cache: "no-store", redirect: "error" });
  } catch {
    throw new Problem({ code: "NETWORK", text: "The gateway is unreachable." });
  }
  if (!response.ok) throw refusal(response.status, await response.json().catch(() => ({})), (name) => response.headers.get(name));
  onOpen();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const events = new EventParser(onEvent);
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      events.add(value);
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem({ code: "NETWORK", text: "The stream was interrupted." });
  } finally {
    reader.cancel().catch(() => {});
  }
}

/// Takes the text of a stream in pieces of any length, and tells each whole event (WHATWG HTML, section 9.2.6).
export class EventParser {
  constructor(onEvent) {
    this.onEvent = onEvent;
    this.rest = "";
    this.name = "";
    this.data = [];
  }

  add(text) {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop();
    for (const line of lines) this.take(line.replace(/\r$/, ""));
    if (this.rest.length > LONGEST) throw new Problem({ code: "PAGE", text: "An event is too long." });
  }

  take(line) {
    if (line === "") {
      if (this.data.length > 0) this.onEvent(this.name || "message", this.data.join("\n"));
      this.name = "";
      this.data = [];
    } else if (line.startsWith("event:")) {
      this.name = line.slice(6).replace(/^ /, "");
    } else if (line.startsWith("data:")) {
      this.data.push(line.slice(5).replace(/^ /, ""));
    }
  }
}
