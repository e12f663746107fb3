import GatewayStore
import LiveActivity
import TimeCore

/// The endpoints that marketing systems call: parse, check, call, answer.
struct CustomerAPI: Sendable {
    let store: CustomerStore
    let service: any BroadcastCarrier
    let settings: APISettings
    let clock: @Sendable () -> WallTime
    /// True if the gateway accepts no more work. Long work then ends.
    var isStopping: @Sendable () -> Bool = { false }

    /// The time for which a command is retried while others change the same activity, and the pause between tries.
    static let patience = TimeInterval.seconds(10)
    static let pause = Duration.milliseconds(25)

    /// Returns the activity of a command if its state allows the command.
    func activity(
        _ id: UniqueID?, for command: ActivityCommand, type: String, _ tenantID: String
    ) async throws -> ActivityRecord {
        var record: ActivityRecord?
        if let id { record = try await store.activities.activity(id) }
        if let refusal = Lifecycle.refusal(
            of: command, for: record?.activity, tenantID: tenantID, type: type, now: clock())
        {
            throw APIError(refusal)
        }
        guard let record else { throw APIError(ActivityRefusal.notFound) }
        if let topic = record.topic { throw APIError.ofTopic(topic) }
        return record
    }
}
