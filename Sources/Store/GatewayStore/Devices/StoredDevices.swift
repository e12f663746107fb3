/// Devices by user, with their properties and push tokens.
public final class StoredDevices: StoreFeature {
    let context: StoreContext
    let roster: StoredRoster
    let topics: TopicQueues
    let usage: TenantUsage
    let refusals: QuotaRefusals
    let eviction: DeviceEviction
    let handOvers: TokenHandOvers

    init(
        _ context: StoreContext, roster: StoredRoster, topics: TopicQueues, usage: TenantUsage,
        refusals: QuotaRefusals, erasures: ErasureQueue
    ) {
        self.usage = usage
        self.refusals = refusals
        eviction = DeviceEviction(context, queue: erasures)
        self.context = context
        self.roster = roster
        handOvers = TokenHandOvers(context, roster: roster)
        self.topics = topics
    }
}
