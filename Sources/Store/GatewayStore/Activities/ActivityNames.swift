import LiveActivity
import RedisClient

/// The ids of new activities.
struct ActivityNames: StoreFeature {
    let context: StoreContext

    /// Returns an id that no activity has. The ids of its broadcasts lead to it.
    ///
    /// The id has 74 random bits, so the next draw follows if an activity has it already.
    func draw() async throws(StoreError) -> UniqueID {
        while true {
            let id = context.rules.drawActivityID()
            if try await value(RedisCommand("EXISTS", Keys.activity(id))).int == 0 { return id }
        }
    }
}
