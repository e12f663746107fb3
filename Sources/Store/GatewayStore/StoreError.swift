public import RedisClient
public import TimeCore

/// Why the store could not do what it was asked for.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not reachable, not in time, or not able to serve just now. Trying again may help.
    case unavailable(String)
    /// Redis is there and refuses: what kind of refusal it is, and Redis's own words.
    case refused(RedisRefusal, String)
    /// The store holds something that this version does not understand.
    case damaged(String)
    /// What the store holds is written as a later version does it: in the layout of this number.
    case newerLayout(Int64)
    /// A quota of the tenant is used up. With a time it is worth trying again then.
    case quotaReached(TenantLimits.Limit, wait: TimeInterval?)

    /// What kind of refusal this is, when Redis has refused.
    public var refusal: RedisRefusal? {
        if case .refused(let kind, _) = self { kind } else { nil }
    }

    /// Whether Redis is there, and its user may not do this.
    public var isMissingRight: Bool { refusal == .noPermission }

    public var description: String {
        switch self {
        case .unavailable(let reason): "the store is unavailable: \(reason)"
        case .refused(_, let words): "the store refused the command: \(words)"
        case .damaged(let what): "the store has an unexpected value: \(what)"
        case .newerLayout(let number):
            """
            the store has layout \(number), but this version supports layouts up to \(StoreLayout.newest): run the \
            version that upgraded the store, or a later version
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
    /// A report was under way for so long that nobody knows any more who has been erased since. Sent again it is
    /// carried out.
    static let tooOldReport = StoreError.unavailable("the report took too long; send it again")

    /// For whoever called: what the store lacks, and what can be done. Names nothing of what is stored.
    public var explanation: String {
        switch self {
        case .unavailable: "the store is unreachable; try again"
        case .refused(let kind, _): StoreError.explanation(kind)
        case .damaged, .newerLayout: "the store has data that this gateway cannot read"
        case .quotaReached: description
        }
    }

    /// After how many seconds it may be worth trying again.
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
