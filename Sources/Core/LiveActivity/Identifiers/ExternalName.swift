/// What apps call an activity that a device opened by itself. Of one activity there is one such name for good.
public struct ExternalName: Sendable {
    /// The longest `id` that is taken, in UTF-8 bytes.
    public static let maximumLength = 250

    /// The activity's type.
    public let type: String
    /// The app's own id for it.
    public let id: String
    /// The user whose own it is, by insider_id; nil for one that all users share. The same id may be a user's own,
    /// another user's own and shared: these are three activities.
    public let owner: String?

    public init(_ id: String, type: String, owner: String? = nil) {
        self.type = type
        self.id = id
        self.owner = owner
    }

    /// The name as bytes, which no other name has: neither a type nor an insider_id has a zero byte, and no type is
    /// empty.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        if let owner { bytes += [0] + Array(owner.utf8) + [0] }
        bytes += Array(type.utf8) + [0]
        return bytes + id.utf8
    }
}
