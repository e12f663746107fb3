import TimeCore

extension LoadTest {
    /// Plays a match day. Returns when all topics have settled, after `settleWithin`, or soon after `control.stop()`.
    /// Throws the errors of `devices`.
    public static func topics(
        _ load: TopicLoad, observer: any LoadObserver, control: LoadControl
    ) async throws -> LoadReport {
        try load.check()
        let url = try GatewayURL(load.target.url)
        let keys = try TopicKeys(
            api: CallKey(load.apiKey, name: "the API key"),
            device: DeviceCredential(sdkKey: load.sdkKey, load.identitySecret, load.target))
        let endpoint = try GatewayEndpoint(url, owned: load.target.ownedHost, caFile: load.target.caFile)
        let requests = (0..<load.topics).map { TopicRequests(load, topic: $0, url: url, keys: keys) }
        let day = MatchDay(load)
        let comparison = try await PhoneComparison(load.target, .topic, type: load.activityType)
        return try await LoadStage.with(endpoint, connections: load.connections, control: control) { stage in
            var steps = LoadSteps(stage, observer, control, LoadReport(target: url.description))
            if load.registers {
                let registration = DeviceStep.steps(load.registration, url: url, device: keys.device)
                guard try await steps.areUseful(registration) else { return steps.report }
            }
            let topics = TopicPlayer(.putTopic, requests.map { $0.upcoming() })
            guard try await steps.carryOut("topics", topics, of: load).isUseful else { return steps.report }
            let match = try await steps.carryOut(
                "match", MatchPlayer(load, day, requests: requests, url: url, keys: keys), calls: nil,
                .open(day.schedule), load.limits(duration: day.fullTime, hasFollowUps: true))
            var settled = SettlingPlayer(requests.map(\.reading))
            if match.isUseful { settled = try await steps.settle(settled, load) }
            steps.report.matchDay = MatchDayReport(match.player, settled)
            if settled.unsettled == 0 { steps.report.phones = try await comparison?.report(match.player.asked) }
            if load.keepsTopics { return steps.report }
            // A user who stopped the run may want to inspect the topics.
            guard match.isUseful, !control.isStopped else {
                steps.report.phases[steps.report.phases.count - 1].notes.append(load.leftTopics)
                return steps.report
            }
            _ = try await steps.carryOut("deletions", TopicPlayer(.deleteTopic, requests.map(\.deletion)), of: load)
            return steps.report
        }
    }
}

/// The steps of a load test, one after the other, and what they have shown so far.
private struct LoadSteps {
    private let stage: LoadStage
    private let observer: any LoadObserver
    private let control: LoadControl
    var report: LoadReport

    init(_ stage: LoadStage, _ observer: any LoadObserver, _ control: LoadControl, _ report: LoadReport) {
        self.stage = stage
        self.observer = observer
        self.control = control
        self.report = report
    }

    /// Runs a step. `isUseful` is false if the following steps are pointless.
    mutating func carryOut<Player: CallPlayer & Sendable>(
        _ name: String, _ player: Player, calls: Int?, _ pace: Pacer.Pace, _ limits: LoadRun<Player>.Limits
    ) async throws -> (player: Player, isUseful: Bool) {
        let (phase, played) = try await observer.watching(name, total: calls, control) { [stage] in
            try await stage.run(name, player, pace: pace, limits: limits)
        }
        report.phases.append(phase)
        return (played, !phase.isBrokenOff && phase.succeeded > 0)
    }

    mutating func settle(_ player: SettlingPlayer, _ load: TopicLoad) async throws -> SettlingPlayer {
        let limits: LoadRun<SettlingPlayer>.Limits = load.limits(duration: load.settleWithin)
        return try await carryOut("settling", player, calls: nil, .open(load.settlingReadings), limits).player
    }

    /// Runs steps until one makes the following ones pointless.
    mutating func areUseful(_ steps: [DeviceStep]) async throws -> Bool {
        for step in steps {
            let done = try await carryOut(step.name, step.player, calls: step.calls, step.pace, step.limits)
            guard done.isUseful else { return false }
        }
        return true
    }

    /// Runs a step with one call for each topic.
    mutating func carryOut(
        _ name: String, _ player: TopicPlayer, of load: TopicLoad
    ) async throws -> (player: TopicPlayer, isUseful: Bool) {
        try await carryOut(name, player, calls: load.topics, .closed(calls: load.topics), load.limits())
    }
}
