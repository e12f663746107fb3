import RedisClient

/// What `Scripts.putDevice` has done.
struct PutDeviceReply {
    /// The user, or the device, has been erased since it was reported: nothing was written.
    var isErased = false
    /// What must make way before anything is written.
    enum Obstacle {
        case devices, tokens
    }

    /// Nothing was written: something must make way first.
    var obstacle: Obstacle?
    /// Nothing was written: a device, or a user, that was not known may not be made.
    var mayNotMakeDevice = false
    var mayNotMakeUser = false
    /// Why not, once that is known.
    var refusal: StoreError?
    /// The device was not known before, and its user was not either.
    var madeDevice = false
    var madeUser = false
    /// Nothing was written: the report has been under way for so long that nobody knows who was erased since.
    var isTooOld = false
    /// Tokens that the device has no more, of which it is still noted whose they are.
    var replacedTokens: [UserRecord.ReplacedToken] = []
    /// The user, where a change has to be carried to its places in activities.
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

    /// A device of a user who was not known.
    static let madeUser = PutDeviceReply(.integer(3))

    private mutating func noteMade(_ number: Int64?) {
        madeUser = number == 3
        madeDevice = madeUser || number == 2
    }

    /// As it is counted.
    var made: Made { madeDevice ? Made(users: madeUser ? 1 : 0, devices: 1, fresh: 1) : .nothing }

    /// There is nothing more to do, as nearly always.
    var isDone: Bool {
        replacedTokens.isEmpty && user == nil && obstacle == nil && !isErased && !isTooOld && !mayNotMakeDevice
            && !mayNotMakeUser
    }
}
