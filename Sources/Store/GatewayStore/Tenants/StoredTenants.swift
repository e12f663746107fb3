/// Tenants: their settings, and the keys that open them.
public final class StoredTenants: StoreFeature {
    let context: StoreContext
    let windows = RateWindows()

    init(_ context: StoreContext) {
        self.context = context
    }
}
