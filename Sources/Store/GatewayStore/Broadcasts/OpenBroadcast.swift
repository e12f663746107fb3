import Delivery
import LiveActivity
import RedisClient

/// A broadcast that has not ended, as an activity's hash of these names it.
struct OpenBroadcast {
    /// Its number among the activity's broadcasts.
    let order: Int
    let id: UniqueID
    let kind: PushEvent
    /// Whether it goes to the whole segment; else to a list.
    let isToAll: Bool

    /// Nil for what cannot be read.
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
