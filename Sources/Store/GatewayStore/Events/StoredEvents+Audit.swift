import EventCore
import LiveActivity
import RedisClient
public import TimeCore

// Audit events. They are off by default, because a customer who calls often would fill the stream.
extension StoredEvents {
    private static let auditField = "audit"

    /// Records a change as an event if the tenant has audit events on.
    /// - Parameter data: The event's data as JSON.
    /// - Returns: True if the event was recorded.
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

    /// Returns the command that reads the event settings.
    static func readSwitches(_ tenantID: String) -> RedisCommand {
        RedisCommand("HMGET", Keys.eventSettings(tenantID), "on", auditField)
    }

    /// Parses the reply of `readSwitches`.
    static func switches(_ reply: [RedisValue]) -> EventSwitches.Switches {
        EventSwitches.Switches(areOn: reply.first?.string == "1", hasAudit: reply.last?.string == "1")
    }

    /// True if a recent read found audit events off. Does not read from the store.
    public func isAuditKnownOff(_ tenantID: String) -> Bool {
        switches[tenantID, .now()].map { !($0.areOn && $0.hasAudit) } ?? false
    }

    /// True if the tenant's audit switch is on.
    public func recordsAudit(_ tenantID: String) async throws(StoreError) -> Bool {
        try await value(RedisCommand("HGET", Keys.eventSettings(tenantID), StoredEvents.auditField)).string == "1"
    }

    /// Switches audit events on or off. Waits only if on, until all gateways know.
    public func setAudit(_ tenantID: String, isOn: Bool) async throws(StoreError) {
        let key = Keys.eventSettings(tenantID)
        _ = try await value(
            isOn
                ? RedisCommand("HSET", key, StoredEvents.auditField, "1")
                : RedisCommand("HDEL", key, StoredEvents.auditField))
        if isOn { await EventSwitches.settle() }
    }
}
