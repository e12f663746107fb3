// The work that is left to do for a topic, in words. Pure.

const works = {
  waiting: "no follower has an eligible device",
  starting: "start its followers",
  updating: "send the newest content",
  following: "start new followers, end those who unfollowed",
  ending: "end its Live Activities",
};

/// The work that is left to do; null for none.
export function workOf(topic) {
  return works[topic.work] ?? null;
}

/// The reason why no device of a topic is listed.
export function withoutDevices(topic) {
  if (topic.state !== "live") return "No device shows it, because it is not live.";
  return topic.work === "waiting" ? `No device shows it yet: ${works.waiting}.` : "No device shows it yet: it is starting.";
}
