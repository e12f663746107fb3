// What to do about a refusal, by its code. Pure.

const ADVICE = {
  NETWORK: "The gateway cannot be reached. Look whether it runs and whether this page's address is its console, then try again.",
  DEADLINE: "The gateway is slow or busy. Try again.",
  UNCLEAR: "The gateway did not answer in time, and may have done what was asked. Trying again is safe where it starts or sends.",
  UNAUTHORIZED: "Look whether the key is whole, and still in force.",
  TIER_REQUIRED: "The tenant's tier does not include live activities. An operator can raise it.",
  LIVE_ACTIVITY_DISABLED: "Live activities are switched off for this tenant. An operator can switch them on.",
  NOT_FOUND: "It was never there, has been deleted, or has expired: what has ended can be read for a day.",
  RATE_LIMITED: "The tenant's key has had its requests for this minute. The page goes on by itself when there is room.",
  ALREADY_STARTED: "An activity starts once. Look at it under Activities; for those left out there is a restart.",
  NOT_STARTED: "Start the activity first.",
  DEVICE_NOT_SYNCED: "No phone has reported its update token yet. Wait until one has, or end it by force.",
  ACTIVITY_TYPE_MISMATCH: "Give the activity type that it was registered with.",
  PAYLOAD_TOO_LARGE: "Shorten the content. Nothing was sent.",
  NO_ELIGIBLE_DEVICE: "Nobody here can be started. The reasons below say why: phones need iOS 17.2, consent, notifications and a push-to-start token.",
  IDEMPOTENCY_KEY_REUSED: "The content has changed since the first try. Close this and begin again.",
  TOO_MANY_WEBHOOKS: "Delete a webhook that is no longer needed.",
  WEBHOOK_DISABLED: "Switch the webhook on first.",
  WEBHOOKS_NOT_CONFIGURED: "An operator has to set events.sealing_key_file first.",
  QUOTA_EXCEEDED: "A quota is used up; Limits shows which. An operator can raise it.",
  STORE_UNAVAILABLE: "Redis does not answer or refuses. It is tried again by itself; an operator finds more under Gateway.",
  SHUTTING_DOWN: "This gateway is stopping. Try again when another one has taken its place.",
  OVERLOADED: "As much is under way as the gateway takes for this tenant. Nothing has changed; try again in a moment.",
  REQUEST_TOO_LARGE: "Send less at once.",
  ENDS_AT_TOO_SOON: "Let it end at least five minutes from now.",
  ENDS_AT_TOO_FAR: "Let it end within seven days.",
  INTERNAL_ERROR: "The gateway's log has more, under the request id.",
  PAGE: "This is a fault of the page. Load it again.",
};

/// A sentence on what to do; empty where the refusal's own words are enough.
export function advice(code) {
  return ADVICE[code] ?? "";
}

/// Whether a later try of the same may go well by itself.
export function passes(problem) {
  return problem.status === 429 || problem.status === 503 || problem.code === "NETWORK" || problem.code === "DEADLINE" || problem.code === "UNCLEAR";
}
