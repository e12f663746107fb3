// What to do about a refusal, by its code. Pure.

const ADVICE = {
  NETWORK: "The gateway is unreachable. Check that it runs and that this page's address is its console, then try again.",
  DEADLINE: "The gateway is slow or busy. Try again.",
  UNCLEAR: "The gateway did not answer in time and may have completed the request. You can safely repeat a start or a send.",
  UNAUTHORIZED: "Check that the key is complete and still valid.",
  TIER_REQUIRED: "The tenant's tier does not include Live Activities. An operator can raise it.",
  LIVE_ACTIVITY_DISABLED: "Live Activities are disabled for this tenant. An operator can enable them.",
  NOT_FOUND: "It does not exist, was deleted, or has expired. Ended activities stay readable for a day.",
  RATE_LIMITED: "The tenant's key has reached its request limit for this minute. The page continues automatically.",
  ALREADY_STARTED: "An activity starts only once. Open it under Activities; restart devices that the start missed.",
  NOT_STARTED: "Start the activity first.",
  DEVICE_NOT_SYNCED: "No phone has reported its update token yet. Wait for a report, or end the activity with force.",
  ACTIVITY_TYPE_MISMATCH: "Enter the activity type that the activity was registered with.",
  PAYLOAD_TOO_LARGE: "Shorten the content. Nothing was sent.",
  NO_ELIGIBLE_DEVICE: "No device is eligible; see the reasons below. Phones need iOS 17.2, consent, notifications and a push-to-start token.",
  IDEMPOTENCY_KEY_REUSED: "The content has changed since the first attempt. Close this dialog and start again.",
  TOO_MANY_WEBHOOKS: "Delete a webhook that you no longer need.",
  WEBHOOK_DISABLED: "Enable the webhook first.",
  WEBHOOKS_NOT_CONFIGURED: "An operator must set events.sealing_key_file first.",
  QUOTA_EXCEEDED: "A quota is used up; see Limits. An operator can raise it.",
  STORE_UNAVAILABLE: "Redis does not answer or refuses commands. The gateway retries automatically; operators see details under Gateway.",
  SHUTTING_DOWN: "This gateway is stopping. Try again when another gateway has replaced it.",
  OVERLOADED: "The tenant has used its share of the gateway. Nothing has changed; try again in a moment.",
  REQUEST_TOO_LARGE: "Send smaller requests.",
  ENDS_AT_TOO_SOON: "Choose an end at least five minutes from now.",
  ENDS_AT_TOO_FAR: "Choose an end within seven days.",
  INTERNAL_ERROR: "The gateway's log has details under the request id.",
  PAGE: "This is an error of the page. Reload it.",
};

/// A sentence on what to do; empty where the refusal's own words are enough.
export function advice(code) {
  return ADVICE[code] ?? "";
}
