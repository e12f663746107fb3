extension Keys {
    static func user(_ tenantID: String, _ insiderID: String) -> String {
        String(decoding: encodedUser(tenantID, insiderID), as: UTF8.self)
    }

    /// The key of a user as bytes, which are cheaper to build than a string.
    static func encodedUser(_ tenantID: String, _ insiderID: String) -> [UInt8] {
        let prefix = userPrefix(tenantID)
        var key: [UInt8] = []
        key.reserveCapacity(prefix.count + insiderID.utf8.count + 1)
        appendUser(prefix, insiderID, to: &key)
        return key
    }

    /// The common prefix of the keys of a tenant's users.
    static func userPrefix(_ tenantID: String) -> [UInt8] { Array("fanfare:{u:\(tenantID):".utf8) }

    /// Appends the key of a user to the tenant's prefix.
    static func appendUser(_ prefix: [UInt8], _ insiderID: String, to key: inout [UInt8]) {
        key += prefix
        key += insiderID.utf8
        key.append(UInt8(ascii: "}"))
    }

    /// A bucket of the index of token owners.
    static func tokenOwners(_ tenantID: String, level: Int, bucket: UInt64) -> String {
        "fanfare:{o:\(tenantID):\(level).\(bucket)}"
    }
}
