import APNs
import Gateway
import Logging
import MockAPNs
import PushClient
import Testing

// Gateways that cannot push.
extension TestStage {
    /// Starts one more gateway, whose key the provider does not know. It has found that out and left its jobs to the
    /// others. The test stops it.
    func startStranger(
        logger: Logger = TestStage.silent, change: (inout GatewayOptions) -> Void = { _ in }
    ) async throws -> Gateway {
        let stranger = try MockAPNs.start(MockAPNs.Options(directory: "\(directory)/stranger"))
        defer { stranger.stop() }
        var options = options
        options.credential = .init(
            keyFile: stranger.keyFile, keyIdentifier: mock.keyID, teamIdentifier: mock.teamID)
        options.triesCredentials = true
        change(&options)
        let gateway = try await Gateway.start(options, logger: logger)
        try await waitUntilItCannotPush(gateway)
        return gateway
    }

    func waitUntilItCannotPush(_ gateway: Gateway) async throws {
        try await eventually("the jobs are not left to the other one") {
            let ready = try await self.ready(gateway)
            return ready.status == 503 && ready.text.contains("cannot_push")
        }
    }
}
