import TimeCore

extension TopicLoad {
    /// Readings in a second at most: a third of what one key may call, until there are so many topics that the words
    /// about them are more than that as well.
    private var readingRate: Double { max(5, Double(topics) / 5) }

    /// How long it is from one reading of a topic to the next: five seconds at most.
    var readingInterval: TimeInterval { .seconds(max(0.5, Double(topics) / readingRate)) }

    /// When topics are read, while it is waited for their rest.
    var settlingReadings: ArrivalSchedule {
        let rate = min(readingRate, 2 * Double(topics))
        return ArrivalSchedule(
            .uniform(perSecond: rate), calls: .max, duration: settleWithin, generator: SplitMix64(seed: target.seed))
    }

    /// The devices that are registered first.
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
    ///   - duration: when the last call by the clock is due.
    ///   - hasFollowUps: half of the connections are for what follows from answers.
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
