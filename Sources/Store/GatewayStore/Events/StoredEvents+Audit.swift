import EventCore
import LiveActivity
import RedisClient
public import TimeCore

// Changes that somebody has made, as events: only for tenants that have asked for them, because a customer who calls
// often would fill the stream.
extension StoredEvents {
    private static let auditField = "audit"

    /// Records a change as an event, where the tenant wants that.
    /// - Parameter data: the event's.
    /// - Returns: whether it does.
    @discardableResult
    public func publishAudit(
        _ data: [UInt8], at time: WallTime, from source: EventSource = .customer, tenantID: String
    ) async throws(StoreError) -> Bool {
        let asked = MonotonicTime.now()
        if let known = switches[tenantID, asked], !(known.areOn && known.hasAudit) { return false }
        let read = StoredEvents.switches(try await value(StoredEvents.readSwitches(tenantID)).array ?? [])
        switches.read(read, of: tenantID, asked: asked)
        guard read.areOn, read.hasAudit else { return false }
        let event = RecordedEvent(
            id: RecordedEvent.id(.audit, UniqueID.random()), type: .audit, time: time, data: data)
        return try await publish([event], from: source, tenantID: tenantID) > 0
    }

    /// Asks for what is switched on.
    static func readSwitches(_ tenantID: String) -> RedisCommand {
        RedisCommand("HMGET", Keys.eventSettings(tenantID), "on", auditField)
    }

    /// What the answer says.
    static func switches(_ reply: [RedisValue]) -> EventSwitches.Switches {
        EventSwitches.Switches(areOn: reply.first?.string == "1", hasAudit: reply.last?.string == "1")
    }

    /// Whether it was read a moment ago that changes are no events of the tenant.
    public func isAuditKnownOff(_ tenantID: String) -> Bool {
        switches[tenantID, .now()].map { !($0.areOn && $0.hasAudit) } ?? false
    }

    /// Whether changes are events of the tenant.
    public func recordsAudit(_ tenantID: String) async throws(StoreError) -> Bool {
        try await value(RedisCommand("HGET", Keys.eventSettings(tenantID), StoredEvents.auditField)).string == "1"
    }

    /// Switches that on or off.
    public func setAudit(_ tenantID: String, isOn: Bool) async throws(StoreError) {
        let key = Keys.eventSettings(tenantID)
        _ = try await value(
            isOn
                ? RedisCommand("HSET", key, StoredEvents.auditField, "1")
                : RedisCommand("HDEL", key, StoredEvents.auditField))
        if isOn { await EventSwitches.settle() }
    }
}
