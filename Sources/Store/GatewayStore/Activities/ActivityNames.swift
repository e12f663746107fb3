import LiveActivity
import RedisClient

/// What activities that are made are called.
struct ActivityNames: StoreFeature {
    let context: StoreContext

    /// An id that no activity has, to which those of its broadcasts lead. Ten bytes of it are random, but for six bits:
    /// another is drawn where one has it. While the first layout is written it is any random one.
    func draw() async throws(StoreError) -> UniqueID {
        guard context.layout.isPacked else { return .random() }
        while true {
            let id = context.drawActivityID()
            if try await value(RedisCommand("EXISTS", Keys.activity(id))).int == 0 { return id }
        }
    }
}
