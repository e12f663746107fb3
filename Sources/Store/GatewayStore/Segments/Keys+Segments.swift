import LiveActivity

extension Keys {
    /// A stored segment, see `SegmentRoot`.
    static func segment(_ tenantID: String, _ name: String) -> String { "fanfare:{g:\(tenantID)}:s:\(name)" }

    /// The lock of a change that adds or removes users.
    static func segmentLock(_ tenantID: String, _ name: String) -> String { "fanfare:{g:\(tenantID)}:l:\(name)" }

    /// The names of a tenant's segments.
    static func segmentNames(_ tenantID: String) -> String { "fanfare:{g:\(tenantID)}:names" }

    /// Pages to expire, see `SegmentCleanup`.
    static func segmentCleanups(_ tenantID: String) -> String { "fanfare:{g:\(tenantID)}:chores" }

    /// Ids of a segment, written by a change, see `SegmentPage`.
    static func segmentPage(_ writer: UniqueID, _ partition: Int, _ page: Int) -> String {
        "\(Keys.partition(writer, partition)):g:\(page)"
    }

    /// Uploaded ids of a bucket that are not part of a segment yet.
    static func segmentDraft(_ upload: UniqueID, _ bucket: Int) -> String { "\(partition(upload, bucket)):h" }
}
