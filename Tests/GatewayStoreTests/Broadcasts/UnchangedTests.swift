import Delivery
import LiveActivity
import RedisClient
import Testing

@testable import GatewayStore

@Suite("Updates that show nothing new")
struct UnchangedTests {
    private struct Shown {
        var state = #"{"score":"1:0"}"#
        var title: String?
        var relevance: String?

        var payload: Payload {
            var content = Content()
            content.contentState = ArraySlice(state.utf8)
            content.title = title.map { ArraySlice("\"\($0)\"".utf8) }
            var options = PresentationOptions()
            options.relevanceScore = relevance.map { ArraySlice($0.utf8) }
            return .update(content: content, options: options)
        }
    }

    /// True if an update is recorded that may be skipped as unchanged.
    private static func isSent(
        _ shown: Shown, _ record: ActivityRecord, _ stage: StoreStage, scope: BroadcastScope = .wholeSegment,
        skipping: Bool = true
    ) async throws -> Bool {
        var draft = BroadcastDraft(kind: .update, scope: scope, payload: shown.payload, priority: 10, expiration: 77)
        draft.skipsUnchanged = skipping
        switch try await stage.store.broadcasts.begin(draft, for: record) {
        case .success: return true
        case .failure(let change):
            try #require(change.unchanged != nil)
            return false
        }
    }

    @Test("What the whole segment was sent last is not recorded again; any difference that a device shows is")
    func differences() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            var shown = Shown()
            #expect(try await Self.isSent(shown, record, stage))
            #expect(try await !Self.isSent(shown, record, stage))
            // Only if that is asked for.
            #expect(try await Self.isSent(shown, record, stage, skipping: false))
            #expect(try await !Self.isSent(shown, record, stage))
            shown.state = #"{"score":"1:1"}"#
            #expect(try await Self.isSent(shown, record, stage))
            shown.relevance = "1.5"
            #expect(try await Self.isSent(shown, record, stage))
            shown.title = "Goal"
            #expect(try await Self.isSent(shown, record, stage))
            #expect(try await !Self.isSent(shown, record, stage))
            // Content without its former alert is unchanged too; another alert is not.
            shown.title = nil
            #expect(try await !Self.isSent(shown, record, stage))
            shown.title = "Half-time"
            #expect(try await Self.isSent(shown, record, stage))
            let counted = try await stage.store.value(RedisCommand("HGET", Keys.activity(record.activity.id), "order"))
            #expect(counted.string == "7")
        }
    }

    @Test("After an update to a list nothing counts as sent to all, unless the list was sent the same")
    func lists() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let first = Shown()
            #expect(try await Self.isSent(first, record, stage))
            #expect(try await Self.isSent(first, record, stage, scope: .slots([1])))
            #expect(try await !Self.isSent(first, record, stage))
            #expect(try await Self.isSent(Shown(state: "{}"), record, stage, scope: .slots([1])))
            #expect(try await Self.isSent(first, record, stage))
            #expect(try await !Self.isSent(first, record, stage))
        }
    }

    @Test("Of many at once that show the same, one is recorded")
    func concurrency() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let sent = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 { group.addTask { try await Self.isSent(Shown(), record, stage) } }
                return try await group.reduce(into: 0) { if $1 { $0 += 1 } }
            }
            #expect(sent == 1)
        }
    }

    @Test("An update that was stopped may be sent again; nothing of its content outlives it")
    func stopped() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            for isStopped in [true, false] {
                let draft = BroadcastDraft(
                    kind: .update, scope: .wholeSegment, payload: Shown().payload, priority: 10, expiration: 77)
                let order = try #require(try? await stage.store.broadcasts.begin(draft, for: record).get())
                let key = Keys.broadcast(record.activity.id, order.id)
                if isStopped {
                    _ = try await stage.store.value(RedisCommand("HSET", key, BroadcastStop.stopField, "expired"))
                }
                for job in try await stage.jobs(order) {
                    _ = try await stage.store.jobs.complete(job, order, as: stage.gateway)
                }
                let ended = try await stage.store.broadcasts.broadcast(order.id)
                #expect(ended?.state == (isStopped ? .failed : .done))
                let kept = try await stage.store.value(RedisCommand("HGET", Keys.activity(record.activity.id), "shown"))
                #expect(kept.bytes?.count == (isStopped ? nil : ContentDigest.partLength))
                #expect(try await Self.isSent(Shown(), record, stage, scope: .slots([0])))
            }
        }
    }
}
