// The stored segments of a tenant: listed, counted, uploaded, deleted.

import { withQuery } from "./api.js";
import { confirm } from "./dialog.js";
import { h } from "./dom.js";
import { button, buttonLink } from "./form.js";
import { count, counted } from "./format.js";
import { tell } from "./notice.js";
import { head, when } from "./parts.js";
import { address } from "./router.js";
import { paged, table } from "./table.js";
import { uploadSegment } from "./upload-dialog.js";

export async function showSegments({ scope, to, api }) {
  const uploadTo = async (name) => {
    const reply = await uploadSegment(api, scope, name);
    if (reply === null || scope.isOver) return;
    tell(`${reply.name} has ${counted(reply.users, "user")} now.`);
    listing.read();
  };
  const drop = async ({ name }) => {
    // The list's count may be old: the question has the present one.
    const { users } = await api.get(`/segments/${encodeURIComponent(name)}`).catch(() => ({ users: NaN }));
    const done = await confirm({
      headline: `Delete segment ${name}?`, action: "Delete segment", typed: name,
      text: h("p", {}, `This deletes its list of ${counted(users, "user")}. Activities registered for it continue unchanged.`),
      work: () => api.delete(`/segments/${encodeURIComponent(name)}`),
    });
    if (done === null || scope.isOver) return;
    tell(`${name} is deleted.`);
    listing.read();
  };
  const listing = paged(scope, {
    label: "segments",
    load: (cursor) => api.get(withQuery("/segments", { limit: 25, cursor })),
    show: ({ segments }) => table({
      caption: "Segments", rows: segments, empty: "No segments yet. Upload a segment, or send PUT /api/v1/segments/{name}.",
      columns: [
        { head: "Segment", header: true, cell: (one) => one.name },
        { head: "Users", numeric: true, cell: (one) => count(one.users) },
        { head: "Changed", cell: (one) => when(one.updated_at) },
        { head: "Actions", cell: (one) => h("div", { class: "row-actions" },
          buttonLink("Compose", address(["tenants", to.tenant, "compose"], { segment: one.name }), "small"),
          button("Upload…", () => uploadTo(one.name), { kind: "small", "aria-label": `Upload to ${one.name}` }),
          button("Delete…", () => drop(one), { kind: "small danger", "aria-label": `Delete ${one.name}` })) },
      ],
    }),
  });
  listing.read();
  return [
    head("Segments", { lead: "Stored lists of users, for which you can register activities.", actions: [button("Upload a segment…", () => uploadTo(""), { kind: "primary" })] }),
    listing.element,
  ];
}
