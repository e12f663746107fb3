import Encodings
import EventCore
import Gateway
import GatewayStore
import LiveActivity
import Testing
import TimeCore
import Webhooks

extension TestStage {
    /// A stage whose gateways deliver to this machine, in quick succession.
    static func webhooks(
        gateways: Int = 1, clock: TestClock? = nil, configure: (inout GatewayOptions) -> Void = { _ in },
        _ body: (TestStage) async throws -> Void
    ) async throws {
        try await run(
            gateways: gateways, clock: clock,
            configure: { options in
                options.webhooks.policy.allowsPlainHTTP = true
                options.webhooks.policy.addressGuard.allowed = [AddressBlock("127.0.0.1")].compactMap { $0 }
                options.webhooks.period = .milliseconds(50)
                options.webhooks.timeout = .seconds(3)
                options.webhooks.lease = .seconds(3)
                configure(&options)
            }, body)
    }

    /// Makes a webhook and gives its id and secret.
    func addWebhook(_ url: String, types: String? = nil) async throws -> (id: String, secret: String) {
        let more = types.map { #","types":[\#($0)]"# } ?? ""
        let answer = try await customer("POST", "webhooks", #"{"url":"\#(url)"\#(more)}"#)
        try #require(answer.status == 201, "\(answer.text)")
        return (try #require(answer["id"]?.string), try #require(answer["secret"]?.string))
    }

    /// The webhook as soon as `condition` holds for it.
    func webhook(
        _ id: String, gateway: Int = 0, until condition: (Answer) -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        let end = MonotonicTime.now() + .seconds(60)
        while true {
            let answer = try await customer("GET", "webhooks/\(id)", gateway: gateway)
            if answer.status == 200, condition(answer) { return answer }
            try #require(MonotonicTime.now() < end, "\(answer.text)", sourceLocation: sourceLocation)
            try await Task.sleep(for: .milliseconds(30))
        }
    }

    /// An event of one's own making.
    func publish(_ number: Int, type: EventType = .broadcastFinished) async throws {
        let event = RecordedEvent(
            id: "evt_own_\(number)", type: type, time: store.wallClock(), data: Array(#"{"n":\#(number)}"#.utf8))
        try await store.events.publish([event], tenantID: tenant.tenantID)
    }
}

extension TestStage.Answer {
    func number(_ name: String) -> Int? { self[name]?.int64.map { Int($0) } }
}
