// Plots over time with a bounded window, and curves; each can be read as a table as well.

import { h, put, setText } from "./dom.js";
import { color } from "./theme.js";
import { Readings } from "./window.js";

/// How many readings a plot keeps, and how many its table has.
const WINDOW = 300;
const TABLE = 20;
/// A time axis has so many milliseconds at least.
const SHORTEST = 20_000;

const two = (value) => String(value).padStart(2, "0");
const clock = (ms) => {
  const at = new Date(ms);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
};

function look() {
  return { text: color("quiet"), grid: color("line"), font: { size: 11, family: getComputedStyle(document.body).fontFamily } };
}

function options({ format, x, maxX, radius }) {
  const { text, grid, font } = look();
  return {
    animation: false, responsive: true, maintainAspectRatio: false, normalized: true, parsing: false,
    interaction: { mode: "index", intersect: false },
    elements: { point: { radius, hitRadius: 8 }, line: { borderWidth: 1.75, tension: 0.2 } },
    plugins: { legend: { display: false }, tooltip: { callbacks: { title: (items) => x(items[0]?.parsed.x), label: (item) => `${item.dataset.label}: ${format(item.parsed.y)}` } } },
    scales: {
      x: { type: "linear", max: maxX, grid: { display: false, drawBorder: false }, ticks: { color: text, font, maxTicksLimit: 5, maxRotation: 0, callback: (value) => x(value) } },
      y: { beginAtZero: true, grid: { color: grid, drawBorder: false }, ticks: { color: text, font, maxTicksLimit: 4, callback: (value) => format(value) } },
    },
  };
}

/// The axis of a plot over time has four marks at most, each at a whole second.
function timeOptions(format, isFilled) {
  const all = options({ format, x: clock, radius: isFilled ? 0 : 1.5 });
  all.scales.x.afterBuildTicks = (axis) => {
    const step = Math.max(1000, Math.ceil((axis.max - axis.min) / 4000) * 1000);
    axis.ticks = [0.5, 1.5, 2.5, 3.5].map((at) => ({ value: Math.ceil((axis.min + at * step) / 1000) * 1000 })).filter(({ value }) => value <= axis.max);
  };
  return all;
}

function drawn(scope, canvas, config, colors) {
  if (typeof Chart === "undefined") return null;
  const chart = new Chart(canvas, config());
  const paint = () => {
    colors(chart);
    const { text, grid } = look();
    for (const axis of Object.values(chart.options.scales)) axis.ticks.color = text;
    chart.options.scales.y.grid.color = grid;
    chart.update("none");
  };
  scope.listen(document, "themechange", paint);
  scope.onEnd(() => chart.destroy());
  return chart;
}

const dataset = ({ name, tone }, isFilled) => ({
  label: name, data: [], borderColor: color(tone), backgroundColor: isFilled ? `${color(tone)}22` : color(tone), fill: isFilled, spanGaps: false,
});
const repaint = (series, isFilled) => (chart) => series.forEach(({ tone }, at) => {
  chart.data.datasets[at].borderColor = color(tone);
  chart.data.datasets[at].backgroundColor = isFilled ? `${color(tone)}22` : color(tone);
});

function figure(title, canvas, legend, body) {
  const details = h("details", {}, h("summary", {}, "As a table"), body);
  return { details, element: h("figure", { class: "plot" }, h("figcaption", {}, h("span", { class: "plot-title" }, title), legend), h("div", { class: "plot-area" }, canvas), details) };
}

/// A plot of readings over time. `series`: a name and the theme's colour for each; `format` writes a value.
/// `push(at, values)` adds a reading, null for what is not known.
export function timePlot(scope, { title, series, format, isFilled = true }) {
  const readings = new Readings(WINDOW);
  const canvas = h("canvas", { role: "img", "aria-label": `${title}: no readings yet` });
  const values = series.map(() => h("strong", {}, "—"));
  const legend = h("ul", { class: "legend" }, series.map(({ name, tone }, at) => h("li", {}, h("span", { class: `dot tone-${tone}`, "aria-hidden": "true" }), name, " ", values[at])));
  const body = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${title} as a table` });
  const { element, details } = figure(title, canvas, legend, body);
  let chart;
  const fill = () => put(body, h("table", {}, h("caption", { class: "hidden" }, `${title}, the newest readings first`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Time"), series.map(({ name }) => h("th", { scope: "col", class: "numeric" }, name)))),
    h("tbody", {}, readings.tail(TABLE).reverse().map(({ at, values: row }) => h("tr", {}, h("th", { scope: "row" }, clock(at)), row.map((value) => h("td", { class: "numeric" }, value === null ? "—" : format(value))))))));
  scope.listen(details, "toggle", () => { if (details.open) fill(); });
  return {
    element,
    push(at, row) {
      readings.push({ at, values: row });
      row.forEach((value, index) => setText(values[index], value === null ? "—" : format(value)));
      canvas.setAttribute("aria-label", `${title}: ${series.map(({ name }, index) => `${name} ${row[index] === null ? "not known" : format(row[index])}`).join(", ")}`);
      if (details.open) fill();
      chart ??= drawn(scope, canvas, () => ({ type: "line", data: { datasets: series.map((one) => dataset(one, isFilled)) }, options: timeOptions(format, isFilled) }), repaint(series, isFilled));
      if (chart === null) return;
      chart.data.datasets.forEach((set, index) => { set.data = readings.items.map((reading) => ({ x: reading.at, y: reading.values[index] ?? NaN })); });
      Object.assign(chart.options.scales.x, { min: Math.min(readings.items[0].at, at - SHORTEST), max: at });
      chart.update("none");
    },
  };
}

/// Curves of how many devices had synced by when. `curves`: name, colour and points each. The axis is logarithmic.
export function syncPlot(scope, { title, curves, format, seconds }) {
  const canvas = h("canvas", { role: "img", "aria-label": `${title}: ${curves.map(({ name, points }) => `${name} ${points.map(([x, y]) => `${format(y)} within ${seconds(x)}`).join(", ")}`).join("; ")}` });
  const legend = h("ul", { class: "legend" }, curves.map(({ name, tone }) => h("li", {}, h("span", { class: `dot tone-${tone}`, "aria-hidden": "true" }), name)));
  const body = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${title} as a table` }, h("table", {}, h("caption", { class: "hidden" }, title),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Within"), curves.map(({ name }) => h("th", { scope: "col", class: "numeric" }, name)))),
    h("tbody", {}, (curves[0]?.points ?? []).map(([x], at) => h("tr", {}, h("th", { scope: "row" }, seconds(x)), curves.map(({ points }) => h("td", { class: "numeric" }, format(points[at]?.[1] ?? NaN))))))));
  const { element } = figure(title, canvas, legend, body);
  const config = () => {
    const all = options({ format, x: seconds, maxX: 900, radius: 3 });
    Object.assign(all.scales.x, { type: "logarithmic", min: 1 });
    all.scales.x.afterBuildTicks = (axis) => { axis.ticks = [1, 5, 30, 60, 300, 900].map((value) => ({ value })); };
    all.scales.x.ticks.maxTicksLimit = 6;
    return { type: "line", data: { datasets: curves.map((curve) => ({ ...dataset(curve, false), data: curve.points.map(([x, y]) => ({ x, y })) })) }, options: all };
  };
  // A canvas that is not in the page yet has no size.
  requestAnimationFrame(() => { if (!scope.isOver) drawn(scope, canvas, config, repaint(curves, false)); });
  return { element };
}
