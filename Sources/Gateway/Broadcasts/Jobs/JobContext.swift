import Delivery
import GatewayStore
import LiveActivity
import Reactor
import TimeCore

/// The values and settings that all parts of a gateway's work on jobs share. On the reactor.
final class JobContext {
    let store: GatewayStore
    let reactor: Reactor
    let apps: AppDirectory
    /// Names this gateway among all that share the store.
    let gateway = UniqueID.random()
    let settings: JobSettings
    let random: () -> Double
    let watch: BroadcastWatch
    let unfinished: UnfinishedBroadcasts
    let metrics: JobMetrics
    private let onEvent: (@Sendable (JobEvent) -> Void)?
    /// True once the gateway stops. It takes no job then.
    private(set) var isStopping = false
    /// Set once, before the first job.
    weak var taker: (any JobTaker)?

    init(
        store: GatewayStore, reactor: Reactor, apps: AppDirectory, settings: JobSettings,
        random: @escaping @Sendable () -> Double, onEvent: (@Sendable (JobEvent) -> Void)?
    ) {
        self.store = store
        self.reactor = reactor
        self.apps = apps
        self.settings = settings
        self.random = random
        self.onEvent = onEvent
        watch = BroadcastWatch(store: store, reactor: reactor)
        unfinished = UnfinishedBroadcasts(capacity: settings.maximumBroadcasts)
        metrics = JobMetrics(reasons: apps.reasons)
    }

    func tell(_ event: JobEvent) { onEvent?(event) }

    func stop() { isStopping = true }

    /// Returns the provider of a job's pushes; nil if there is none.
    func provider(of tenantID: String, _ job: JobTicket) -> (any PushProvider)? {
        apps.broadcaster(of: tenantID, for: job.part)?.provider
    }

    /// Runs an async call of the store, and what follows on the reactor.
    func ask<Value: Sendable>(
        _ call: @escaping @Sendable () async throws(StoreError) -> Value,
        then body: @escaping (Result<Value, StoreError>) -> Void
    ) {
        // Confined to the reactor: it is called there, and nowhere else.
        nonisolated(unsafe) let body = body
        Task { [reactor] in
            let result: Result<Value, StoreError>
            do throws(StoreError) { result = .success(try await call()) } catch {
                result = .failure(error)
            }
            reactor.execute { body(result) }
        }
    }
}

/// Takes and begins jobs. The parts that make room for them call it.
protocol JobTaker: AnyObject {
    /// Polls a shard that a job has left.
    func lookAfterEnd(_ shard: Int)
    /// Begins waiting jobs whose turn has come, of one activity or of all.
    func checkWaiting(of activity: UniqueID?)
    /// Polls all shards that are due.
    func poll()
    /// Takes the jobs of a broadcast that was recorded.
    func begun(_ order: BroadcastOrder)
}
