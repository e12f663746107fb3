import LiveActivity

extension Keys {
    static func activity(_ id: UniqueID) -> String { activity(id, "") }

    /// Builds a key of an activity with a suffix and perhaps a second id. One allocation suffices, because nearly every
    /// call needs some of these keys.
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

    /// The lock of a change of the segment. A start waits for it.
    static func rosterLock(_ id: UniqueID) -> String { activity(id, ":roster") }

    /// The users whose removal from the segment is counted but not complete, with their former memberships.
    static func leaving(_ id: UniqueID) -> String { activity(id, ":leaving") }

    /// The app schedule that last drove a user's Live Activities of the activity, by user.
    static func driven(_ id: UniqueID) -> String { activity(id, ":driven") }

    /// The counted taps of a device.
    static func taps(_ id: UniqueID, _ device: String) -> String { "\(activity(id)):taps:\(device)" }

    /// The prefix of the keys of a shard's activities.
    static func activityPrefix(_ shard: Int) -> String { activityPrefixes[shard] }

    private static let activityPrefixes = ofShards { "fanfare:{\($0)}:a:" }

    /// The first part of the index of the activities that a tenant made in one hour of the epoch.
    static func activityIndex(_ tenantID: String, hour: Int64) -> String { "fanfare:{l:\(tenantID):\(hour)}" }

    /// The first part of the index of the activities that devices opened in one hour.
    static func deviceActivityIndex(_ tenantID: String, hour: Int64) -> String {
        "\(activityIndex(tenantID, hour: hour)):d"
    }

    /// The times at which the parts of an index begin, without the first part.
    static func activityIndexParts(_ index: String) -> String { "\(index):parts" }

    /// The part of an index that begins at a time, in epoch milliseconds.
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

    /// The id of the activity that devices opened under an external name, given by its hash.
    static func externalActivity(_ tenantID: String, _ hash: String) -> String { "fanfare:{x:\(tenantID):\(hash)}" }
}
