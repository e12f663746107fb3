/// The followers of topics, by their own preferences or by their owners' lists.
public final class StoredFollowers: StoreFeature {
    let context: StoreContext
    let roster: StoredRoster
    let segments: StoredSegments
    let usage: TenantUsage
    let refusals: QuotaRefusals

    init(
        _ context: StoreContext, roster: StoredRoster, segments: StoredSegments, usage: TenantUsage,
        refusals: QuotaRefusals
    ) {
        self.context = context
        self.usage = usage
        self.refusals = refusals
        self.roster = roster
        self.segments = segments
    }
}
