import Delivery
import LiveActivity
import RedisClient

/// A broadcast that has not ended, as an entry of the activity's hash.
struct OpenBroadcast {
    /// The order number of the broadcast in its activity.
    let order: Int
    let id: UniqueID
    let kind: PushEvent
    /// True if the broadcast is to the whole segment, false if to a list.
    let isToAll: Bool

    /// Returns nil for a damaged entry.
    init?(_ name: [UInt8], _ value: [UInt8]) {
        let parts = String(decoding: value, as: UTF8.self).split(separator: ":")
        guard let order = Int(String(decoding: name, as: UTF8.self)), parts.count == 3, let id = UniqueID(parts[0]),
            let kind = PushEvent(rawValue: String(parts[1]))
        else { return nil }
        self.order = order
        self.id = id
        self.kind = kind
        isToAll = parts[2] == "whole"
    }
}
