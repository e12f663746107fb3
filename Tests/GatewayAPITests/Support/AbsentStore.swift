import EventCore
import GatewayStore
import LiveActivity
import TimeCore

@testable import GatewayAPI

/// A store that is away: every call is answered 503.
struct AbsentStore: LiveActivityStore, FollowStore, EventStore, WebhookStore, SegmentStore {
    static let away = StoreError.unavailable("away")

    var wallClock: @Sendable () -> WallTime { { WallTime(seconds: 1000) } }

    func dismiss(
        _ key: DeviceKey, reference: ActivityReference, name: String?, token: [UInt8]?, tenantID: String,
        unfollow: @Sendable (String, UniqueID) async throws(StoreError) -> Void
    ) async throws(StoreError) -> DismissalOutcome { throw Self.away }

    func deviceInitiatedActivity(
        _ name: ExternalName, of key: DeviceKey, tenantID: String
    ) async throws(StoreError) -> ActivityRecord? { throw Self.away }

    func tap(
        _ key: DeviceKey, systemActivityID: String?, reference: ActivityReference?, tapID: String?, tenantID: String
    ) async throws(StoreError) -> TapAttribution? { throw Self.away }

    func events(
        of tenantID: String, after cursor: EventCursor, types: [EventType]?, limit: Int
    ) async throws(StoreError) -> EventPage { throw Self.away }

    func eventStream(_ tenantID: String) async throws(StoreError) -> (isOn: Bool, length: Int) { throw Self.away }

    func recordsAudit(_ tenantID: String) async throws(StoreError) -> Bool { throw Self.away }

    func setAudit(_ tenantID: String, isOn: Bool) async throws(StoreError) { throw Self.away }

    func setEventStream(_ tenantID: String, isOn: Bool) async throws(StoreError) { throw Self.away }

    func webhooks(of tenantID: String) async throws(StoreError) -> [Webhook] { throw Self.away }

    func webhook(_ id: String, of tenantID: String) async throws(StoreError) -> Webhook? { throw Self.away }

    func attempts(ofWebhook id: String, _ tenantID: String, limit: Int) async throws(StoreError) -> [[UInt8]] {
        throw Self.away
    }

    func counts(ofWebhook id: String, _ tenantID: String) async throws(StoreError) -> WebhookCounts { throw Self.away }

    func addWebhook(
        _ id: String, url: String, filter: EventFilter, secret: [UInt8], tenantID: String
    ) async throws(StoreError) -> Bool { throw Self.away }

    func changeWebhook(
        _ id: String, url: String?, filter: EventFilter?, isEnabled: Bool?, tenantID: String
    ) async throws(StoreError) -> Bool { throw Self.away }

    func deleteWebhook(_ id: String, tenantID: String) async throws(StoreError) -> Bool { throw Self.away }

    func rotateWebhook(
        _ id: String, secret: [UInt8], oldUntil: WallTime, rotation: UniqueID, tenantID: String
    ) async throws(StoreError) -> Bool { throw Self.away }

    func publish(
        _ events: [RecordedEvent], tenantID: String, onlyTo webhook: String?
    ) async throws(StoreError) -> Int { throw Self.away }

    func deadLetters(
        ofWebhook id: String, _ tenantID: String, from offset: Int, limit: Int
    ) async throws(StoreError) -> (letters: [DeadLetter], next: Int?) { throw Self.away }

    func resend(_ ids: [String]?, ofWebhook id: String, _ tenantID: String) async throws(StoreError) -> Int {
        throw Self.away
    }

    func segments(
        tenantID: String, limit: Int, after: String?
    ) async throws(StoreError) -> (segments: [SegmentSummary], next: String?) { throw Self.away }

    func segment(_ name: String, tenantID: String) async throws(StoreError) -> SegmentSummary? { throw Self.away }

    func replaceSegment(
        _ name: String, tenantID: String, with upload: SegmentUpload
    ) async throws(StoreError) -> SegmentOutcome { throw Self.away }

    func changeSegment(
        _ name: String, tenantID: String, _ kind: StoredSegments.SegmentChangeKind, _ upload: SegmentUpload
    ) async throws(StoreError) -> SegmentOutcome { throw Self.away }

    func deleteSegment(_ name: String, tenantID: String) async throws(StoreError) -> Bool { throw Self.away }

    func take(_ run: InsiderIDRun, into upload: inout SegmentUpload) async throws(StoreError) -> Bool {
        throw Self.away
    }

    func discard(_ upload: SegmentUpload) async {}

    func followed(_ key: DeviceKey, tenantID: String) async throws(StoreError) -> [StoredFollowers.FollowedTopic] {
        throw Self.away
    }

    func unfollow(_ insiderID: String, topicOf activity: UniqueID) async throws(StoreError) { throw Self.away }
}
