import Encodings
import EventCore
import LiveActivity
import Secrets
import TimeCore

/// A user's action on a Live Activity, as a device reports it.
struct LiveActivityReport {
    let key: DeviceKey
    let activity: Activity
    /// The system's id, iOS `Activity.id`; nil if it is not known.
    let systemActivityID: String?
    /// The schedule that last drove it; nil if there is none.
    let driver: Driver?
}

/// The schedule that last drove a Live Activity.
struct Driver: Equatable {
    let schedule: String
    /// The schedule's name; nil if it has none.
    let name: String?

    /// Parses a script's reply, in which an empty text means none.
    init?(schedule: String?, name: String?) {
        guard let schedule, !schedule.isEmpty else { return nil }
        self.schedule = schedule
        self.name = name.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Parses the fields of an activity: schedule and name.
    init?(_ fields: [String?]) {
        guard fields.count == 2 else { return nil }
        self.init(schedule: fields[0], name: fields[1])
    }

    /// Parses the text of a user's record: `SCHEDULE:NAME`.
    init?(own text: String?) {
        guard let parts = text?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false), parts.count == 2
        else { return nil }
        self.init(schedule: String(parts[0]), name: String(parts[1]))
    }
}

// Events about users' actions on single Live Activities. Callers check first that events are recorded.
extension StoredEvents {
    /// Records the tap of a Live Activity.
    /// - Parameter tap: The tap's name, equal in repeated reports; nil if each report is a tap of its own.
    func publishTapped(_ report: LiveActivityReport, tap: String?) async throws(StoreError) {
        let id = RecordedEvent.id(.tapped, report.activity.id, tap ?? UniqueID.random().description)
        try await publish(report, .tapped, id)
    }

    /// Records the dismissal of a Live Activity. Must run before its state changes, so that a repeated report publishes
    /// the same event.
    /// - Parameter starts: The number of the device's starts. It distinguishes Live Activities without a system id.
    func publishDismissed(_ report: LiveActivityReport, slot: UInt32, starts: Int) async throws(StoreError) {
        let which = report.systemActivityID.map { "named\n\($0)" } ?? "\(starts)"
        try await publish(report, .dismissed, RecordedEvent.id(.dismissed, report.activity.id, slot, which))
    }

    private func publish(_ report: LiveActivityReport, _ type: EventType, _ id: String) async throws(StoreError) {
        let event = RecordedEvent(id: id, type: type, time: wallClock(), data: EventData.liveActivity(report))
        try await publish([event], from: .device, tenantID: report.activity.tenantID)
    }
}

/// Names taps by everything that distinguishes them.
enum TapName {
    static func text(_ key: DeviceKey, systemActivityID: String, tapID: String) -> String {
        digest([key.insiderID, key.udid, systemActivityID, tapID])
    }

    /// The key of a device's taps.
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
