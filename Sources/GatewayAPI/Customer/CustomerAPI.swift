import Broadcasts
import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import TimeCore

/// The endpoints that marketing systems call: parse, check, call, answer.
struct CustomerAPI: Sendable {
    let store: GatewayStore
    let jobs: JobWorker
    let settings: APISettings
    let clock: @Sendable () -> WallTime
    /// Whether the gateway takes no more work; long work then ends.
    var isStopping: @Sendable () -> Bool = { false }

    var desk: BroadcastDesk {
        BroadcastDesk(store: store, jobs: jobs, maximumUnfinished: settings.maximumBroadcasts)
    }

    /// How long a command is tried while others change the same activity, and the pause between tries.
    static let patience = TimeInterval.seconds(10)
    static let pause = Duration.milliseconds(25)

    typealias Handler = @Sendable (CustomerAPI, CustomerRequest) async throws -> Reply

    static let routes: [(path: RouterPath, isRepeatable: Bool, handler: Handler)] = [
        ("register", true, { try await $0.register($1) }),
        ("add-users", false, { try await $0.addUsers($1) }),
        ("remove-users", false, { try await $0.removeUsers($1) }),
        ("start", true, { try await $0.start($1) }),
        ("restart", true, { try await $0.restart($1) }),
        ("update", true, { try await $0.update($1) }),
        ("end", true, { try await $0.end($1) }),
        ("schedule", false, { try await $0.schedule($1) }),
        ("schedule/cancel", false, { try await $0.cancelSchedules($1) }),
    ]

    /// The activity that a command is for, when its state allows the command.
    func activity(
        _ id: UniqueID?, for command: ActivityCommand, type: String, _ tenantID: String
    ) async throws -> ActivityRecord {
        var record: ActivityRecord?
        if let id { record = try await store.activity(id) }
        if let refusal = Lifecycle.refusal(
            of: command, for: record?.activity, tenantID: tenantID, type: type, now: clock())
        {
            throw APIError(refusal)
        }
        guard let record else { throw APIError(ActivityRefusal.notFound) }
        return record
    }
}

/// A customer's request that has been let in.
struct CustomerRequest: Sendable {
    let tenantID: String
    let body: JSONValue
    /// `Prefer: respond-async` (RFC 7240).
    let prefersAsync: Bool
    /// The `X-Request-Id`.
    let requestID: String
    /// What a broadcast of this request is called. A repetition with the same `Idempotency-Key` has the same.
    var broadcastID = UniqueID.random()

    func named(_ broadcastID: UniqueID) -> CustomerRequest {
        var named = self
        named.broadcastID = broadcastID
        return named
    }
}
