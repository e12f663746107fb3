import LiveActivity

/// Who a run of consecutive slots belongs to: for each the insider_id and the udid, packed. A udid in the form of a
/// UUID takes 17 bytes instead of 37.
enum IdentityRun {
    // Lengths go up to 250; what lies above marks a packed UUID.
    private static let upperCaseUUID: UInt8 = 254
    private static let lowerCaseUUID: UInt8 = 255

    static func append(_ key: DeviceKey, to run: inout [UInt8]) {
        run.append(UInt8(clamping: key.insiderID.utf8.count))
        run += key.insiderID.utf8
        if let id = UniqueID(key.udid), key.udid == id.description || key.udid == id.description.uppercased() {
            run.append(key.udid == id.description ? lowerCaseUUID : upperCaseUUID)
            run += id.bytes
        } else {
            run.append(UInt8(clamping: key.udid.utf8.count))
            run += key.udid.utf8
        }
    }

    /// Stops at the first damaged entry.
    static func decode(_ run: [UInt8]) -> [DeviceKey] {
        var keys: [DeviceKey] = []
        var reader = ByteReader(run)
        while let length = reader.byte(), let insiderID = reader.take(Int(length)), let udid = decodeUDID(&reader) {
            keys.append(DeviceKey(insiderID: String(decoding: insiderID, as: UTF8.self), udid: udid))
        }
        return keys
    }

    private static func decodeUDID(_ reader: inout ByteReader) -> String? {
        guard let length = reader.byte() else { return nil }
        guard length >= upperCaseUUID else {
            return reader.take(Int(length)).map { String(decoding: $0, as: UTF8.self) }
        }
        guard let text = reader.take(16).flatMap({ UniqueID(bytes: $0) })?.description else { return nil }
        return length == upperCaseUUID ? text.uppercased() : text
    }
}
