import FeedCore
import Feeds
import Gateway
import GatewayStore
import LiveActivity
import Logging
import MockFeed
import Testing
import TimeCore

extension TestStage {
    /// Runs with a feed of the stage's tenant, and gateways that read it.
    func withFeed(
        gateways count: Int = 1, usesTLS: Bool = false, logger: Logger = TestStage.silent,
        _ configure: (inout FeedOptions) -> Void = { _ in }, _ body: (MockFeed, [Gateway]) async throws -> Void
    ) async throws {
        var mockOptions = MockFeed.Options()
        if usesTLS { mockOptions.directory = "\(directory)/feed" }
        let mock = try await MockFeed.start(mockOptions)
        var feed = FeedOptions(number: 0, tenantID: tenant.tenantID, url: mock.url)
        feed.caFile = mock.caFile
        feed.interval = .milliseconds(100)
        (feed.lease, feed.look) = (.seconds(3), .milliseconds(100))
        configure(&feed)
        var options = options
        options.feeds = [feed]
        var gateways: [Gateway] = []
        let result: Result<Void, any Error>
        do {
            for _ in 0..<count { gateways.append(try await Gateway.start(options, logger: logger)) }
            result = .success(try await body(mock, gateways))
        } catch {
            result = .failure(error)
        }
        for gateway in gateways { await gateway.stop() }
        await mock.stop()
        try result.get()
    }

    /// Returns one topic as a feed sends it.
    static func element(_ state: String, named name: String = "m1", score: Int = 0, more: String = "") -> String {
        """
        {"topic":"\(name)","activity_type":"\(type)","state":"\(state)","content":{"title":"Kick-off","message":"Now",\
        "content_state":{"score":\(score)},"attributes":{"m":1}}\(more)}
        """
    }

    /// Returns the state of the stage's feed from Redis.
    func feedState(_ mock: MockFeed) async throws -> FeedState {
        // A made-up holder gets no lease, or returns it at once.
        let id = FeedID(tenantID: tenant.tenantID, url: mock.url)
        let holder = UniqueID.random()
        let found = try await setup.store.feeds.lease(id, holder: holder, for: .milliseconds(1))
        try await setup.store.feeds.returnLease(id, holder: holder)
        return found.record.state
    }

    func topic(named name: String = "m1") async throws -> Answer {
        try await read("/api/v1/topics/\(name)")
    }
}
