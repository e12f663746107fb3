import GatewayStore
import Reactor
import TimeCore

extension JobWorker {
    /// How soon it is tried again when another start is under way, or the store is away.
    private static let leftOutPause = TimeInterval.seconds(1)

    /// Starts devices after all that a start has left out: a gateway that was stopped, or cut off from Redis, had noted
    /// them, and had not sent them anything. Tried as long as the content is fresh and this gateway runs.
    func start(_ leftOut: LeftOut) {
        guard !isStopping else { return }
        ask { [store] () throws(StoreError) in
            try await store.restarts.start(leftOut)
        } then: { [self] result in
            switch result {
            case .success(.begun(let order)): begun(order)
            case .success(.pointless): break
            case .success(.busy), .failure:
                reactor.schedule(after: JobWorker.leftOutPause) { self.start(leftOut) }
            }
        }
    }
}
