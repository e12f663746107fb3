import GatewayStore
import Reactor
import TimeCore

extension JobWorker {
    /// The pause before a retry if another start is in progress, or the store is unavailable.
    private static let leftOutPause = TimeInterval.seconds(1)

    /// Starts devices that a start has left out. Their gateway had noted them, and stopped or lost Redis before it
    /// pushed. Retries while the content is fresh and this gateway runs.
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
