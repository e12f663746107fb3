/// Who follows which topic: by their own word, or on their owners' lists.
public final class StoredFollowers: StoreFeature {
    let context: StoreContext
    let roster: StoredRoster
    let segments: StoredSegments

    init(_ context: StoreContext, roster: StoredRoster, segments: StoredSegments) {
        self.context = context
        self.roster = roster
        self.segments = segments
    }
}
