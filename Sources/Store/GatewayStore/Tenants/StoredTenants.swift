import Reactor
import TimeCore

/// Tenants: their settings, and the keys that open them.
public final class StoredTenants: StoreFeature {
    let context: StoreContext
    /// Of keys that were used here, by hash: when the oldest request in the window was made. Some of them, should there be very
    /// many: without it Redis looks.
    let oldestRequests = Locked<[String: WallTime]>([:])
    static let knownWindows = 10_000

    init(_ context: StoreContext) {
        self.context = context
    }
}
