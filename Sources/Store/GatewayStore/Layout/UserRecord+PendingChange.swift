import Encodings
import LiveActivity
import RedisClient
import TimeCore

extension UserRecord {
    /// Returns the call that deletes the note of a device's change once the rosters have it; nil without a note. Until
    /// then, an unchanged report carries the change.
    func settlingChange(of key: DeviceKey, tenantID: String) -> ScriptCall<Bool>? {
        guard let number = device(key.udid)?.number, let version = pendingChanges[number] else { return nil }
        return Scripts.deleteField(
            hash: Keys.user(tenantID, key.insiderID), field: [UInt8(ascii: "c")] + Varint.encode(number),
            value: version)
    }

    /// The time after which a report that is not concluded counts as interrupted.
    private static let reportLife = TimeInterval.seconds(5)

    /// True if a device's report of a new token is not concluded. Another login may have the token as well until then.
    func hasReportInProgress(at now: WallTime) -> Bool {
        pendingChanges.keys.contains { number in
            tokens(ofDevice: number).contains { $0.token.reportedAt + UserRecord.reportLife > now }
        }
    }
}
