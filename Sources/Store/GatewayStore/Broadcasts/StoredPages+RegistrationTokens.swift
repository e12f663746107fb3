import Delivery
import LiveActivity
import RedisClient
import RosterCore

// Registration tokens that are not in their cells: see `RegistrationToken`.
extension StoredPages {
    /// The tokens of a page that are not in it, by index, from the hashes of their users.
    func tokens(
        _ indexes: [Int], inPage page: Int, of order: BroadcastOrder
    ) async throws(StoreError) -> [Int: [UInt8]] {
        let activity = order.activity
        let identities = try await self.identities(page, of: activity.id)
        let found = indexes.compactMap { index in identities.identity(index).map { (index, $0) } }
        let values = try await values(
            found.map { _, identity in
                RedisCommand(
                    "HGET", Keys.user(activity.tenantID, identity.insiderID),
                    UserRecord.tokenField(device: identity.device, UserRecord.registrationType))
            })
        return zip(found, values).reduce(into: [:]) { tokens, entry in
            let token = entry.1.bytes.flatMap { UserRecord.decodeToken($0, longest: RegistrationToken.longest) }
            // One that is another login's by now is still where this Live Activity is.
            guard let token, order.kind != .start || token.marks.isEmpty else { return }
            tokens[entry.0.0] = Array(token.token)
        }
    }
}
