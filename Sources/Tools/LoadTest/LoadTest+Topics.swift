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
            var report = LoadReport(target: url.description)
            /// Runs a step. `isUseful` is false if the following steps are pointless.
            func carryOut<Player: CallPlayer & Sendable>(
                _ name: String, _ player: Player, calls: Int?, _ pace: Pacer.Pace, _ limits: LoadRun<Player>.Limits
            ) async throws -> (player: Player, isUseful: Bool) {
                let (phase, played) = try await observer.watching(name, total: calls, control) {
                    try await stage.run(name, player, pace: pace, limits: limits)
                }
                report.phases.append(phase)
                return (played, !phase.isBrokenOff && phase.succeeded > 0)
            }
            for step in load.registers ? DeviceStep.steps(load.registration, url: url, device: keys.device) : [] {
                guard try await carryOut(step.name, step.player, calls: step.calls, step.pace, step.limits).isUseful
                else { return report }
            }
            let topics = TopicPlayer(.putTopic, requests.map { $0.upcoming() })
            guard
                try await carryOut("topics", topics, calls: load.topics, .closed(calls: load.topics), load.limits())
                    .isUseful
            else { return report }

            let match = try await carryOut(
                "match", MatchPlayer(load, day, requests: requests, url: url, keys: keys), calls: nil,
                .open(day.schedule),
                load.limits(duration: day.fullTime, hasFollowUps: true))
            var settled = SettlingPlayer(requests.map(\.reading))
            if match.isUseful {
                settled = try await carryOut(
                    "settling", settled, calls: nil, .open(load.settlingReadings),
                    load.limits(duration: load.settleWithin)
                ).player
            }
            report.matchDay = MatchDayReport(match.player, settled)
            if settled.unsettled == 0 { report.phones = try await comparison?.report(match.player.asked) }
            if load.keepsTopics { return report }
            // A user who stopped the run may want to inspect the topics.
            guard match.isUseful, !control.isStopped else {
                report.phases[report.phases.count - 1].notes.append(load.leftTopics)
                return report
            }
            let deletions = TopicPlayer(.deleteTopic, requests.map(\.deletion))
            _ = try await carryOut(
                "deletions", deletions, calls: load.topics, .closed(calls: load.topics), load.limits())
            return report
        }
    }
}
