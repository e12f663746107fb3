/// Devices, by their users: what they are, and their push-to-start tokens.
public final class StoredDevices: StoreFeature {
    let context: StoreContext
    let roster: StoredRoster

    init(_ context: StoreContext, roster: StoredRoster) {
        self.context = context
        self.roster = roster
    }
}
