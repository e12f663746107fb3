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

    /// The app schedule that last drove a user's Live Activities of the activity, by user.
    static func driven(_ id: UniqueID) -> String { activity(id, ":driven") }

    /// The taps of a device that have been counted.
    static func taps(_ id: UniqueID, _ device: String) -> String { "\(activity(id)):taps:\(device)" }

    /// The prefix of the keys of a shard's activities.
    static func activityPrefix(_ shard: Int) -> String { activityPrefixes[shard] }

    private static let activityPrefixes = ofShards { "fanfare:{\($0)}:a:" }

    /// The activities of a tenant that were made in one hour (of the epoch): the first part of that index.
    static func activityIndex(_ tenantID: String, hour: Int64) -> String { "fanfare:{l:\(tenantID):\(hour)}" }

    /// The first part of the index of the activities that devices opened in one hour.
    static func deviceActivityIndex(_ tenantID: String, hour: Int64) -> String {
        "\(activityIndex(tenantID, hour: hour)):d"
    }

    /// The times at which the parts of an index begin, without the first part.
    static func activityIndexParts(_ index: String) -> String { "\(index):parts" }

    /// The part of an index that begins then, in epoch milliseconds.
    static func activityIndexPart(_ index: String, from beginning: String) -> String { "\(index):\(beginning)" }

    /// The indexes that list the activities of an opener.
    static func activityIndexes(_ tenantID: String, hour: Int64, _ opener: ActivityOpener) -> [String] {
        let (customers, devices) = (activityIndex(tenantID, hour: hour), deviceActivityIndex(tenantID, hour: hour))
        return switch opener {
        case .customer: [customers]
        case .device: [devices]
        case .any: [customers, devices]
        }
    }

    /// Leads from what devices call an activity that they opened by themselves to its id.
    static func externalActivity(_ tenantID: String, _ hash: String) -> String { "fanfare:{x:\(tenantID):\(hash)}" }
}
