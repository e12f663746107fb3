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

    init(_ reply: Scripts.PutDeviceReply) {
        switch reply {
        case .outdated, .unchanged, .changed: break
        case .erased: isErased = true
        case .mayNotMakeDevice: mayNotMakeDevice = true
        case .mayNotMakeUser: mayNotMakeUser = true
        case .needsEviction: obstacle = .devices
        case .needsDrop: obstacle = .tokens
        case .tooOld: isTooOld = true
        case .madeDevice: madeDevice = true
        case .madeUser: (madeDevice, madeUser) = (true, true)
        case .unfinished(let madeDevice, let madeUser, let replaced, let fields):
            (self.madeDevice, self.madeUser) = (madeDevice, madeUser)
            replacedTokens = replaced.compactMap { UserRecord.ReplacedToken($0) }
            user = UserRecord(fields)
        }
    }

    /// The reply for a new device of a new user.
    static let madeUser = PutDeviceReply(.madeUser)

    /// The counts of new users and devices.
    var made: Made { madeDevice ? Made(users: madeUser ? 1 : 0, devices: 1, fresh: 1) : .nothing }

    /// True if no further step is necessary.
    var isDone: Bool {
        replacedTokens.isEmpty && user == nil && obstacle == nil && !isErased && !isTooOld && !mayNotMakeDevice
            && !mayNotMakeUser
    }
}
