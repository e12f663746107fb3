public import RedisClient
public import TimeCore

/// The reasons why a call of the store failed.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Redis is not reachable, not in time, or not able to serve now. Another try may succeed.
    case unavailable(String)
    /// Redis refuses: the kind of refusal, and Redis's own words.
    case refused(RedisRefusal, String)
    /// The store holds something that this version does not understand.
    case damaged(String)
    /// The store has a layout with this number, or tenants and no valid number. This version cannot read it.
    case unsupportedLayout(Int64?)
    /// A quota of the tenant is used up. With a time it is worth trying again then.
    case quotaReached(TenantLimits.Limit, wait: TimeInterval?)

    /// The kind of refusal; nil if Redis has not refused.
    public var refusal: RedisRefusal? {
        if case .refused(let kind, _) = self { kind } else { nil }
    }

    /// True if the gateway's Redis user lacks a right.
    public var isMissingRight: Bool { refusal == .noPermission }

    public var description: String {
        switch self {
        case .unavailable(let reason): "the store is unavailable: \(reason)"
        case .refused(_, let words): "the store refused the command: \(words)"
        case .damaged(let what): "the store has an unexpected value: \(what)"
        case .unsupportedLayout(let number?) where number > StoredLayout.supported:
            """
            the store has layout \(number), but this version supports only layout \(StoredLayout.supported): run the \
            version that wrote the store, or a later version
            """
        case .unsupportedLayout(let number):
            """
            the store has \(number.map { "layout \($0)" } ?? "no layout number"), but this version supports only layout \
            \(StoredLayout.supported) and cannot read the store of a version before 0.3.0: start with an empty database
            """
        case .quotaReached(let limit, _): "\(limit.subject) has reached its limit \(limit.name): \(limit.summary)"
        }
    }

    init(_ error: RedisError) {
        switch (error, error.refusal) {
        case (.rejected(let words), let kind?), (.unavailable(let words, _), let kind?):
            self = .refused(kind, RedisRefusal.words(words))
        default: self = .unavailable(error.description)
        }
    }

    static func unwrap(_ result: Result<RedisValue, RedisError>) throws(StoreError) -> RedisValue {
        switch result {
        case .success(let value): return value
        case .failure(let error): throw StoreError(error)
        }
    }
}

extension StoreError {
    /// The report was under way for longer than erasures are remembered. A repetition is carried out.
    static let tooOldReport = StoreError.unavailable("the report took too long; send it again")

    /// The reason and the remedy, for the caller. It names no stored data.
    public var explanation: String {
        switch self {
        case .unavailable: "the store is unreachable; try again"
        case .refused(let kind, _): StoreError.explanation(kind)
        case .damaged, .unsupportedLayout: "the store has data that this gateway cannot read"
        case .quotaReached: description
        }
    }

    /// The seconds after which another try may succeed.
    public var pause: Int {
        switch refusal {
        case nil, .busy?, .notServing?, .readOnly?: 1
        default: 5
        }
    }

    private static func explanation(_ kind: RedisRefusal) -> String {
        switch kind {
        case .outOfMemory:
            "the store is full: Redis refuses writes (OOM) until keys expire or you raise maxmemory"
        case .cannotPersist:
            "the store cannot write to its disk (MISCONF); see Redis's log"
        case .tooFewReplicas: "the store has fewer replicas than required (NOREPLICAS)"
        case .readOnly: "the store is currently a read-only replica (READONLY); try again"
        case .busy: "the store is busy with a long script (BUSY); try again"
        case .notServing: "the store is loading its data, or currently has no master; try again"
        case .noPermission:
            "the gateway lacks rights in the store (NOPERM); GET /health/ready names the rights and the rule to add"
        case .wrongType: "the store has a value of the wrong type (WRONGTYPE)"
        case .other: "the store refused a command; see the gateway's log"
        }
    }
}
