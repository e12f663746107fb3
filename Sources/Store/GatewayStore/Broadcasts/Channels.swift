public import Delivery

/// The channels of an activity: for a kind of route the one address that its devices follow. What is sent there reaches all
/// of them. Stored as kind, `=` and address, with commas between them.
public struct Channels: Equatable, Sendable {
    private var addresses: [RouteKind: String] = [:]

    public init() {}

    init(_ text: String?) {
        for entry in (text ?? "").split(separator: ",") {
            let parts = entry.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let kind = UInt8(parts[0]) else { continue }
            addresses[RouteKind(rawValue: kind)] = String(parts[1])
        }
    }

    /// The address of a kind of route; nil when its devices are reached one by one. An address has no comma.
    public subscript(kind: RouteKind) -> String? {
        get { addresses[kind] }
        set {
            precondition(newValue?.utf8.contains(0x2C) != true, "an address with a comma")
            addresses[kind] = newValue
        }
    }

    /// Whether no kind of route has one.
    public var isEmpty: Bool { addresses.isEmpty }

    /// The kinds of route that have one, in ascending order.
    public var kinds: [RouteKind] { addresses.keys.sorted { $0.rawValue < $1.rawValue } }

    var text: String { kinds.map { "\($0.rawValue)=\(addresses[$0] ?? "")" }.joined(separator: ",") }
}
