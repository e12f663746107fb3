import RedisClient

/// What `Scripts.putDevice` has done.
struct PutDeviceReply {
    /// The user's hash is full: nothing was written.
    var isFull = false
    /// The user, or the device, has been erased since it was reported: nothing was written.
    var isErased = false
    /// A token that the device has no more.
    var replacedToken: [UInt8]?
    /// The user, where a change has to be carried to its places in activities.
    var user: UserRecord?

    init(_ reply: RedisValue) {
        guard let parts = reply.array else {
            isFull = reply.int == -1
            isErased = reply.int == -3
            return
        }
        replacedToken = parts.first?.bytes.flatMap { $0.isEmpty ? nil : $0 }
        user = UserRecord(RedisValue.array(Array(parts.dropFirst())).fields)
    }

    /// There is nothing more to do, as nearly always.
    var isDone: Bool { replacedToken == nil && user == nil && !isErased }
}
