import TimeCore

/// The pace and limits of a load test with marketing systems.
struct BroadcastPlan: Sendable {
    let name: String
    let pace: Pacer.Pace
    let limits: LoadRun<BroadcastPlayer>.Limits
    let connections: Int
    /// Nil if the number is unknown.
    let expectedCalls: Int?

    init(_ load: BroadcastLoad) {
        var limits = LoadRun<BroadcastPlayer>.Limits()
        limits.timeout = load.target.timeout
        limits.requests = load.target.maximumRequests
        guard !load.startsOne else {
            // One register, add-users for the rest of the segment, and the start, in sequence.
            let calls = 1 + (load.segmentSize - 1) / BroadcastLoad.chunk + 1
            limits.inFlight = 1
            self.limits = limits
            name = "start"
            pace = .closed(calls: calls)
            connections = 1
            expectedCalls = calls
            return
        }
        limits.inFlight = load.inFlight
        limits.followUps = load.keepsSyncs ? BroadcastLoad.followUps : 0
        let pattern: ArrivalPattern =
            switch load.arrivals {
            case .poisson: .poisson(perSecond: load.rate)
            case .uniform: .uniform(perSecond: load.rate)
            }
        let schedule = ArrivalSchedule(
            pattern, calls: load.callLimit, duration: load.duration, generator: SplitMix64(seed: load.target.seed))
        limits.duration = load.duration ?? schedule.last
        self.limits = limits
        name = "calls"
        pace = .open(schedule)
        connections = limits.inFlight + limits.followUps
        expectedCalls =
            load.keepsSyncs ? nil : min(load.callLimit, load.duration.map { Int($0.inSeconds * load.rate) } ?? .max)
    }
}

extension BroadcastPlayer {
    init(_ load: BroadcastLoad, url: GatewayURL) throws(LoadTestError) {
        let population = load.target.population
        var options = Options()
        options.mix = load.mix
        options.targetShare = load.startsOne ? 0 : load.targetShare
        options.targets = load.targets
        options.lifetime = load.lifetime
        options.forcesEnds = !load.keepsSyncs
        options.startsOne = load.startsOne
        options.activityType = load.activityType
        options.run = load.target.run
        options.comparesPhones = !load.target.mocks.isEmpty
        var trackerOptions = ActivityTracker.Options(population: population)
        trackerOptions.keys = load.apiKeys.count
        trackerOptions.maximumActivities = load.maximumActivities
        trackerOptions.segmentSize = load.segmentSize
        trackerOptions.chunk = BroadcastLoad.chunk
        trackerOptions.syncShare = load.keepsSyncs ? load.syncShare : 0
        var requests: [MarketingRequests] = []
        for key in load.apiKeys {
            requests.append(
                MarketingRequests(
                    url: url, key: try CallKey(key, name: "an API key"), population: population,
                    type: load.activityType, contentBytes: load.contentBytes))
        }
        var syncs: [SyncRequest] = []
        for (index, key) in load.sdkKeys.enumerated() {
            let secret = load.identitySecrets.isEmpty ? nil : load.identitySecrets[index]
            let device = try DeviceCredential(sdkKey: key, secret, load.target)
            let head = RequestHead(.sync, url: url, device: device)
            syncs.append(SyncRequest(head: head, population: population))
        }
        self.init(
            options, tracker: ActivityTracker(trackerOptions), requests: requests, syncs: syncs,
            generator: SplitMix64(seed: load.target.seed ^ 0xB0_0D_CA_57))
    }
}
