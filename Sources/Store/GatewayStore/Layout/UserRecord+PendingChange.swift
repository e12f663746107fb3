import Encodings
import LiveActivity
import RedisClient

extension UserRecord {
    /// Returns the call that deletes the note of a device's change once the rosters have it; nil without a note. Until
    /// then, an unchanged report carries the change.
    func settlingChange(of key: DeviceKey, tenantID: String) -> ScriptCall<Bool>? {
        guard let number = device(key.udid)?.number, let version = pendingChanges[number] else { return nil }
        return Scripts.deleteField(
            hash: Keys.user(tenantID, key.insiderID), field: [UInt8(ascii: "c")] + Varint.encode(number),
            value: version)
    }
}
