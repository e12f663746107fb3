import Gateway
import GatewayStore
import LiveActivity
import Logging
import MockAPNs
import Testing
import TimeCore

extension TestStage {
    /// Runs with an app that has broadcast capability: its channels are looked at all the time, and deleted at once.
    static func runWithChannels(
        gateways: Int = 1, threshold: Int = 3, pool: Int = 1, clock: TestClock? = nil,
        logger: Logger = TestStage.silent,
        configure: (inout GatewayOptions) -> Void = { _ in }, _ body: (TestStage) async throws -> Void
    ) async throws {
        try await run(
            gateways: gateways, clock: clock, logger: logger,
            configure: { options in
                var channels = ChannelOptions()
                channels.threshold = threshold
                channels.pool = pool
                channels.grace = .zero
                channels.period = .milliseconds(50)
                options.channels = channels
                configure(&options)
            }, body)
    }

    /// The devices of these numbers run an iOS that knows no channels from now on.
    func age(_ numbers: Range<Int>) async throws {
        var old = TestStage.phone
        old.osVersion = OSVersion(major: 17, minor: 5)
        for number in numbers {
            try await setup.store.devices.putDevice(old, TestStage.key(number), tenantID: tenant.tenantID)
        }
    }

    /// The channel that a start has named, of which there is one at most.
    func channelFollowed() throws -> String? {
        let named = Set(pushes(.start).compactMap { $0.aps("input-push-channel")?.string })
        try #require(named.count <= 1)
        return named.first
    }

    /// The pushes of one event that went to devices.
    func devicePushes(_ event: MockPushEvent) -> [LedgerEntry] { pushes(event).filter { !$0.token.isEmpty } }
}
