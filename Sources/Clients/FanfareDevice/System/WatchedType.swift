#if canImport(ActivityKit) && !os(macOS) && !targetEnvironment(macCatalyst)
    import ActivityKit
    import Foundation

    /// A type whose Live Activities are observed, without its generic attributes.
    @available(iOS 16.2, *)
    protocol AnyWatchedType: Sendable {
        var name: String { get }
        func end(_ systemID: String) async
        func takeInventory()
    }

    /// Observes the Live Activities of a type.
    @available(iOS 16.2, *)
    struct WatchedType<Attributes: ActivityAttributes & Sendable>: AnyWatchedType
    where Attributes.ContentState: Sendable {
        let continuation: AsyncStream<SystemEvent>.Continuation
        let staleAfter: TimeInterval?
        let activityID: @Sendable (Attributes) -> String?
        let external: @Sendable (Attributes) -> ExternalActivity?
        private let observed = ObservedIDs()
        /// Held while the app starts a Live Activity, so that it is not reported before its name is known.
        private let starting = NSLock()

        init(
            continuation: AsyncStream<SystemEvent>.Continuation, staleAfter: TimeInterval?,
            activityID: @escaping @Sendable (Attributes) -> String?,
            external: @escaping @Sendable (Attributes) -> ExternalActivity?
        ) {
            self.continuation = continuation
            self.staleAfter = staleAfter
            self.activityID = activityID
            self.external = external
        }

        var name: String { String(describing: Attributes.self) }

        func observe() {
            observeStartTokens()
            takeInventory()
            Task {
                for await activity in Activity<Attributes>.activityUpdates {
                    starting.withLock { adopt(activity, as: external(activity.attributes)) }
                }
            }
        }

        func start(
            _ attributes: Attributes, _ content: ActivityContent<Attributes.ContentState>,
            as external: ExternalActivity?,
            channel: String?
        ) throws -> String {
            try starting.withLock {
                let activity = try request(attributes, content, channel)
                adopt(activity, as: external ?? self.external(attributes))
                return activity.id
            }
        }

        private func request(
            _ attributes: Attributes, _ content: ActivityContent<Attributes.ContentState>, _ channel: String?
        ) throws -> Activity<Attributes> {
            guard let channel else {
                return try Activity.request(attributes: attributes, content: content, pushType: .token)
            }
            guard #available(iOS 18.0, *) else { throw ActivityKitSystem.ChannelUnavailable() }
            return try Activity.request(attributes: attributes, content: content, pushType: .channel(channel))
        }

        private func observeStartTokens() {
            guard #available(iOS 17.2, *) else { return }
            // The system does not always report an existing token again.
            if let token = Activity<Attributes>.pushToStartToken {
                continuation.yield(.pushToStartToken(token, activityType: name))
            }
            Task {
                for await token in Activity<Attributes>.pushToStartTokenUpdates {
                    continuation.yield(.pushToStartToken(token, activityType: name))
                }
            }
        }

        /// Reports a Live Activity and observes it until it ends, in tasks that find it by its id.
        private func adopt(_ activity: Activity<Attributes>, as external: ExternalActivity?) {
            let id = activity.id
            guard observed.insert(id) else { return }
            continuation.yield(
                .found(
                    FoundLiveActivity(
                        systemID: id, activityType: name, activityID: activityID(activity.attributes),
                        externalID: external, phase: activity.activityState.phase,
                        staleAfter: staleAfter)))
            if let token = activity.pushToken { continuation.yield(.updateToken(token, systemID: id)) }
            tell(activity.content, id)
            Task {
                guard let activity = await found(id) else { return }
                for await token in activity.pushTokenUpdates { continuation.yield(.updateToken(token, systemID: id)) }
            }
            Task {
                guard let activity = await found(id) else { return }
                for await content in activity.contentUpdates { tell(content, id) }
            }
            Task {
                if let activity = await found(id) {
                    for await state in activity.activityStateUpdates {
                        continuation.yield(.phase(state.phase, systemID: id))
                    }
                }
                observed.remove(id)
            }
        }

        /// Finds a Live Activity. Retries for two seconds, because a new one may not be listed yet.
        private func found(_ id: String) async -> Activity<Attributes>? {
            for _ in 0..<20 {
                if let activity = named(id) { return activity }
                try? await Task.sleep(for: .milliseconds(100))
            }
            return nil
        }

        private func named(_ id: String) -> Activity<Attributes>? {
            Activity<Attributes>.activities.first { $0.id == id }
        }

        private func tell(_ content: ActivityContent<Attributes.ContentState>, _ id: String) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let state = (try? encoder.encode(content.state)) ?? Data()
            let date = content.staleDate.map { String($0.timeIntervalSince1970) } ?? ""
            continuation.yield(
                .content(
                    systemID: id, fingerprint: Fingerprint.of(state + Data(date.utf8)), staleDate: content.staleDate))
        }

        func end(_ systemID: String) async {
            await named(systemID)?.end(nil, dismissalPolicy: .immediate)
        }

        /// Reports new Live Activities, and then the inventory.
        func takeInventory() {
            for activity in Activity<Attributes>.activities {
                starting.withLock { adopt(activity, as: external(activity.attributes)) }
            }
            let ids = Activity<Attributes>.activities.filter { $0.activityState.phase != .dismissed }.map(\.id)
            continuation.yield(.inventory(ids, activityType: name))
        }
    }

    @available(iOS 16.2, *)
    extension ActivityState {
        /// Unknown states of later systems, like a pending one, count as active.
        fileprivate var phase: LiveActivityPhase {
            switch self {
            case .ended: .ended
            case .dismissed: .dismissed
            default: .active
            }
        }
    }
#endif
