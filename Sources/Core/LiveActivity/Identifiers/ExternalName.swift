/// The app's name for an activity that a device opened. It identifies the activity permanently.
public struct ExternalName: Sendable {
    /// The maximum length of `id`, in UTF-8 bytes.
    public static let maximumLength = 250

    /// The activity's type.
    public let type: String
    /// The app's own id of the activity.
    public let id: String
    /// The insider_id of the only user of the activity; nil if all users share it. One id may name a shared activity
    /// and an activity of each user, all of them different.
    public let owner: String?

    public init(_ id: String, type: String, owner: String? = nil) {
        self.type = type
        self.id = id
        self.owner = owner
    }

    /// The unique bytes of the name. They are unambiguous because types and insider_ids contain no zero byte, and types
    /// are not empty.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        if let owner { bytes += [0] + Array(owner.utf8) + [0] }
        bytes += Array(type.utf8) + [0]
        return bytes + id.utf8
    }
}
