public import TimeCore

extension AccessTokenPolicy {
    /// A request to the store or to the token endpoint.
    public struct Request: Hashable, Sendable {
        /// The kind of a request.
        public enum Kind: Hashable, Sendable {
            /// Reads the shared token; call `sharedTokenAnswered` with the result.
            case lookUp
            /// Takes the fetch lease, which one gateway holds for `leaseTime`; call `leaseAnswered` with the result.
            case takeLease
            /// Fetches a new token from the token endpoint; call `fetched` or `fetchFailed`. Release the lease after a
            /// failure.
            case fetch
            /// Offers the fetched token to the store; call `offerEnded` afterwards.
            case offer(Offer)
        }

        /// The sequence number of the request, from 1. Return it with the answer.
        public let number: UInt32
        /// The kind of the request.
        public let kind: Kind

        /// The timeout after which the caller abandons the request.
        public var limit: TimeInterval { kind == .fetch ? AccessTokenPolicy.fetchLimit : AccessTokenPolicy.storeLimit }
    }

    /// The last fetched token, on its way to the store.
    public struct Offer: Hashable, Sendable {
        /// The issue time in seconds since 1970.
        public let issuedAt: UInt64
        /// The issue time of the replaced shared token; nil if there was none.
        public let replacing: UInt64?
        /// The number of seconds for which other gateways may start to use it.
        public let usableFor: UInt64

        public init(issuedAt: UInt64, replacing: UInt64?, usableFor: UInt64) {
            self.issuedAt = issuedAt
            self.replacing = replacing
            self.usableFor = usableFor
        }
    }

    /// The duration of the fetch lease.
    public static let leaseTime = TimeInterval.seconds(10)
    static let fetchLimit = TimeInterval.seconds(8)
    static let storeLimit = TimeInterval.seconds(5)

    /// The times of a token.
    public struct Term: Hashable, Sendable {
        /// The issue time in seconds since 1970, by the clock that all gateways share. It identifies a shared token.
        public let issuedAt: UInt64
        /// The time from its issue to its end.
        public let lifetime: TimeInterval
        /// The time since its issue.
        public let age: TimeInterval

        /// - Parameter lifetime: At most `longestLifetime` counts.
        public init(issuedAt: UInt64, lifetime: TimeInterval, age: TimeInterval) {
            self.issuedAt = issuedAt
            self.lifetime = min(lifetime, AccessTokenPolicy.longestLifetime)
            self.age = age
        }

        /// The remaining time.
        var left: TimeInterval { lifetime.less(age) }
        /// The minimum time between renewal and end.
        var lead: TimeInterval { min(AccessTokenPolicy.lead, lifetime.part(2)) }
        /// The maximum random addition to `lead`.
        var jitter: TimeInterval { min(AccessTokenPolicy.longestJitter, lifetime.part(10)) }
    }

    /// The result of `lookUp`.
    public enum SharedAnswer: Hashable, Sendable {
        case token(Term)
        /// No token, or an unreadable one.
        case nothing
        /// The store is unavailable.
        case unavailable
    }

    /// The result of `takeLease`.
    public enum LeaseAnswer: Hashable, Sendable {
        case taken
        /// Another gateway holds the lease.
        case another
        /// The store is unavailable.
        case unavailable
    }

    /// The consequence of an answer.
    public struct Decision: Hashable, Sendable {
        /// True if the answer's token is current from now on, with the present value of `epoch`.
        public let usesToken: Bool
        /// The request to make next, immediately.
        public let next: Request?

        static let nothing = Decision(usesToken: false, next: nil)

        public init(usesToken: Bool, next: Request?) {
            self.usesToken = usesToken
            self.next = next
        }
    }
}

extension TimeInterval {
    /// Returns the difference; zero instead of a negative one.
    func less(_ other: TimeInterval) -> TimeInterval {
        TimeInterval(nanoseconds: nanoseconds - min(nanoseconds, other.nanoseconds))
    }

    func part(_ divisor: UInt64) -> TimeInterval { TimeInterval(nanoseconds: nanoseconds / divisor) }
}
