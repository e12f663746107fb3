/// Named segments of a customer's users.
public final class StoredSegments: StoreFeature {
    let context: StoreContext

    init(_ context: StoreContext) {
        self.context = context
    }
}
