public import Delivery

/// The channels of an activity: for a kind of route the one address that its devices follow. What is sent there reaches
/// all of them. Stored as kind, `=` and address, with commas between them; `!` stands in front of the address of one
/// that keeps nothing for phones that are off.
public struct Channels: Equatable, Sendable {
    private var addresses: [RouteKind: String] = [:]
    private var forgetful: Set<RouteKind> = []

    public init() {}

    init(_ text: String?) {
        for entry in (text ?? "").split(separator: ",") {
            let parts = entry.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let kind = UInt8(parts[0]) else { continue }
            let keeps = !parts[1].hasPrefix("!")
            set(String(keeps ? parts[1] : parts[1].dropFirst()), of: RouteKind(rawValue: kind), storesNewest: keeps)
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

    /// Gives a kind of route its channel.
    /// - Parameters:
    ///   - address: without a comma, and with no `!` at its beginning.
    ///   - storesNewest: whether the provider keeps the newest message for phones that are off.
    public mutating func set(_ address: String, of kind: RouteKind, storesNewest: Bool) {
        self[kind] = address
        if storesNewest { forgetful.remove(kind) } else { forgetful.insert(kind) }
    }

    /// Whether the provider keeps the newest message to the channel for phones that are off.
    public func storesNewest(_ kind: RouteKind) -> Bool { !forgetful.contains(kind) }

    /// Whether no kind of route has one.
    public var isEmpty: Bool { addresses.isEmpty }

    /// The kinds of route that have one, in ascending order.
    public var kinds: [RouteKind] { addresses.keys.sorted { $0.rawValue < $1.rawValue } }

    var text: String {
        kinds.map { "\($0.rawValue)=\(storesNewest($0) ? "" : "!")\(addresses[$0] ?? "")" }.joined(separator: ",")
    }
}
