import GatewayStore
import LiveActivity

/// Keeps a tenant's segments.
protocol SegmentStore: Sendable {
    func segments(
        tenantID: String, limit: Int, after: String?
    ) async throws(StoreError) -> (segments: [SegmentSummary], next: String?)

    /// Nil when the tenant has no such segment.
    func segment(_ name: String, tenantID: String) async throws(StoreError) -> SegmentSummary?

    func replaceSegment(
        _ name: String, tenantID: String, with upload: SegmentUpload
    ) async throws(StoreError) -> SegmentOutcome

    func changeSegment(
        _ name: String, tenantID: String, _ kind: StoredSegments.SegmentChangeKind, _ upload: SegmentUpload
    ) async throws(StoreError) -> SegmentOutcome

    /// False when the tenant has no such segment.
    func deleteSegment(_ name: String, tenantID: String) async throws(StoreError) -> Bool

    /// Takes uploaded ids. False when there are more than a segment can hold.
    func take(_ run: InsiderIDRun, into upload: inout SegmentUpload) async throws(StoreError) -> Bool

    /// Drops what was taken.
    func discard(_ upload: SegmentUpload) async
}

extension StoredSegments: SegmentStore {}
