import Reactor

/// Something that keeps a gateway from its work, or may.
public struct ReadinessReason: Equatable, Sendable {
    /// For programs: small letters and `_`.
    public let name: String
    /// For people: what is wrong, and what to do about it.
    public let text: String
    /// Whether the gateway is not ready because of it; else it is a warning.
    public let isBlocking: Bool

    public init(_ name: String, _ text: String, isBlocking: Bool) {
        self.name = name
        self.text = text
        self.isBlocking = isBlocking
    }
}

/// Where the parts of a gateway say what keeps them from their work. `GET /health/ready` shows it. From any thread.
public final class ReadinessBoard: Sendable {
    private let looks = Locked<[@Sendable () -> [ReadinessReason]]>([])

    public init() {}

    /// - Parameter look: asked each time that somebody wants to know; must not block.
    public func add(_ look: @escaping @Sendable () -> [ReadinessReason]) {
        looks.withLock { $0.append(look) }
    }

    /// All reasons now, in the order in which the parts were added.
    public var reasons: [ReadinessReason] {
        looks.withLock { $0 }.flatMap { $0() }
    }
}
