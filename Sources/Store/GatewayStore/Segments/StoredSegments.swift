/// Segments that a customer keeps by name.
public final class StoredSegments: StoreFeature {
    let context: StoreContext

    init(_ context: StoreContext) {
        self.context = context
    }
}
