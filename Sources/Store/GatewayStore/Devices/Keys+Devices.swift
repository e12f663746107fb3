extension Keys {
    static func user(_ tenantID: String, _ insiderID: String) -> String {
        String(decoding: encodedUser(tenantID, insiderID), as: UTF8.self)
    }

    /// The same as bytes, which cost less to put together.
    static func encodedUser(_ tenantID: String, _ insiderID: String) -> [UInt8] {
        let prefix = "fanfare:{u:"
        var key: [UInt8] = []
        key.reserveCapacity(prefix.utf8.count + tenantID.utf8.count + insiderID.utf8.count + 2)
        key += prefix.utf8
        key += tenantID.utf8
        key.append(UInt8(ascii: ":"))
        key += insiderID.utf8
        key.append(UInt8(ascii: "}"))
        return key
    }

    /// Who owns push-to-start tokens: one of the buckets of a level.
    static func tokenOwners(_ tenantID: String, level: Int, bucket: UInt64) -> String {
        "fanfare:{o:\(tenantID):\(level).\(bucket)}"
    }
}
