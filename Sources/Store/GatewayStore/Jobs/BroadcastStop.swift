public import Delivery

/// What a broadcast's record says to those who work on it.
public struct BroadcastStop: Sendable {
    /// Whether a newer broadcast has taken over.
    public internal(set) var isSuperseded = false
    /// Why nothing more is sent at all, and why over kinds of route.
    private var stop: String?
    private var stops: [RouteKind: String] = [:]

    /// Why nothing more is sent over a kind of route; nil while it goes on.
    public func stopReason(_ kind: RouteKind) -> String? { stop ?? stops[kind] }

    /// - Parameter values: those of `fields`.
    init(_ values: some Sequence<String?>, of kinds: [RouteKind], isPast: (String?) -> Bool) {
        var values = values.makeIterator()
        isSuperseded = isPast(values.next() ?? nil)
        stop = values.next() ?? nil
        for kind in kinds { stops[kind] = values.next() ?? nil }
    }

    /// The fields of the record that are to be read.
    static func fields(of kinds: [RouteKind]) -> [String] {
        ["superseded", stopField] + kinds.map(stopField)
    }

    static let stopField = "stop"

    /// Where it stands that nothing more is sent over one of several kinds of route.
    static func stopField(_ kind: RouteKind) -> String { "\(stopField):\(kind.rawValue)" }
}
