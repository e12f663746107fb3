import Reactor

/// A reason for which a gateway is not ready, or a warning.
public struct ReadinessReason: Equatable, Sendable {
    /// The name for programs: lowercase letters and `_`.
    public let name: String
    /// The text for people: the problem and its solution.
    public let text: String
    /// True if the gateway is not ready because of it. Otherwise it is a warning.
    public let isBlocking: Bool

    public init(_ name: String, _ text: String, isBlocking: Bool) {
        self.name = name
        self.text = text
        self.isBlocking = isBlocking
    }
}

/// The readiness checks of a gateway's parts, which `GET /health/ready` shows. From any thread.
public final class ReadinessBoard: Sendable {
    private let looks = Locked<[@Sendable () -> [ReadinessReason]]>([])

    public init() {}

    /// Adds a check.
    /// - Parameter look: Returns the current reasons at each request; must not block.
    public func add(_ look: @escaping @Sendable () -> [ReadinessReason]) {
        looks.withLock { $0.append(look) }
    }

    /// The current reasons, in the order in which the checks were added.
    public var reasons: [ReadinessReason] {
        looks.withLock { $0 }.flatMap { $0() }
    }
}
