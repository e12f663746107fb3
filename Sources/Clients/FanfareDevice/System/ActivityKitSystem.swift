#if canImport(ActivityKit) && !os(macOS) && !targetEnvironment(macCatalyst)
    public import ActivityKit
    public import Foundation

    /// ActivityKit as a `LiveActivitySystem`. Create it and call `watch` at every launch, before the first `await`. A
    /// process that a push has woken has a few seconds. It learns of events that it misses then only at its next
    /// launch.
    ///
    /// ActivityKit's objects stay within the task that requested them; all other code uses their ids.
    @available(iOS 16.2, *)
    public final class ActivityKitSystem: LiveActivitySystem {
        /// The events of ActivityKit, for one reader.
        public let events: AsyncStream<SystemEvent>
        private let continuation: AsyncStream<SystemEvent>.Continuation
        private let types = WatchedTypes()

        /// Starts observing the permission for Live Activities. Up to 1,024 unread events are kept, the newest ones.
        public init() {
            (events, continuation) = AsyncStream.makeStream(
                of: SystemEvent.self, bufferingPolicy: .bufferingNewest(1024))
            observePermission()
        }

        /// Observes a type permanently: its push-to-start token from iOS 17.2, and its present and future Live
        /// Activities. This includes their update tokens, contents and states. Further calls for a type do nothing.
        /// - Parameters:
        ///   - staleAfter: The seconds without new content after which its Live Activities are ended. Nil uses the
        ///     configuration's.
        ///   - activityIDAttribute: The member of the attributes with the gateway's id, as set by
        ///     `options.activity_id_attribute`. Attributes without it name no activity.
        ///   - activityID: Returns the gateway's id in the attributes, in place of `activityIDAttribute`.
        ///   - external: Returns the app's name of a Live Activity from the attributes. It is then known even if the
        ///     app is killed right after the start.
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

        /// Starts a Live Activity from the app, and watches its type.
        /// - Parameters:
        ///   - attributes: The constant attributes.
        ///   - content: The first content.
        ///   - external: The app's name, for which the gateway creates a device-initiated activity. Nil if the
        ///     attributes name the activity.
        ///   - channel: From iOS 18, the id of the channel to follow. Nil uses an update token.
        /// - Returns: The system's id.
        /// - Throws: `ChannelUnavailable`, `OtherTypeOfThisName`, or an error of ActivityKit, for example if the user
        ///   forbids Live Activities or too many are shown.
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

        /// Another type of the same name is watched, and the gateway cannot distinguish them.
        public struct OtherTypeOfThisName: Error {}

        /// Channels require iOS 18.
        public struct ChannelUnavailable: Error {}

        /// Ends a Live Activity at once, with its present content.
        public func end(systemID: String, activityType: String) async {
            await types.named(activityType)?.end(systemID)
        }

        /// Sends the inventory of each type.
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
