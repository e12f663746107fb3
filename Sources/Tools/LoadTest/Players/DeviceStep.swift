import TimeCore

/// A step of a load test with devices.
struct DeviceStep: Sendable {
    let name: String
    let calls: Int
    let player: DevicePlayer
    let pace: Pacer.Pace
    let limits: LoadRun<DevicePlayer>.Limits

    /// Returns the steps of a load in order.
    static func steps(_ load: DeviceLoad, url: GatewayURL, device: DeviceCredential) -> [DeviceStep] {
        let population = load.target.population
        var limits = LoadRun<DevicePlayer>.Limits()
        limits.timeout = load.target.timeout
        limits.inFlight = load.connections
        func call(_ kind: CallKind, _ fields: String = "", _ token: Population.Purpose? = nil) -> DevicePlayer.Call {
            let head = RequestHead(kind, url: url, device: device)
            return .init(kind: kind, request: DeviceRequest(head, population, fields: fields, token: token))
        }
        func player(_ iPhones: DevicePlayer.Call, android: DevicePlayer.Call) -> DevicePlayer {
            DevicePlayer(iPhones, android: android, androidShare: load.androidShare, population)
        }
        func closed(_ name: String, _ player: DevicePlayer, _ calls: Int) -> DeviceStep {
            DeviceStep(name: name, calls: calls, player: player, pace: .closed(calls: calls), limits: limits)
        }
        var steps: [DeviceStep] = []
        if load.registers {
            let phone = #""push_opt_in":true,"gdpr_consent":true,"environment":"production","#
            let (iOS, android) = (
                #""platform":"ios","os_version":"18.1","#, #""platform":"android","os_version":"16","#
            )
            let devices = player(call(.putDevice, iOS + phone), android: call(.putDevice, android + phone))
            steps.append(closed("devices", devices, population.count))
            let tokens = player(
                call(.putToken, "", .startToken), android: call(.putRegistrationToken, "", .startToken))
            steps.append(closed("tokens", tokens, population.count))
        }
        guard let activity = load.activity else { return steps }
        // Android phones report without a token.
        let sync = player(
            call(.sync, activity.reference, .updateToken), android: call(.sync, activity.reference))
        guard let within = load.within else { return steps + [closed("syncs", sync, load.syncCount)] }
        let schedule = ArrivalSchedule(
            .spread(calls: load.syncCount, within: within), calls: load.syncCount, duration: nil,
            generator: SplitMix64(seed: load.target.seed ^ 0x57_0A_11))
        limits.duration = within
        return steps + [
            DeviceStep(name: "syncs", calls: load.syncCount, player: sync, pace: .open(schedule), limits: limits)
        ]
    }
}

extension DeviceLoad.Activity {
    /// The member of a sync that names the activity.
    fileprivate var reference: String {
        switch self {
        case .id(let id): "\"activity_id\":\"\(id)\","
        case .type(let type): "\"activity_type\":\"\(type)\","
        }
    }
}
