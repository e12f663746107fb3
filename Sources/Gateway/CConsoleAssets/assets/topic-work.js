// The work that is left to do for a topic, in words. Pure.

const works = {
  waiting: "no follower has a device that can be started",
  starting: "start its followers",
  updating: "send the newest content",
  following: "start or end followers who have come or gone",
  ending: "end its Live Activities",
};

/// The work that is left to do; null for none.
export function workOf(topic) {
  return works[topic.work] ?? null;
}

/// The reason why no device of a topic is listed.
export function withoutDevices(topic) {
  if (topic.state !== "live") return "No device shows it: it is not live.";
  return topic.work === "waiting" ? `No device shows it yet: ${works.waiting}.` : "No device shows it yet: it is being started.";
}
