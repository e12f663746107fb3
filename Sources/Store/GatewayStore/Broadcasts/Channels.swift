public import Delivery

/// The channels of an activity: for a kind of route, the one address that reaches all of its devices. Stored as kind,
/// `=` and address, separated by commas. A `!` before the address marks a channel that keeps nothing for offline
/// phones.
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

    /// The address for a kind of route; nil if its devices have no channel. An address has no comma.
    public subscript(kind: RouteKind) -> String? {
        get { addresses[kind] }
        set {
            precondition(newValue?.utf8.contains(0x2C) != true, "an address with a comma")
            addresses[kind] = newValue
        }
    }

    /// Sets the channel of a kind of route.
    /// - Parameters:
    /// - address: An address without a comma and without a leading `!`.
    /// - storesNewest: True if the provider keeps the newest message for offline phones.
    public mutating func set(_ address: String, of kind: RouteKind, storesNewest: Bool) {
        self[kind] = address
        if storesNewest { forgetful.remove(kind) } else { forgetful.insert(kind) }
    }

    /// True if the provider keeps the channel's newest message for offline phones.
    public func storesNewest(_ kind: RouteKind) -> Bool { !forgetful.contains(kind) }

    /// True if no kind of route has a channel.
    public var isEmpty: Bool { addresses.isEmpty }

    /// The kinds of route that have a channel, in ascending order.
    public var kinds: [RouteKind] { addresses.keys.sorted { $0.rawValue < $1.rawValue } }

    var text: String {
        kinds.map { "\($0.rawValue)=\(storesNewest($0) ? "" : "!")\(addresses[$0] ?? "")" }.joined(separator: ",")
    }
}
