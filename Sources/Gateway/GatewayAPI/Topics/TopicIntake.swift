public import Broadcasts
public import FeedCore
public import GatewayStore
public import LiveActivity
public import TimeCore

/// Takes in what is said of topics by others than customers' calls, by the same rules. From any thread.
public struct TopicIntake: Sendable {
    private let tenants: StoredTenants
    private let store: any TopicStore
    private let service: any TopicCarrier
    private let requiredTier: Tenant.Tier
    private let clock: @Sendable () -> WallTime

    /// - Parameter jobs: what sees to topics.
    public init(
        store: GatewayStore, jobs: JobWorker, settings: APISettings, clock: @escaping @Sendable () -> WallTime
    ) {
        tenants = store.tenants
        self.store = store.topics
        service = BroadcastService(store: store, jobs: jobs)
        requiredTier = settings.requiredTier
        self.clock = clock
    }

    /// Whether there is such a tenant, live activities are switched on for it, and its tier has them.
    public func admits(tenantID: String) async throws(StoreError) -> Bool {
        guard let tenant = try await tenants.tenant(tenantID)?.tenant else { return false }
        return tenant.isEnabled && tenant.tier >= requiredTier
    }

    /// Takes what the body of a PUT would say, with the topic's name in it as `topic`.
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
                try service.check(store.contents(of: nil, after: write, id), of: id)
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

    /// An error, and whether the same words would meet it again.
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
