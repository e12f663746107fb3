import TimeCore

extension TopicLoad {
    /// The maximum number of readings in a second: a third of a key's rate limit, or more with more than 25 topics.
    private var readingRate: Double { max(5, Double(topics) / 5) }

    /// The interval between two readings of a topic: at most five seconds.
    var readingInterval: TimeInterval { .seconds(max(0.5, Double(topics) / readingRate)) }

    /// The schedule of readings while topics settle.
    var settlingReadings: ArrivalSchedule {
        let rate = min(readingRate, 2 * Double(topics))
        return ArrivalSchedule(
            .uniform(perSecond: rate), calls: .max, duration: settleWithin, generator: SplitMix64(seed: target.seed))
    }

    /// The load that registers the devices first.
    var registration: DeviceLoad {
        var load = DeviceLoad()
        load.target = target
        load.sdkKey = sdkKey
        load.identitySecret = identitySecret
        load.registers = true
        load.connections = connections
        return load
    }

    /// - Parameters:
    ///   - duration: The due time of the last scheduled call.
    ///   - hasFollowUps: True to reserve half of the connections for follow-ups.
    func limits<Player: CallPlayer>(duration: TimeInterval? = nil, hasFollowUps: Bool = false) -> LoadRun<Player>.Limits
    {
        var limits = LoadRun<Player>.Limits()
        limits.timeout = target.timeout
        limits.requests = target.maximumRequests
        limits.duration = duration
        limits.followUps = hasFollowUps ? connections / 2 : 0
        limits.inFlight = connections - limits.followUps
        return limits
    }
}
