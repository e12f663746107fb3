import Encodings
import EventCore
import LiveActivity
import Secrets
import TimeCore

/// What a user did with a Live Activity, as a device reports it.
struct LiveActivityReport {
    let key: DeviceKey
    let activity: Activity
    /// What iOS calls it; nil when that was never said.
    let systemActivityID: String?
    /// What last drove it; nil when that was no schedule.
    let driver: Driver?
}

/// The schedule that last drove a Live Activity.
struct Driver: Equatable {
    let schedule: String
    /// Nil when it has none.
    let name: String?

    /// As the script tells it: empty texts stand for nothing.
    init?(schedule: String?, name: String?) {
        guard let schedule, !schedule.isEmpty else { return nil }
        self.schedule = schedule
        self.name = name.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// As the activity keeps it: schedule and name.
    init?(_ fields: [String?]) {
        guard fields.count == 2 else { return nil }
        self.init(schedule: fields[0], name: fields[1])
    }

    /// As it is kept for a user: the schedule, and its name behind a colon.
    init?(own text: String?) {
        guard let parts = text?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false), parts.count == 2
        else { return nil }
        self.init(schedule: String(parts[0]), name: String(parts[1]))
    }
}

// Events about what users do with single Live Activities. Whoever publishes one looks first whether events are
// recorded.
extension StoredEvents {
    /// Tells that a Live Activity was tapped.
    /// - Parameter tap: the tap's name, the same whenever it is reported; nil when it has none, and every report is a
    ///   tap.
    func publishTapped(_ report: LiveActivityReport, tap: String?) async throws(StoreError) {
        let id = RecordedEvent.id(.tapped, report.activity.id, tap ?? UniqueID.random().description)
        try await publish(report, .tapped, id)
    }

    /// Tells that a Live Activity was dismissed. Recorded before its state changes, as its end is: so a report that is
    /// made again, because it had no answer, has the same event.
    /// - Parameter starts: how often the device was started, which tells its Live Activities apart when they have no
    ///   name.
    func publishDismissed(_ report: LiveActivityReport, slot: UInt32, starts: Int) async throws(StoreError) {
        let which = report.systemActivityID.map { "named\n\($0)" } ?? "\(starts)"
        try await publish(report, .dismissed, RecordedEvent.id(.dismissed, report.activity.id, slot, which))
    }

    private func publish(_ report: LiveActivityReport, _ type: EventType, _ id: String) async throws(StoreError) {
        let event = RecordedEvent(id: id, type: type, time: wallClock(), data: EventData.liveActivity(report))
        try await publish([event], from: .device, tenantID: report.activity.tenantID)
    }
}

/// Names a tap by all that tells it from others.
enum TapName {
    static func text(_ key: DeviceKey, systemActivityID: String, tapID: String) -> String {
        digest([key.insiderID, key.udid, systemActivityID, tapID])
    }

    /// What a device's taps are kept by.
    static func device(_ key: DeviceKey) -> String { digest([key.insiderID, key.udid]) }

    private static func digest(_ parts: [String]) -> String {
        var bytes: [UInt8] = []
        for part in parts {
            bytes.append(littleEndian: part.utf8.count, bytes: 2)
            bytes += part.utf8
        }
        return Hexadecimal.encode(Array(Digest.sha256(bytes).prefix(16)))
    }
}
