// Small pictures of the navigation: strokes on a field of 20 by 20. They say nothing that the words beside do not.

import { svg } from "./dom.js";

const PATHS = {
  gateway: "M3 11a7 7 0 0 1 14 0M10 11l3-4M5 15h10",
  tenants: "M4 17V6l6-3 6 3v11M8 17v-4h4v4M8 9h.01M12 9h.01",
  tenant: "M7 12a3 3 0 1 1 2.8-4H17v3h-2v2h-2v-2H9.8A3 3 0 0 1 7 12z",
  broadcasts: "M10 10v7M7.2 12.8a4 4 0 1 1 5.6 0M4.6 15.4a7.6 7.6 0 1 1 10.8 0",
  activities: "M6 2.5h8a1.5 1.5 0 0 1 1.5 1.5v12a1.5 1.5 0 0 1-1.5 1.5H6A1.5 1.5 0 0 1 4.5 16V4A1.5 1.5 0 0 1 6 2.5zM7.5 6.5h5v4h-5z",
  topics: "M10 3a5 5 0 0 0-5 5v3.5L3.5 14h13L15 11.5V8a5 5 0 0 0-5-5zM8.3 16.5a1.8 1.8 0 0 0 3.4 0",
  segments: "M7.5 9a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM2.5 16c0-3 2-4.5 5-4.5s5 1.5 5 4.5M13 9.2a2.3 2.3 0 1 0-.6-4.5M14.5 11.8c2 .4 3 1.9 3 4.2",
  compose: "M4 16l.8-3.4L13.4 4a1.4 1.4 0 0 1 2 0l.6.6a1.4 1.4 0 0 1 0 2L7.4 15.2zM12 5.5l2.5 2.5",
  phone: "M8.5 14a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM12.6 12.6L17 17",
  webhooks: "M8 8.5a3 3 0 1 1 3.6 1.3l2 3.7M8.7 9.5L6.5 13M6 13a2 2 0 1 0 2 2h5M13 13.3a2 2 0 1 1 .2 3.6",
  limits: "M3 6h9M15 6h2M3 14h2M8 14h9M13.5 4.5v3M6.5 12.5v3M3 10h14",
  menu: "M3 5.5h14M3 10h14M3 14.5h14",
};

/// The picture of a view.
export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 20 20", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: PATHS[name] ?? "", fill: "none", stroke: "currentColor", "stroke-width": "1.5", "stroke-linecap": "round", "stroke-linejoin": "round" }));
}

/// The sign of the product.
export function sign() {
  return svg("svg", { class: "sign", viewBox: "0 0 32 32", "aria-hidden": "true", focusable: "false" },
    svg("rect", { width: 32, height: 32, rx: 8, class: "sign-ground" }),
    [[7, 15, 8], [14, 10, 13], [21, 6, 17]].map(([x, y, height]) => svg("rect", { x, y, width: 4, height, rx: 2, fill: "#fff" })));
}
