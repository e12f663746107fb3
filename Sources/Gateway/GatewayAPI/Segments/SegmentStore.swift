import GatewayStore
import LiveActivity

protocol SegmentStore: Sendable {
    func segments(
        tenantID: String, limit: Int, after: String?
    ) async throws(StoreError) -> (segments: [SegmentSummary], next: String?)

    /// Nil if the tenant does not have this segment.
    func segment(_ name: String, tenantID: String) async throws(StoreError) -> SegmentSummary?

    func replaceSegment(
        _ name: String, tenantID: String, with upload: SegmentUpload
    ) async throws(StoreError) -> SegmentOutcome

    func changeSegment(
        _ name: String, tenantID: String, _ kind: StoredSegments.SegmentChangeKind, _ upload: SegmentUpload
    ) async throws(StoreError) -> SegmentOutcome

    /// False if the tenant does not have this segment.
    func deleteSegment(_ name: String, tenantID: String) async throws(StoreError) -> Bool

    /// Takes uploaded ids. False if there are more than a segment can hold.
    func take(_ run: InsiderIDRun, into upload: inout SegmentUpload) async throws(StoreError) -> Bool

    /// Drops the ids of an upload.
    func discard(_ upload: SegmentUpload) async
}

extension StoredSegments: SegmentStore {}
