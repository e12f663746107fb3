import LiveActivity
import RedisClient
import RosterCore

// A sync of an Android device has no update token of its own: pushes use the device's registration token. The token is
// read from the user's hash before the write, and again after it. Because a newly reported token is also written to the
// cells of running activities, the last writer must write the newest token.
extension SyncCall {
    /// The number of newer tokens after which a sync stops. The device's next report writes the newest one.
    private static let mostTokenChanges = 3

    /// Reads the content of the slot's cell; nil if the device has no registration token.
    func readRegistrationToken(_ done: @escaping ([UInt8]?) -> Void) {
        readUser { [self] user in
            let token = user?.device(device.udid).flatMap { user?.registrationToken(device: $0.number) }
            done(token.map { RegistrationToken.cellContent($0.token) })
        }
    }

    /// Reads the user's hash; nil if the user does not exist.
    func readUser(_ done: @escaping (UserRecord?) -> Void) {
        send(RedisCommand("HGETALL", userKey)) { done(UserRecord($0.copy().fields)) }
    }

    /// Handles the registration token that was read after the write.
    func noteToken(_ newest: UserRecord.Token?) {
        guard let newest = newest.map({ RegistrationToken.cellContent($0.token) }), newest != token,
            tokenChanges < Self.mostTokenChanges
        else { return }
        tokenChanges += 1
        newerToken = newest
    }
}
