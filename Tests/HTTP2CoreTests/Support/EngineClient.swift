import TimeCore

@testable import HTTP2Core

/// The engine as a client under test.
final class EngineClient: Client {
    var connection: HTTP2Connection
    private(set) var outcomes: [UInt32: Outcome] = [:]
    private(set) var goAways: [UInt32] = []
    private(set) var pingsAcknowledged = 0
    private(set) var violations: [String] = []
    private(set) var streams: [UInt32: UInt32] = [:]
    private(set) var cancelled: Set<UInt32> = []
    /// The last limit of concurrent streams that came.
    private(set) var limit: UInt32?
    private var live = 0
    var now = MonotonicTime(nanoseconds: 1)

    init(_ kinds: [RequestKind], nextStream: UInt32 = 1) throws {
        connection = HTTP2Connection(now: now)
        connection.nextStream = nextStream
        for (index, kind) in kinds.enumerated() { connection.setTemplate(try kind.template, at: index) }
    }

    func replace(_ index: Int, by kind: RequestKind) throws {
        connection.setTemplate(try kind.template, at: index)
    }

    /// Streams that are open by the events alone.
    var openStreams: Int { live }

    func open(_ plan: RequestPlan) -> Bool {
        let stream = plan.token.withUnsafeBytes {
            connection.open(template: plan.kind, token: $0, number: plan.number, tag: plan.tag)
        }
        guard let stream else { return false }
        if streams.updateValue(stream, forKey: plan.tag) != nil { violations.append("tag \(plan.tag) twice") }
        live += 1
        if let limit, live > Int(limit) { violations.append("\(live) streams where \(limit) are allowed") }
        return true
    }

    func cancel(tag: UInt32) {
        guard let stream = streams[tag], outcomes[tag] == nil, cancelled.insert(tag).inserted else { return }
        _ = connection.cancel(stream)
        live -= 1
    }

    func ping() { connection.ping() }

    func goAway() { connection.goAway() }

    func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { connection.receive($0, now: now) }
        for event in Array(connection.events) { handle(event) }
        connection.clearEvents()
        if connection.openStreams != live { violations.append("\(connection.openStreams) open, not \(live)") }
    }

    private func handle(_ event: HTTP2Event) {
        switch event {
        case .accepted(let tag): end(tag, .answered(status: 200, body: [], retryAfter: nil))
        case .answered(let tag, let status, let index):
            let details = connection.takeDetails(index)
            end(tag, .answered(status: status, body: details.body, retryAfter: details.retryAfter))
        case .reset(let tag, let code): end(tag, .reset(code: code))
        case .goAway(let code): goAways.append(code)
        case .pingAcknowledged: pingsAcknowledged += 1
        case .settings(let maximum): limit = maximum
        }
    }

    private func end(_ tag: UInt32, _ outcome: Outcome) {
        if streams[tag] == nil { violations.append("an event for tag \(tag), which was never opened") }
        if cancelled.contains(tag) { violations.append("an event for tag \(tag), which was cancelled") }
        if outcomes.updateValue(outcome, forKey: tag) != nil { violations.append("two events for tag \(tag)") }
        live -= 1
    }

    func takeOutput(_ limit: Int) -> [UInt8] {
        let bytes = Array(connection.output.prefix(limit))
        connection.outputTaken(bytes.count)
        return bytes
    }
}
