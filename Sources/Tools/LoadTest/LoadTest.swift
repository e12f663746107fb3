import TimeCore

/// Load tests of a gateway with simulated devices and marketing systems.
public enum LoadTest {
    /// Simulates devices. Returns when all calls have ended, or soon after `control.stop()`.
    ///
    /// Throws `LoadTestError` if the options are invalid, the host may not be called, or the gateway cannot be reached.
    public static func devices(
        _ load: DeviceLoad, observer: any LoadObserver, control: LoadControl
    ) async throws -> LoadReport {
        try load.check()
        let url = try GatewayURL(load.target.url)
        let device = try DeviceCredential(sdkKey: load.sdkKey, load.identitySecret, load.target)
        let endpoint = try GatewayEndpoint(url, owned: load.target.ownedHost, caFile: load.target.caFile)
        return try await LoadStage.with(endpoint, connections: load.connections, control: control) { stage in
            var report = LoadReport(target: url.description)
            for step in DeviceStep.steps(load, url: url, device: device) {
                let phase = try await observer.watching(step.name, total: step.calls, control) {
                    try await stage.run(step.name, step.player, pace: step.pace, limits: step.limits).phase
                }
                report.phases.append(phase)
                // Devices that are not registered cannot report.
                if phase.isBrokenOff || phase.succeeded == 0 { break }
            }
            return report
        }
    }

    /// Simulates marketing systems. Returns and throws like `devices`.
    public static func broadcasts(
        _ load: BroadcastLoad, observer: any LoadObserver, control: LoadControl
    ) async throws -> LoadReport {
        try load.check()
        let url = try GatewayURL(load.target.url)
        let player = try BroadcastPlayer(load, url: url)
        let endpoint = try GatewayEndpoint(url, owned: load.target.ownedHost, caFile: load.target.caFile)
        let plan = BroadcastPlan(load)
        let comparison = try await PhoneComparison(load.target, .activity, type: load.activityType)
        return try await LoadStage.with(endpoint, connections: plan.connections, control: control) { stage in
            var report = LoadReport(target: url.description)
            var (phase, played) = try await observer.watching(plan.name, total: plan.expectedCalls, control) {
                try await stage.run(plan.name, player, pace: plan.pace, limits: plan.limits)
            }
            phase.replaced = load.startsOne ? 0 : played.tracker.replaced
            phase.pushes = [CallKind.start, .update, .end].map { .init(name: $0.name, count: played.pushes[$0]) }
            report.activityID = load.startsOne ? played.startedID : nil
            report.phases.append(phase)
            report.phones = try await comparison?.report(played.asked, wrongReports: played.wrongReports)
            return report
        }
    }
}
