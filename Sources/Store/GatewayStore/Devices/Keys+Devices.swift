extension Keys {
    static func user(_ tenantID: String, _ insiderID: String) -> String {
        String(decoding: encodedUser(tenantID, insiderID), as: UTF8.self)
    }

    /// The same as bytes, which cost less to put together.
    static func encodedUser(_ tenantID: String, _ insiderID: String) -> [UInt8] {
        let prefix = userPrefix(tenantID)
        var key: [UInt8] = []
        key.reserveCapacity(prefix.count + insiderID.utf8.count + 1)
        appendUser(prefix, insiderID, to: &key)
        return key
    }

    /// With what the keys of all users of a tenant begin.
    static func userPrefix(_ tenantID: String) -> [UInt8] { Array("fanfare:{u:\(tenantID):".utf8) }

    /// Appends the key of a user whose tenant's prefix is given.
    static func appendUser(_ prefix: [UInt8], _ insiderID: String, to key: inout [UInt8]) {
        key += prefix
        key += insiderID.utf8
        key.append(UInt8(ascii: "}"))
    }

    /// Who owns push-to-start tokens: one of the buckets of a level.
    static func tokenOwners(_ tenantID: String, level: Int, bucket: UInt64) -> String {
        "fanfare:{o:\(tenantID):\(level).\(bucket)}"
    }
}
