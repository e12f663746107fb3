// Uploads of lists with their progress. A browser tells that of XMLHttpRequest alone.

import { sessionHeaders, Problem, refusal } from "./api.js";

/// An upload that has not moved for so many seconds is given up.
const STALL = 60;

/// The content type of a list, by its file's name; null when it is none of both.
export function listType(name) {
  if (/\.csv$/i.test(name)) return "text/csv";
  return /\.(ndjson|jsonl)$/i.test(name) ? "application/x-ndjson" : null;
}

/// Sends a file. `onProgress` is told a share of 0 to 1; `signal` gives it up. Answers with the reply.
export function upload(method, path, file, type, { onProgress, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let timer;
    const watch = () => { clearTimeout(timer); timer = setTimeout(() => { fail("UNCLEAR", `No progress for ${STALL} seconds.`); request.abort(); }, STALL * 1000); };
    const cancel = () => { fail("CANCELED", "Canceled."); request.abort(); };
    const end = () => { clearTimeout(timer); signal?.removeEventListener("abort", cancel); };
    const fail = (code, text) => { end(); reject(new Problem({ code, text })); };
    request.open(method, path);
    request.setRequestHeader("Content-Type", type);
    for (const [name, value] of Object.entries(sessionHeaders())) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (event) => { watch(); onProgress(event.total > 0 ? event.loaded / event.total : 0); });
    request.addEventListener("load", () => {
      end();
      let value = {};
      try { value = JSON.parse(request.responseText); } catch { value = {}; }
      if (request.status >= 200 && request.status < 300) resolve(value);
      else reject(refusal(request.status, value, (name) => request.getResponseHeader(name)));
    });
    request.addEventListener("error", () => fail("NETWORK", "The gateway is unreachable, or refused the upload."));
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted) return cancel();
    watch();
    request.send(file);
  });
}
