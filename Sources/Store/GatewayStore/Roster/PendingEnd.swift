import LiveActivity
import RosterCore

/// The end of a Live Activity that goes to the next token of its device.
enum PendingEnd {
    /// The end of a broadcast.
    case broadcast(UniqueID)
    /// The Live Activity is there after its end. It is ended once more, for the same reason, by a broadcast that is not
    /// recorded yet.
    case owed(EndReason)

    /// The form in a partition's hash of pending ends.
    var text: String {
        switch self {
        case .broadcast(let id): id.description
        case .owed(let reason): "=\(DeliveryStatus.ended(reason))"
        }
    }

    /// From a partition's hash of pending ends. Nil for text that is neither.
    init?(_ text: String) {
        if let id = UniqueID(text) {
            self = .broadcast(id)
        } else if text.first == "=", let reason = UInt8(text.dropFirst()).flatMap(DeliveryStatus.endReason) {
            self = .owed(reason)
        } else {
            return nil
        }
    }
}
