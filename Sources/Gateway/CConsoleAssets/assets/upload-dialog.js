// The dialog that uploads a segment.

import { openDialog } from "./dialog.js";
import { h, put, setPart, setText } from "./dom.js";
import { button, field, select, textInput } from "./form.js";
import { bytes, count, counted, percent } from "./format.js";
import { problemOf, problemPanel } from "./notice.js";
import { listType, upload } from "./upload.js";

const NAME = /^([A-Za-z0-9_~:-]|\.{1,2}[A-Za-z0-9_~:-]|\.{3})[A-Za-z0-9._~:-]{0,127}$/;
const WAYS = { replace: ["PUT", ""], add: ["POST", "/users"], remove: ["DELETE", "/users"] };

/// Asks for a name, a file and what it is for, and uploads it. Answers with the gateway's reply; null when it was left.
export function uploadSegment(api, scope, name = "") {
  const control = new AbortController();
  return openDialog("Upload a segment", (close, place) => {
    const title = field("Segment name", textInput({ value: name, maxlength: 128 }), { hint: "1 to 128 letters, digits and -._~:" });
    const file = field("File", h("input", { type: "file", accept: ".csv,.ndjson,.jsonl,text/csv,application/x-ndjson" }), { hint: "CSV with a column insider_id, or NDJSON with one insider_id a line." });
    const way = field("Mode", select([["replace", "Replace the whole segment"], ["add", "Add these users"], ["remove", "Remove these users"]], "replace"));
    const track = h("div", { class: "progress meter good", role: "progressbar", "aria-label": "Upload", "aria-valuemin": 0, "aria-valuemax": 100, hidden: true }, h("span", { class: "piece" }));
    const said = h("p", { class: "quiet", role: "status" });
    const go = button("Upload", async () => {
      const chosen = file.control.files[0];
      const type = chosen ? listType(chosen.name) : null;
      const isNamed = NAME.test(title.control.value);
      title.say(isNamed ? null : "The segment name is invalid.");
      file.say(type === null ? "Choose a file that ends with .csv, .ndjson or .jsonl." : null);
      if (type === null || !isNamed || go.disabled) return;
      go.disabled = true;
      put(place);
      track.hidden = false;
      const [method, behind] = WAYS[way.control.value];
      try {
        const reply = await upload(method, `${api.base}/segments/${encodeURIComponent(title.control.value)}${behind}`, chosen, type, {
          signal: control.signal,
          onProgress: (share) => {
            setPart(track.firstElementChild, share);
            track.setAttribute("aria-valuenow", Math.round(share * 100));
            setText(said, share < 1 ? `${percent(share, 1)} of ${bytes(chosen.size)}` : "Upload complete; the gateway stores it…");
          },
        });
        setText(said, `${counted(reply.users, "user")} in ${reply.name}${reply.added_users === undefined ? "" : `, ${count(reply.added_users)} new`}.`);
        close(reply);
      } catch (error) {
        const problem = problemOf(error);
        track.hidden = true;
        setText(said, "");
        if (problem.code !== "CANCELED") put(place, problemPanel(problem));
      } finally {
        go.disabled = false;
      }
    }, { kind: "primary" });
    return { body: [title.element, file.element, way.element, track, said], buttons: [button("Cancel", () => close(null)), go] };
  }).finally(() => control.abort());
}
