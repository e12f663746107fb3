import LiveActivity

extension Keys {
    static func activity(_ id: UniqueID) -> String { activity(id, "") }

    /// The activity's key with more behind it, and perhaps another id behind that, in one piece of memory: nearly every
    /// call has some of these.
    static func activity(_ id: UniqueID, _ suffix: StaticString, _ other: UniqueID? = nil) -> String {
        let prefix = activityPrefixes[shard(id)]
        let length = prefix.utf8.count + suffix.utf8CodeUnitCount + 2 * UniqueID.textLength
        return String(unsafeUninitializedCapacity: length) { text in
            var end = text.update(fromContentsOf: prefix.utf8)
            func append(_ id: UniqueID) {
                id.write(to: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(text)[end...]))
                end += UniqueID.textLength
            }
            append(id)
            suffix.withUTF8Buffer { end = text[end...].update(fromContentsOf: $0) }
            if let other { append(other) }
            return end
        }
    }

    /// Held while the segment is being changed; a start waits for it.
    static func rosterLock(_ id: UniqueID) -> String { activity(id, ":roster") }

    /// Users who are counted out of the segment, and the memberships of theirs that are being deleted.
    static func leaving(_ id: UniqueID) -> String { activity(id, ":leaving") }

    /// What users' apps have scheduled and last drove the activity's Live Activities with, by user.
    static func driven(_ id: UniqueID) -> String { activity(id, ":driven") }

    /// The taps of a device that have been counted.
    static func taps(_ id: UniqueID, _ device: String) -> String { "\(activity(id)):taps:\(device)" }

    /// What the keys of a shard's activities begin with.
    static func activityPrefix(_ shard: Int) -> String { activityPrefixes[shard] }

    private static let activityPrefixes = ofShards { "fanfare:{\($0)}:a:" }

    /// The activities of a tenant that were made in one hour (of the epoch): the first part of that index.
    static func activityIndex(_ tenantID: String, hour: Int64) -> String { "fanfare:{l:\(tenantID):\(hour)}" }

    /// The same of those that devices have opened by themselves.
    static func deviceActivityIndex(_ tenantID: String, hour: Int64) -> String {
        "\(activityIndex(tenantID, hour: hour)):d"
    }

    /// When the parts of an index begin, but for the first.
    static func activityIndexParts(_ index: String) -> String { "\(index):parts" }

    /// The part of an index that begins then, in epoch milliseconds.
    static func activityIndexPart(_ index: String, from beginning: String) -> String { "\(index):\(beginning)" }

    /// Where those are listed whom somebody has opened. What devices have opened is in both, as earlier versions listed
    /// it.
    static func activityIndexes(_ tenantID: String, hour: Int64, _ opener: ActivityOpener) -> [String] {
        let customers = activityIndex(tenantID, hour: hour)
        return opener == .customer ? [customers] : [customers, deviceActivityIndex(tenantID, hour: hour)]
    }

    /// Leads from what devices call an activity that they opened by themselves to its id.
    static func externalActivity(_ tenantID: String, _ hash: String) -> String { "fanfare:{x:\(tenantID):\(hash)}" }
}
