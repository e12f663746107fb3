public import Broadcasts
public import FeedCore
public import GatewayStore
public import LiveActivity
public import TimeCore

/// Takes topics from sources other than customers' calls, by the same rules. Callable from any thread.
public struct TopicIntake: Sendable {
    private let tenants: StoredTenants
    private let store: any TopicStore
    private let service: any TopicCarrier
    private let requiredTier: Tenant.Tier
    private let clock: @Sendable () -> WallTime

    /// - Parameter jobs: The worker that drives topics.
    public init(
        store: GatewayStore, jobs: JobWorker, settings: APISettings, clock: @escaping @Sendable () -> WallTime
    ) {
        tenants = store.tenants
        self.store = store.topics
        service = BroadcastService(store: store, jobs: jobs)
        requiredTier = settings.requiredTier
        self.clock = clock
    }

    /// True if the tenant exists, is enabled, and has a tier with Live Activities.
    public func admits(tenantID: String) async throws(StoreError) -> Bool {
        guard let tenant = try await tenants.tenant(tenantID)?.tenant else { return false }
        return tenant.isEnabled && tenant.tier >= requiredTier
    }

    /// Takes an element: the body of a PUT, and the topic's name as `topic`.
    public func take(_ element: JSONValue, tenantID: String) async throws(StoreError) -> ElementOutcome {
        var name: String?
        do {
            let id: TopicID
            let write: TopicWrite
            do {
                guard element.kind == .object else { throw APIError.invalid("an element of topics", "an object") }
                name = try element.member("topic")?.string.flatMap { TopicName.isValid($0) ? $0 : nil }
                guard let name else { throw APIError.badTopicName }
                try KnownFields.topicOfFeed.check(element)
                id = TopicID(tenantID: tenantID, name: name)
                write = try TopicWrite(element, offersChannels: service.offersChannels(to: tenantID), now: clock())
                try TopicsAPI.check(store.contents(of: nil, after: write, id), of: id, service)
            } catch {
                throw Refused(error, isFinal: true)
            }
            do {
                return try await TopicsAPI.put(write, to: id, store, service) == .unchanged ? .unchanged : .changed
            } catch {
                throw Refused(error, isFinal: false)
            }
        } catch let refused as Refused {
            if let error = refused.error as? StoreError { throw error }
            let error = refused.apiError
            if error.code == .staleSequence { return .stale }
            return .refused(
                ElementRefusal(
                    topic: name, code: error.code.rawValue, text: error.message, isFinal: refused.isFinal))
        } catch {
            // All others are `Refused`.
            throw .damaged("an element of a feed")
        }
    }

    /// An error, and whether the same element would cause it again.
    private struct Refused: Error {
        let error: any Error
        let isFinal: Bool

        init(_ error: any Error, isFinal: Bool) {
            self.error = error
            self.isFinal = isFinal
        }

        var apiError: APIError {
            switch error {
            case let error as APIError: error
            case let error as BroadcastRefusal: APIError(error)
            case let error as JSONSyntaxError: APIError(error)
            default: .unexpected
            }
        }
    }
}
