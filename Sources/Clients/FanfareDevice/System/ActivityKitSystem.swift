#if canImport(ActivityKit) && !os(macOS) && !targetEnvironment(macCatalyst)
    public import ActivityKit
    public import Foundation

    /// ActivityKit as a `LiveActivitySystem`. Made and told its types at every launch, before anything is awaited: a
    /// process that a push has woken has a few seconds, and what it does not observe in them is lost until its next
    /// launch.
    ///
    /// ActivityKit's own objects stay within the task that has asked for them; everything else knows them by their ids.
    @available(iOS 16.2, *)
    public final class ActivityKitSystem: LiveActivitySystem {
        /// What ActivityKit tells, for one reader.
        public let events: AsyncStream<SystemEvent>
        private let continuation: AsyncStream<SystemEvent>.Continuation
        private let types = WatchedTypes()

        /// Begins to observe whether the user allows Live Activities. Of events that nobody reads yet the newest 1,024
        /// are kept.
        public init() {
            (events, continuation) = AsyncStream.makeStream(
                of: SystemEvent.self, bufferingPolicy: .bufferingNewest(1024))
            observePermission()
        }

        /// Observes a type for life: its push-to-start token from iOS 17.2 on, and its Live Activities with all their
        /// update tokens, contents and states, both those that there are and those that will be. A second call for a
        /// type does nothing.
        /// - Parameters:
        ///   - staleAfter: how many seconds its Live Activities stay without new content, where that is not the
        ///     configuration's.
        ///   - activityIDAttribute: the member of the attributes that has the gateway's id, where the customer has it
        ///     put there (`options.activity_id_attribute`). Attributes without such a member name no activity.
        ///   - activityID: finds the gateway's id in the attributes in another way.
        ///   - external: finds in the attributes what the app calls a Live Activity that it has started, so that it is
        ///     known also when the app was killed just then.
        public func watch<Attributes: ActivityAttributes & Sendable>(
            _ type: Attributes.Type, staleAfter: TimeInterval? = nil,
            activityIDAttribute: String = "fanfareActivityId",
            activityID: (@Sendable (Attributes) -> String?)? = nil,
            external: @escaping @Sendable (Attributes) -> ExternalActivity? = { _ in nil }
        ) where Attributes.ContentState: Sendable {
            let watched = WatchedType<Attributes>(
                continuation: continuation, staleAfter: staleAfter,
                activityID: activityID ?? { AttributesID.find(activityIDAttribute, in: $0) }, external: external)
            guard types.add(watched) else { return }
            watched.observe()
        }

        /// Starts a Live Activity from the app. Its type is watched from now on, if it was not.
        /// - Parameters:
        ///   - attributes: what does not change of it.
        ///   - content: what is shown at first.
        ///   - external: what the app calls it, with which the gateway makes a device-initiated activity; nil: its
        ///     attributes say what it belongs to.
        ///   - channel: from iOS 18 on the id of the channel that it follows in place of an update token; nil: it has a
        ///     token.
        /// - Returns: the system's id.
        /// - Throws: `ChannelUnavailable`, or what ActivityKit throws, such as when the user allows none or too many
        ///   are shown.
        public func start<Attributes: ActivityAttributes & Sendable>(
            _ attributes: Attributes, content: ActivityContent<Attributes.ContentState>, as external: ExternalActivity?,
            channel: String? = nil
        ) throws -> String where Attributes.ContentState: Sendable {
            watch(Attributes.self)
            guard let watched = types.named(String(describing: Attributes.self)) as? WatchedType<Attributes> else {
                throw OtherTypeOfThisName()
            }
            return try watched.start(attributes, content, as: external, channel: channel)
        }

        /// Another type of the same name is watched: the gateway cannot tell them apart.
        public struct OtherTypeOfThisName: Error {}

        /// Channels need iOS 18.
        public struct ChannelUnavailable: Error {}

        /// Ends a Live Activity at once, with what it shows.
        public func end(systemID: String, activityType: String) async {
            await types.named(activityType)?.end(systemID)
        }

        /// Tells what there is of each type.
        public func takeInventory() async {
            for type in types.all { type.takeInventory() }
        }

        private func observePermission() {
            let continuation = continuation
            let tell: @Sendable () -> Void = {
                let info = ActivityAuthorizationInfo()
                continuation.yield(
                    .permission(
                        allowsActivities: info.areActivitiesEnabled, frequentPushes: info.frequentPushesEnabled))
            }
            tell()
            Task { for await _ in ActivityAuthorizationInfo().activityEnablementUpdates { tell() } }
            Task { for await _ in ActivityAuthorizationInfo().frequentPushEnablementUpdates { tell() } }
        }
    }
#endif
