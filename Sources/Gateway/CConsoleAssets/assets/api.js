// Requests to the gateway: each has a deadline, and every refusal becomes a `Problem`.

let token = null;
let sessionOver = () => {};

/// Why a request came to nothing: the gateway's words and code, or the page's own: NETWORK, DEADLINE for what only reads,
/// UNCLEAR for what may have been done, CANCELED.
export class Problem extends Error {
  constructor({ status = 0, code, text, retryAfter = null, requestID = null, body = {} }) {
    super(text);
    Object.assign(this, { status, code, retryAfter, requestID, body });
  }
}

/// The token that goes along with every request, and what to do when the session is over.
export function useSession(newToken, whenOver) {
  token = newToken;
  sessionOver = whenOver ?? sessionOver;
}

/// The headers of every request.
export function sessionHeaders() {
  return token === null ? {} : { "X-Console-Token": token };
}

/// Asks the gateway. Answers with the JSON it gave, or its text; throws a `Problem`.
/// `body` is JSON text or an object; `deadline` in seconds; `signal` takes the request back.
export async function ask(method, path, { body, headers = {}, signal, deadline = 15, isSignIn = false } = {}) {
  const isReading = method === "GET" || method === "HEAD";
  const control = new AbortController();
  let late = false;
  const timer = setTimeout(() => { late = true; control.abort(); }, deadline * 1000);
  const cancel = () => control.abort();
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) control.abort();
  try {
    const sent = { ...headers, ...sessionHeaders() };
    if (body !== undefined) sent["Content-Type"] ??= "application/json";
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(path, { method, headers: sent, body: text, signal: control.signal, credentials: "same-origin", cache: "no-store", redirect: "error" });
    return await answer(response, isSignIn);
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (late) throw new Problem({ code: isReading ? "DEADLINE" : "UNCLEAR", text: `No answer within ${deadline} seconds.` });
    if (control.signal.aborted) throw new Problem({ code: "CANCELED", text: "Canceled." });
    throw new Problem({ code: "NETWORK", text: "The gateway is unreachable." });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

async function answer(response, isSignIn) {
  const text = await response.text();
  const value = (response.headers.get("Content-Type") ?? "").includes("json") ? parsed(text) : text;
  if (response.ok) return value;
  throw refusal(response.status, value, (name) => response.headers.get(name), isSignIn);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/// The problem that a refusal is. A 401 from anything but a sign-in ends the session.
export function refusal(status, value, header, isSignIn = false) {
  const body = value !== null && typeof value === "object" ? value : {};
  const retryAfter = Number(header("Retry-After") ?? body.retry_after ?? NaN);
  if (status === 401 && !isSignIn) sessionOver();
  return new Problem({
    status, body, code: body.code ?? `HTTP_${status}`, text: body.error ?? `The gateway answered ${status}.`,
    retryAfter: Number.isFinite(retryAfter) ? Math.min(Math.max(retryAfter, 1), 300) : null, requestID: header("X-Request-Id"),
  });
}

/// The calls of a tenant, under its own prefix.
export function tenantAPI(tenant, signal) {
  const base = `/console/tenants/${encodeURIComponent(tenant)}/api/v1`;
  const call = (method) => (path, options = {}) => ask(method, base + path, { signal, ...options });
  return { base, get: call("GET"), post: call("POST"), put: call("PUT"), patch: call("PATCH"), delete: call("DELETE") };
}

/// A path with a query; what is empty is left out.
export function withQuery(path, query) {
  const given = Object.entries(query).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/// A key that makes the repetition of a call safe.
export function idempotencyKey() {
  return `console-${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
