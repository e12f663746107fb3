/// A check of a condition on Redis that the gateway's guarantees need.
public struct StoreCheck: Equatable, Sendable {
    /// The checked condition. The raw values are names in replies, log and metrics.
    public enum Name: String, CaseIterable, Sendable {
        /// Redis must not evict keys.
        case eviction
        /// Confirmed writes must be on disk.
        case persistence
        /// Redis must know the scripts' commands.
        case version
        /// Redis must have memory left.
        case memory
        /// The gateway's clock and Redis's must agree.
        case clock
        /// The default user must have write rights, so that loading the append-only file keeps scripts' writes.
        case aclDefaultUser = "acl_default_user"
        /// The gateway's user must have all rights that the gateway needs.
        case rights
    }

    /// The result of a check, from harmless to severe.
    public enum Finding: Equatable, Sendable {
        case good
        /// Redis does not answer, as some managed services do not. This is no problem by itself.
        case unknown
        /// A guarantee may soon fail: the problem and the remedy.
        case warning(String, remedy: String)
        /// A guarantee does not hold: the problem and the remedy.
        case danger(String, remedy: String)
    }

    /// The checked condition.
    public let name: Name
    /// The result.
    public let finding: Finding

    public init(_ name: Name, _ finding: Finding) {
        self.name = name
        self.finding = finding
    }

    /// True if a guarantee does not hold.
    public var isDanger: Bool {
        if case .danger = finding { true } else { false }
    }

    /// The problem and its remedy; nil if the check found none.
    public var text: String? {
        switch finding {
        case .good, .unknown: nil
        case .warning(let text, let remedy), .danger(let text, let remedy): "\(text); \(remedy)"
        }
    }
}
