public import TimeCore

extension AccessTokenPolicy {
    /// Something to ask of the store or of the token endpoint.
    public struct Request: Hashable, Sendable {
        /// What is asked.
        public enum Kind: Hashable, Sendable {
            /// Which token is shared; tell `sharedTokenAnswered`.
            case lookUp
            /// The lease on fetching, which lasts for `leaseTime` and is given to one gateway at a time; tell
            /// `leaseAnswered`.
            case takeLease
            /// A new token from the token endpoint; tell `fetched` or `fetchFailed`. When it has failed, the lease is
            /// given back.
            case fetch
            /// The store is offered the token that was fetched; tell `offerEnded`.
            case offer(Offer)
        }

        /// Counts the requests from 1 on. It is given back with the answer.
        public let number: UInt32
        /// What is asked.
        public let kind: Kind

        /// Whoever makes the request gives it up after this time.
        public var limit: TimeInterval { kind == .fetch ? AccessTokenPolicy.fetchLimit : AccessTokenPolicy.storeLimit }
    }

    /// The token that was fetched last, on its way to the store.
    public struct Offer: Hashable, Sendable {
        /// When it was issued, in seconds since 1970.
        public let issuedAt: UInt64
        /// Of the shared token that it takes the place of; nil when there was none.
        public let replacing: UInt64?
        /// For how many seconds others may begin to use it.
        public let usableFor: UInt64

        public init(issuedAt: UInt64, replacing: UInt64?, usableFor: UInt64) {
            self.issuedAt = issuedAt
            self.replacing = replacing
            self.usableFor = usableFor
        }
    }

    /// For how long the lease on fetching is given.
    public static let leaseTime = TimeInterval.seconds(10)
    static let fetchLimit = TimeInterval.seconds(8)
    static let storeLimit = TimeInterval.seconds(5)

    /// What is known of a token.
    public struct Term: Hashable, Sendable {
        /// In seconds since 1970, by the clock that all gateways share: it tells the shared tokens apart.
        public let issuedAt: UInt64
        /// From its issue to its end.
        public let lifetime: TimeInterval
        /// How old it is.
        public let age: TimeInterval

        /// - Parameter lifetime: of more than `longestLifetime` that counts.
        public init(issuedAt: UInt64, lifetime: TimeInterval, age: TimeInterval) {
            self.issuedAt = issuedAt
            self.lifetime = min(lifetime, AccessTokenPolicy.longestLifetime)
            self.age = age
        }

        /// How long it is good from now on.
        var left: TimeInterval { lifetime.less(age) }
        /// How long before its end it is renewed, at the latest.
        var lead: TimeInterval { min(AccessTokenPolicy.lead, lifetime.part(2)) }
        /// How much earlier at most.
        var jitter: TimeInterval { min(AccessTokenPolicy.longestJitter, lifetime.part(10)) }
    }

    /// Which token is shared.
    public enum SharedAnswer: Hashable, Sendable {
        case token(Term)
        /// None, or none that can be read.
        case nothing
        /// The store does not say.
        case unavailable
    }

    /// Who may fetch.
    public enum LeaseAnswer: Hashable, Sendable {
        case taken
        /// Another gateway has it.
        case another
        /// The store does not say.
        case unavailable
    }

    /// What an answer comes to.
    public struct Decision: Hashable, Sendable {
        /// Whether the token that the answer told of is current from now on, with the epoch that is read now.
        public let usesToken: Bool
        /// The request to make next, at once.
        public let next: Request?

        static let nothing = Decision(usesToken: false, next: nil)

        public init(usesToken: Bool, next: Request?) {
            self.usesToken = usesToken
            self.next = next
        }
    }
}

extension TimeInterval {
    /// Zero when there is less than that.
    func less(_ other: TimeInterval) -> TimeInterval {
        TimeInterval(nanoseconds: nanoseconds - min(nanoseconds, other.nanoseconds))
    }

    func part(_ divisor: UInt64) -> TimeInterval { TimeInterval(nanoseconds: nanoseconds / divisor) }
}
