import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import TimeCore

/// Stores the claims of `Idempotency-Key`s and the answers to them.
protocol IdempotencyStore: Sendable {
    func claim(
        _ key: StoredAnswers.IdempotencyKey, proposing id: UniqueID, arrived: WallTime?, hold: TimeInterval
    ) async throws(StoreError) -> IdempotencyClaim
    func renew(_ key: StoredAnswers.IdempotencyKey, hold: TimeInterval) async throws(StoreError)
    func answer(
        _ key: StoredAnswers.IdempotencyKey, status: Int, reply: [UInt8]
    ) async throws(StoreError) -> (status: Int, reply: [UInt8])?
    func letGo(
        _ key: StoredAnswers.IdempotencyKey, forgetsArrival: Bool
    ) async throws(StoreError) -> (status: Int, reply: [UInt8])?
    func isKnown(_ key: StoredAnswers.IdempotencyKey) async throws(StoreError) -> Bool
    func isBudgetSpent(_ key: StoredAnswers.IdempotencyKey) -> Bool
}

extension StoredAnswers: IdempotencyStore {}

/// Makes a repeated request with the same `Idempotency-Key` and body get the first one's answer.
struct Idempotency: Sendable {
    let store: any IdempotencyStore
    let clock: @Sendable () -> MonotonicTime = { MonotonicTime.now() }
    /// The time that a repetition waits for the first request's answer. A claim holds a little longer.
    let patience: TimeInterval

    private static let pause = Duration.milliseconds(50)

    /// - Parameters:
    ///   - activity: The activity of the request, if known. New ids are then derived from it.
    ///   - joined: Returns the answer of the work under this id once it has ended; nil if there is none.
    ///   - handler: Carries the request out under this id.
    func carryOut(
        _ key: String, route: String, tenantID: String, body: [UInt8], of activity: UniqueID? = nil,
        from caller: Caller,
        joined: (UniqueID) async throws -> Reply?, _ handler: (UniqueID, WallTime) async throws -> Reply
    ) async throws -> Reply {
        try Idempotency.check(key)
        let name = StoredAnswers.IdempotencyKey(tenantID: tenantID, route: route, key: key, body: body)
        return try await carryOut(name, of: activity, from: caller, joined: joined, handler)
    }

