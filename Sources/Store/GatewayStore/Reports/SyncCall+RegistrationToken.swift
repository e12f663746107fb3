import LiveActivity
import RedisClient
import RosterCore

// An Android device says that its Live Activity is there, and is reached by its registration token from then on. That
// is read from its user's hash before the write, and once more behind it: a token that was reported meanwhile is
// carried to the cells of running activities as well, and whoever writes last writes the newest.
extension SyncCall {
    /// After so many new tokens behind the write what is there is left to the next report.
    private static let mostTokenChanges = 3

    /// Reads what the slot's cell is to hold; nil when the device has no registration token.
    func readRegistrationToken(_ done: @escaping ([UInt8]?) -> Void) {
        readUser { [self] user in
            let token = user?.device(device.udid).flatMap { user?.registrationToken(device: $0.number) }
            done(token.map { RegistrationToken.cellContent($0.token) })
        }
    }

    /// Reads the user's hash; nil when there is none.
    func readUser(_ done: @escaping (UserRecord?) -> Void) {
        send(RedisCommand("HGETALL", userKey)) { done(UserRecord($0.copy().fields)) }
    }

    /// The registration token behind the write has been read.
    func noteToken(_ newest: UserRecord.Token?) {
        guard let newest = newest.map({ RegistrationToken.cellContent($0.token) }), newest != token,
            tokenChanges < Self.mostTokenChanges
        else { return }
        tokenChanges += 1
        newerToken = newest
    }
}
