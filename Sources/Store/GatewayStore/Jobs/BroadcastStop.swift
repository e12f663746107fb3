public import Delivery

/// The signals in a broadcast's record that stop its workers.
public struct BroadcastStop: Sendable {
    /// True if a newer broadcast has superseded this one.
    public internal(set) var isSuperseded = false
    /// The reasons to send nothing more: for the whole broadcast, and for kinds of route.
    private var stop: String?
    private var stops: [RouteKind: String] = [:]

    /// The reason to send nothing more over a kind of route; nil to continue.
    public func stopReason(_ kind: RouteKind) -> String? { stop ?? stops[kind] }

    /// - Parameter values: The values of `fields`.
    init(_ values: some Sequence<String?>, of kinds: [RouteKind], isPast: (String?) -> Bool) {
        var values = values.makeIterator()
        isSuperseded = isPast(values.next() ?? nil)
        stop = values.next() ?? nil
        for kind in kinds { stops[kind] = values.next() ?? nil }
    }

    /// The fields of the record to read.
    static func fields(of kinds: [RouteKind]) -> [String] {
        ["superseded", stopField] + kinds.map(stopField)
    }

    static let stopField = "stop"

    /// The field with the reason to send nothing more over one of several kinds of route.
    static func stopField(_ kind: RouteKind) -> String { "\(stopField):\(kind.rawValue)" }
}
