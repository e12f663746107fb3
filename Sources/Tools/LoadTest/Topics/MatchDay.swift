import TimeCore

/// The events of a match day and their times. Deterministic for options and seed.
struct MatchDay: Sendable {
    enum Event: Sendable, Equatable {
        /// A device follows or unfollows its topic.
        case follow(device: Int)
        case unfollow(device: Int)
        /// A topic goes live, publishes a content (numbered from 1), or ends.
        case kickOff(topic: Int)
        case goal(topic: Int, number: Int)
        case fullTime(topic: Int)
    }

    struct Due: Sendable, Equatable {
        /// The time since the beginning of the day.
        let time: TimeInterval
        let event: Event
    }

    /// The events in order of time. At equal times, events of topics precede those of devices.
    let events: [Due]
    /// The time at which the topics end, since the beginning of the day.
    let fullTime: TimeInterval
    private let topics: Int
    private let first: Int
    private let load: TopicLoad

    init(_ load: TopicLoad) {
        self.load = load
        topics = load.topics
        first = load.target.firstDevice
        let (kickOff, length) = (load.before.inSeconds, load.length.inSeconds)
        fullTime = .seconds(kickOff + length)
        var events: [Due] = []
        func add(_ event: Event, at seconds: Double) { events.append(Due(time: .seconds(seconds), event: event)) }
        for topic in 0..<load.topics {
            add(.kickOff(topic: topic), at: kickOff)
            for goal in 1..<load.goals + 1 {
                let share = Double(goal) / Double(load.goals + 1)
                add(.goal(topic: topic, number: goal), at: kickOff + length * share)
            }
            add(.fullTime(topic: topic), at: kickOff + length)
        }
        for device in first..<first + load.target.devices {
            let draw = Draw(device, load)
            let follows = draw.isEarly ? kickOff * draw.follow : kickOff + load.storm.inSeconds * draw.follow
            add(.follow(device: device), at: follows)
            guard draw.unfollows else { continue }
            // Between full time and the later of the follow and the kick-off.
            let from = max(follows, kickOff)
            add(.unfollow(device: device), at: from + (kickOff + length - from) * draw.leave)
        }
        // The offset keeps the order of events with equal times.
        self.events = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }

    /// The times of all events.
    var schedule: ArrivalSchedule {
        ArrivalSchedule(
            .listed(events.map(\.time)), calls: events.count, duration: nil, generator: SplitMix64(seed: 0))
    }

    /// Returns the topic that a device follows.
    func topic(of device: Int) -> Int { (device - first) % topics }

    /// Returns the delay of a device's token report after its start; nil if it does not report.
    func report(of device: Int) -> TimeInterval? {
        let draw = Draw(device, load)
        return draw.reports ? .seconds(load.reportWithin.inSeconds * draw.report) : nil
    }

    /// Returns the share of the remaining time after which a device dismisses its Live Activity; nil if it does not.
    func dismissal(of device: Int) -> Double? {
        let draw = Draw(device, load)
        return draw.dismisses ? draw.leave : nil
    }
}

/// The random draws of a device. Deterministic for a seed.
private struct Draw {
    let isEarly: Bool
    let follow: Double
    let reports: Bool
    let report: Double
    let unfollows: Bool
    let dismisses: Bool
    let leave: Double

    init(_ device: Int, _ load: TopicLoad) {
        let own = SplitMix64.scrambled(load.target.seed ^ 0x3A_7C_4D_A1)
        var generator = SplitMix64(seed: own ^ UInt64(truncatingIfNeeded: device) &* 0xD129_0685_25C1_0C7B)
        isEarly = generator.fraction() < load.earlyShare
        follow = generator.fraction()
        reports = generator.fraction() < load.syncShare
        report = generator.fraction()
        let departure = generator.fraction()
        unfollows = departure < load.unfollowShare
        dismisses = !unfollows && departure < load.unfollowShare + load.dismissShare
        leave = generator.fraction()
    }
}
