/// One thing about Redis that what the gateway promises rests on.
public struct StoreCheck: Equatable, Sendable {
    /// What is looked at; the raw values are names in replies, log and metrics.
    public enum Name: String, CaseIterable, Sendable {
        /// Redis must not drop keys to make room.
        case eviction
        /// What was answered must be on disk.
        case persistence
        /// The scripts' commands must exist.
        case version
        /// There must be memory left.
        case memory
        /// The gateway's clock and Redis's must agree.
        case clock
        /// Loading the append-only file must not leave out what scripts have written.
        case aclDefaultUser = "acl_default_user"
        /// The gateway's user must be allowed what the gateway does.
        case rights
    }

    /// What was found, from harmless to grave.
    public enum Finding: Equatable, Sendable {
        case good
        /// Redis does not tell, as managed ones may: nothing follows from that.
        case unknown
        /// Soon something may be in danger: what, and what to do.
        case warning(String, remedy: String)
        /// A promise cannot be kept: which, and what to do.
        case danger(String, remedy: String)
    }

    /// Which rule it is.
    public let name: Name
    /// Whether a promise is in danger by it.
    public let finding: Finding

    public init(_ name: Name, _ finding: Finding) {
        self.name = name
        self.finding = finding
    }

    /// Whether a promise cannot be kept.
    public var isDanger: Bool {
        if case .danger = finding { true } else { false }
    }

    /// What is wrong and what to do about it; nil when nothing is, as far as is known.
    public var text: String? {
        switch finding {
        case .good, .unknown: nil
        case .warning(let text, let remedy), .danger(let text, let remedy): "\(text); \(remedy)"
        }
    }
}
