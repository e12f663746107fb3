// What a lock screen could show of a content: a match, something that progresses, or plain facts. Pure.

const isScalar = (value) => ["string", "number", "boolean"].includes(typeof value);
const lower = (name) => name.toLowerCase().replaceAll(/[_-]/g, "");

function finder(...objects) {
  const found = new Map();
  for (const object of objects) for (const [name, value] of Object.entries(object)) if (isScalar(value)) found.set(lower(name), value);
  return (...names) => names.map((name) => found.get(name)).find((value) => value !== undefined);
}

/// The layouts that can be chosen.
export const LAYOUTS = [["auto", "By content"], ["match", "Match"], ["progress", "Progress"], ["facts", "Facts"]];

/// The parts of a preview. `layout` is one of `LAYOUTS`; what a layout lacks is left empty.
export function previewOf({ type, title, message, state, attributes }, layout = "auto") {
  const get = finder(attributes, state);
  const shown = layout === "auto" ? chosen(get) : layout;
  const base = { layout: shown, app: appName(type), title, message };
  if (shown === "match") return { ...base, ...match(get, finder(attributes)) };
  if (shown === "progress") return { ...base, ...progress(get) };
  return { ...base, facts: Object.entries(state).filter(([, value]) => isScalar(value)).slice(0, 6).map(([name, value]) => [name, String(value)]) };
}

function chosen(get) {
  if (scores(get) !== null) return "match";
  return get("progress", "percent", "eta", "minutes") !== undefined ? "progress" : "facts";
}

function scores(get) {
  const home = get("home", "homescore", "scorehome");
  const away = get("away", "awayscore", "scoreaway");
  return home === undefined || away === undefined ? null : [home, away];
}

function match(get, fixed) {
  const [home, away] = scores(get) ?? ["–", "–"];
  return {
    home: { name: String(get("hometeam", "homename") ?? "Home"), score: String(home) },
    away: { name: String(get("awayteam", "awayname") ?? "Away"), score: String(away) },
    clock: String(get("clock", "minute", "time") ?? ""), period: String(get("period", "phase", "status") ?? ""),
    league: String(fixed("league", "competition", "cup") ?? ""),
  };
}

function progress(get) {
  const given = Number(get("progress", "percent") ?? NaN);
  const share = given > 1 ? given / 100 : given;
  const eta = get("eta", "minutes", "etaminutes");
  return {
    share: Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : null,
    status: String(get("status", "step", "stage") ?? ""), eta: eta === undefined ? "" : typeof eta === "number" ? `${eta} min` : String(eta),
    detail: String(get("order", "orderid", "shop") ?? ""),
  };
}

/// `MatchAttributes` as `Match`, which stands in place of the app's name.
export function appName(type) {
  return String(type ?? "").replace(/Attributes$/, "") || "Your app";
}

/// The letters that stand in place of a team's crest.
export function initials(name) {
  const parts = name.trim().split(/\s+/).filter((word) => word !== "");
  const letters = parts.length > 1 ? parts.slice(0, 3).map((word) => [...word][0]) : [...(parts[0] ?? "?")].slice(0, 3);
  return letters.join("").toUpperCase();
}
