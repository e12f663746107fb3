import RedisClient

/// The reply of `Scripts.putDevice`.
struct PutDeviceReply {
    /// True if the user or the device has been erased since the report. Nothing was written.
    var isErased = false
    /// The kinds of record of which one must be removed before the write.
    enum Obstacle {
        case devices, tokens
    }

    /// The limit that the report meets. Nothing was written.
    var obstacle: Obstacle?
    /// True if the report may not create the device, or the user. Nothing was written.
    var mayNotMakeDevice = false
    var mayNotMakeUser = false
    /// The refusal of a permit to create them; nil until it is known.
    var refusal: StoreError?
    /// True if the report created the device, or the device and its user.
    var madeDevice = false
    var madeUser = false
    /// True if the report is too old to create a device, because later erasures may be forgotten. Nothing was written.
    var isTooOld = false
    /// Replaced tokens of the device whose owner is still recorded.
    var replacedTokens: [UserRecord.ReplacedToken] = []
    /// The user, if the change concerns activities or topics; else nil.
    var user: UserRecord?

    init(_ reply: RedisValue) {
        guard let parts = reply.array else {
            switch reply.int {
            case -3: isErased = true
            case -4: mayNotMakeDevice = true
            case -5: mayNotMakeUser = true
            case -6: obstacle = .devices
            case -7: obstacle = .tokens
            case -8: isTooOld = true
            default: noteMade(reply.int)
            }
            return
        }
        if case .integer(let made)? = parts.first {
            noteMade(made)
        } else {
            replacedTokens = (parts.first?.array ?? []).compactMap { $0.bytes.flatMap(UserRecord.ReplacedToken.init) }
        }
        user = UserRecord(RedisValue.array(Array(parts.dropFirst())).fields)
    }

    /// The reply for a new device of a new user.
    static let madeUser = PutDeviceReply(.integer(3))

    private mutating func noteMade(_ number: Int64?) {
        madeUser = number == 3
        madeDevice = madeUser || number == 2
    }

    /// The counts of new users and devices.
    var made: Made { madeDevice ? Made(users: madeUser ? 1 : 0, devices: 1, fresh: 1) : .nothing }

    /// True if no further step is necessary.
    var isDone: Bool {
        replacedTokens.isEmpty && user == nil && obstacle == nil && !isErased && !isTooOld && !mayNotMakeDevice
            && !mayNotMakeUser
    }
}
