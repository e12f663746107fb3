import Broadcasts
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

    /// Returns the activity of a command if its state allows the command.
    /// - Parameter type: Must be that of the activity; nil for any.
    func activity(
        _ id: UniqueID?, for command: ActivityCommand, type: String?, _ tenantID: String
    ) async throws -> ActivityRecord {
        var record: ActivityRecord?
        if let id { record = try await store.activities.activity(id) }
        do {
            return try BroadcastRefusal.allowed(record, command, type: type, tenantID, now: clock())
        } catch {
            throw APIError(error)
        }
    }
}
