import Delivery
import TimeCore

/// Shares no token: for a Redis without a store, which stays as it is. Every offer is taken, and no other client has
/// one.
final class UnsharedProviderTokens: SharedProviderTokens {
    func exchange(
        _ offer: SharedProviderToken?, refused: UInt64?, minimumInterval: UInt64, for account: ProviderAccount,
        completion: @escaping (SharedProviderTokenReply) -> Void
    ) {
        completion(offer == nil ? .nothing : .taken)
    }

    func takeLease(
        for account: ProviderAccount, time: TimeInterval, completion: @escaping (TokenLeaseReply) -> Void
    ) {
        completion(.taken)
    }

    func returnLease(for account: ProviderAccount) {}

    func unusableTokenFound(for account: ProviderAccount) {}
}
