import Delivery
import LiveActivity

/// A kind of token. Each kind has pages of its own.
public enum TokenKind: Sendable {
    case pushToStart, update

    /// Returns the reason for which a push passes over a slot without a token of this kind.
    ///
    /// - Parameters:
    ///   - reason: The reason in the token's cell.
    ///   - status: The slot's delivery status.
    public func reason(_ reason: SkipReason?, status: UInt8) -> SkipReason {
        if DeliveryStatus.endReason(status) != nil { return .ended }
        if let reason { return reason }
        return self == .pushToStart ? .noPushToStartToken : .notSynced
    }
}

extension PushEvent {
    /// The kind of token that a broadcast of the event is sent to.
    public var tokens: TokenKind { self == .start ? .pushToStart : .update }
}