    /// Refuses an invalid key.
    static func check(_ key: String) throws {
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw APIError(.validationFailed, "Idempotency-Key must have 1 to 255 visible characters")
        }
    }

    func carryOut(
        _ name: StoredAnswers.IdempotencyKey, of activity: UniqueID? = nil, from caller: Caller = Caller(),
        joined: (UniqueID) async throws -> Reply?, _ handler: (UniqueID, WallTime) async throws -> Reply
    ) async throws -> Reply {
        let end = clock() + patience
        var hasWaited = false
        while true {
            // A request that waits for another one's answer ends with its caller.
            if hasWaited, caller.isGone() { throw Idempotency.stillUnderWay }
            let id = activity?.randomBroadcast() ?? .random()
            switch try await store.claim(name, proposing: id, arrived: caller.arrived, hold: Idempotency.hold) {
            case .claimed(let id, let arrived):
                // The one who claimed it first may be gone, and have recorded the broadcast before.
                return try await first(name) {
                    if let reply = try await joined(id) { return reply.replayed }
                    return try await handler(id, arrived)
                }
            case .answered(let status, let body): return try Idempotency.repeated(status, body)
            case .reused:
                throw APIError(
                    .idempotencyKeyReused,
                    "this Idempotency-Key was used with another body; use a new key for a changed request")
            case .underWay(let id):
                if let reply = try await joined(id) { return reply.replayed }
                guard clock() < end else { throw Idempotency.stillUnderWay }
                hasWaited = true
                try await Task.sleep(for: Idempotency.pause)
            }
        }
    }

    /// The sender of a request.
    struct Caller: Sendable {
        /// The time at which this gateway received the request; nil for now.
        var arrived: WallTime?
        /// True once the caller sends no more.
        var isGone: @Sendable () -> Bool = { false }
    }

    private static let stillUnderWay = APIError(
        .overloaded, "the first request with this Idempotency-Key is still in progress; try again later", retryAfter: 1)

    /// The life of a claim that its gateway does not renew. A repetition then continues under the same id.
    private static let hold = StoredHeldJobs.holdLength

    private func first(_ name: StoredAnswers.IdempotencyKey, _ handler: () async throws -> Reply) async throws -> Reply
    {
        let renewal = Task { await keepRenewing(name) }
        defer { renewal.cancel() }
        var reply: Reply
        // An update that was refused before the start would be superseded by the start if it is tried again.
        var isTooEarly = false
        do {
            reply = try await handler()
        } catch let error as APIError {
            isTooEarly = error.code == .notStarted
            reply = Reply(error)
        } catch let error as StoreError {
            reply = Reply(APIError(error))
        }
        renewal.cancel()
        await renewal.value
        // The caller gets the answer even if the store fails here, because the request has been carried out. A claim
        // that is neither kept nor given back runs out.
        // A gateway that slept longer than its claim may find another gateway's answer. It returns that one, because
        // repetitions get it.
        let kept: (status: Int, reply: [UInt8])?
        if reply.status.code >= 400 || reply.isSecret {
            // A refused request may be allowed later, and a failed one may have had an effect. So the next try
            // continues under the same id. A secret's request does so too, because `joined` must find the secret.
            kept = (try? await store.letGo(name, forgetsArrival: isTooEarly)) ?? nil
        } else {
            let packed = KeptReply.pack(reply.body, isBrief: store.isBudgetSpent(name))
            kept = (try? await store.answer(name, status: reply.status.code, reply: packed)) ?? nil
        }
        return try kept.map { try Idempotency.repeated($0.status, $0.reply) } ?? reply
    }

    /// Registering a segment may take longer than a claim holds.
    private func keepRenewing(_ name: StoredAnswers.IdempotencyKey) async {
        let pause = Idempotency.hold.duration / 4
        while (try? await Task.sleep(for: pause)) != nil {
            try? await store.renew(name, hold: Idempotency.hold)
        }
    }

    private static func repeated(_ status: Int, _ kept: [UInt8]) throws -> Reply {
        guard let body = KeptReply.unpack(kept) else { throw StoreError.damaged("an answer that was kept") }
        var reply = Reply(status: .init(code: status), body: body)
        if status == 202, let id = (try? JSONDocument(parsing: body).root.member("broadcast_id"))?.string {
            reply.headers[.location] = CustomerAPI.location(id)
        }
        return reply.replayed
    }
}

/// The `Idempotency-Key` of a request whose handler evaluates it. Only the handler knows the request's meaning, or the
/// callers whose keys are kept.
struct GivenKey: Sendable {
    private let idempotency: Idempotency
    private let tenantID: String
    private let route: String
    private let key: String
    private let holder: StoredAnswers.KeyHolder

    /// Nil for a request without one.
    /// - Parameter route: The name of the route, which separates uses of a key.
    init?(
        _ request: Request, _ idempotency: Idempotency, tenantID: String, route: String,
        holder: StoredAnswers.KeyHolder = .customer
    ) throws {
        guard let key = request.headers[.idempotencyKey] else { return nil }
        try Idempotency.check(key)
        self.idempotency = idempotency
        self.tenantID = tenantID
        self.route = route
        self.key = key
        self.holder = holder
    }

    private func name(_ body: [UInt8]) -> StoredAnswers.IdempotencyKey {
        StoredAnswers.IdempotencyKey(tenantID: tenantID, route: route, key: key, body: body, holder: holder)
    }

    /// True if the key was used before.
    func isKnown() async throws -> Bool { try await idempotency.store.isKnown(name([])) }

    /// - Parameters:
    ///   - body: The whole content of the request.
    ///   - handler: Continues the work under this id, or begins it.
    func carryOut(_ body: [UInt8], _ handler: (UniqueID) async throws -> Reply) async throws -> Reply {
        try await idempotency.carryOut(name(body), joined: { _ in nil }, { id, _ in try await handler(id) })
    }
}

extension Reply {
    /// The reply for a repetition.
    fileprivate var replayed: Reply {
        var reply = self
        reply.headers[.idempotentReplayed] = "true"
        return reply
    }
}

extension TimeInterval {
    static func + (left: TimeInterval, right: TimeInterval) -> TimeInterval {
        TimeInterval(nanoseconds: left.nanoseconds &+ right.nanoseconds)
    }
}
