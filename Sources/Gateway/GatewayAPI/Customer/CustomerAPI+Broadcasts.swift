import Broadcasts
import Delivery
import GatewayStore
import HTTPTypes
import LiveActivity
import TimeCore

extension CustomerAPI {
    func start(_ request: CustomerRequest, _ body: JSONValue) async throws -> Reply {
        let fields = try BroadcastFields(body)
        try fields.options.requireFresh(at: clock())
        let presentation = fields.options.presentation
        let content = try body.requiredContent(needsAlert: true)
        try fields.options.requireAlert(content)
        let broadcast = fields.request(.start, request.caller, priority: 10) {
            activity throws(Payload.AttributeTaken) in
            try .start(of: activity, content: content, options: presentation)
        }
        return try await carryOut(broadcast, request)
    }

    /// Refuses a second start of an activity by the id in its body. Other errors of the body do not count.
    func secondStart(_ request: CustomerRequest, _ body: JSONValue) async throws -> APIError? {
        guard let id = try? body.activityID(), let activity = try await store.activities.activity(id)?.activity
        else { return nil }
        let refusal = Lifecycle.refusal(
            of: .start, for: activity, tenantID: request.tenantID, type: activity.type, now: clock())
        return refusal == .alreadyStarted ? APIError(ActivityRefusal.alreadyStarted) : nil
    }

    func update(_ request: CustomerRequest, _ body: JSONValue) async throws -> Reply {
        var (broadcast, activity) = try CustomerAPI.update(body, request.caller)
        broadcast.activityID = try await id(of: activity, request.tenantID)
        return try await carryOut(broadcast, request)
    }

    /// The update that a body asks for, whose activity is still to be found when it has an external name.
    static func update(
        _ body: JSONValue, _ caller: BroadcastCaller
    ) throws -> (request: BroadcastRequest, activity: NamedActivity) {
        let fields = try BroadcastFields(body, NamedActivity.init)
        let content = try body.requiredContent(needsAlert: false)
        try fields.options.requireAlert(content)
        let payload = Payload.update(content: content, options: fields.options.presentation)
        return (fields.request(.update, caller, priority: content.hasAlert ? nil : 5) { _ in payload }, fields.activity)
    }

    func end(_ request: CustomerRequest, _ body: JSONValue) async throws -> Reply {
        let fields = try BroadcastFields(body, NamedActivity.init)
        let content = try body.content()
        try fields.options.requireAlert(content)
        let payload = Payload.end(content: content, options: fields.options.presentation)
        var broadcast = fields.request(.end, request.caller, priority: 10) { _ in payload }
        broadcast.activityID = try await id(of: fields.activity, request.tenantID)
        return try await carryOut(broadcast, request)
    }

    // MARK: Parts of all three

    /// Records the broadcast and waits for its fan-out, which any gateway may carry out.
    func carryOut(_ broadcast: BroadcastRequest, _ request: CustomerRequest) async throws -> Reply {
        var broadcast = broadcast
        // Unless the request may be repeated, the id is one that leads to the activity by itself.
        if !broadcast.isRepetition, let activity = broadcast.activityID {
            broadcast.id = activity.randomBroadcast()
        }
        do {
            return await reply(to: try await service.carryOutTraced(broadcast), prefersAsync: request.prefersAsync)
        } catch let refusal as BroadcastRefusal {
            throw APIError(refusal)
        }
    }

    /// Waits for the end of a recorded broadcast, unless the caller prefers not to.
    func reply(to result: BroadcastResult, prefersAsync: Bool = false) async -> Reply {
        switch result {
        case .recorded(let order): return await reply(order.id, in: order.activity.id, prefersAsync: prefersAsync)
        case .ended(let record): return reply(record.id, record)
        case .cancelled: return .success { $0.outcome(BroadcastCounts(), SkipCounts()) }
        case .nobody(let skipped): return .success { $0.outcome(BroadcastCounts(), skipped) }
        case .unchanged(let updates):
            return .success { writer in
                writer.outcome(BroadcastCounts(), SkipCounts())
                writer.field("unchanged", true)
                writer.field("updates_this_hour", updates)
            }
        }
    }

    /// Waits for the end of a recorded broadcast, as long as the caller wants, and answers with where it is.
    func reply(_ id: UniqueID, in activity: UniqueID, prefersAsync: Bool) async -> Reply {
        var record: BroadcastRecord?
        if prefersAsync {
            record = try? await store.broadcasts.broadcast(id, in: activity)
        } else {
            record = await service.wait(for: id, in: activity, timeout: settings.waitTimeout)
        }
        return reply(id, record, prefersAsync: prefersAsync)
    }

    /// - Parameter prefersAsync: A fan-out may end before its record is read: who asked for 202 gets it all the same.
    func reply(_ id: UniqueID, _ record: BroadcastRecord?, prefersAsync: Bool = false) -> Reply {
        let isFinished = !prefersAsync && record?.state.isFinal ?? false
        var reply = Reply.success(isFinished ? .ok : .accepted) { writer in
            let counts = record?.counts ?? BroadcastCounts()
            writer.outcome(counts, counts.skipped, id: id)
            if let record { writer.updatesAndWarnings(record) }
        }
        if !isFinished { reply.headers[.location] = CustomerAPI.location(id.description) }
        return reply
    }

    /// The reply to a repeated request whose broadcast is recorded; nil if it is not.
    func joined(_ request: CustomerRequest) async throws -> Reply? {
        guard let record = try await store.broadcasts.broadcast(request.broadcastID, of: request.tenantID) else {
            return nil
        }
        return await reply(record.id, in: record.activityID, prefersAsync: request.prefersAsync)
    }

    /// The path of a broadcast.
    static func location(_ broadcastID: String) -> String { "/api/v1/live-activity/broadcasts/\(broadcastID)" }
}

/// The fields that start, update, end and restart have in common.
struct BroadcastFields {
    let type: String
    let activity: NamedActivity
    /// Nil for the whole segment.
    let targets: [DeviceKey]?
    let options: BroadcastOptions

    /// - Parameter activity: what reads which activity it is about. What starts one knows it by its id alone.
    init(
        _ body: JSONValue, _ activity: (JSONValue) throws -> NamedActivity = { .id(try $0.activityID()) }
    ) throws {
        type = try body.activityType()
        self.activity = try activity(body)
        targets = try body.targetDevices()
        options = try BroadcastOptions(body)
    }

    /// The request, whose activity is still to be found when it has an external name.
    func request(
        _ command: BroadcastRequest.Command, _ caller: BroadcastCaller, priority: Int?,
        payload: @escaping BroadcastRequest.Rendering
    ) -> BroadcastRequest {
        var id: UniqueID?
        if case .id(let given) = activity { id = given }
        var broadcast = BroadcastRequest(
            command, id: caller.broadcastID, tenantID: caller.tenantID, activityID: id, type: type,
            priority: options.priority ?? priority, payload: payload)
        broadcast.isRepetition = caller.isRepetition
        broadcast.isAwaited = !caller.prefersAsync
        broadcast.arrived = caller.arrived
        broadcast.isCallerGone = caller.isGone
        broadcast.origin.requestID = caller.requestID
        broadcast.targets = targets
        broadcast.expiration = options.expiration
        broadcast.force = options.force
        broadcast.skipsUnchanged = options.skipsUnchanged
        return broadcast
    }
}

extension APIError {
    init(_ error: Payload.AttributeTaken) {
        self.init(
            .validationFailed,
            """
            content.attributes must not have \(error.key), because options.activity_id_attribute reserves it for the \
            activity's id
            """)
    }

    private static func syncRetryAfter(_ isJustStarted: Bool) -> Int { isJustStarted ? 1 : 5 }
    private static let overloadRetryAfter = 2

    init(_ refusal: BroadcastRefusal) {
        switch refusal {
        case .activity(let refusal): self.init(refusal)
        case .ofTopic(let topic): self = .ofTopic(topic)
        case .attributeTaken(let error): self.init(error)
        case .payloadTooLarge(let length, let limit, let cohort):
            self.init(
                .payloadTooLarge,
                """
                content is too large: the push would have \(length) bytes, and the provider accepts \(limit) \
                (\(cohort.rawValue))
                """)
        case .notSynced(let skipped, let isJustStarted):
            self.init(
                .deviceNotSynced,
                """
                none of the addressed devices has reported its update token yet; repeat the call later, or end with \
                options.force
                """,
                skipped: skipped, retryAfter: APIError.syncRetryAfter(isJustStarted))
        case .nobodyEligible(let skipped):
            self.init(.noEligibleDevice, "no device can receive a push; skipped has the reasons", skipped: skipped)
        case .overloaded:
            self.init(
                .overloaded, "too many broadcasts are unfinished; try again later",
                retryAfter: APIError.overloadRetryAfter)
        case .leftToOthers:
            self.init(
                .overloaded, "this gateway cannot push at the moment; send the call to another gateway",
                retryAfter: APIError.overloadRetryAfter)
        case .starting:
            self.init(
                .overloaded, "a start of this activity is in progress; try again when it has ended",
                retryAfter: APIError.overloadRetryAfter)
        case .contended, .scheduleGone:
            self.init(
                .storeUnavailable, "another request is changing the activity; try again", retryAfter: 1)
        }
    }
}

extension JSONObjectWriter {
    /// From this many updates in an hour on a reply warns: iOS slows down Live Activities that are updated more often.
    private static let updateBudget = 30

    /// The reply of start, update and end.
    fileprivate mutating func outcome(_ counts: BroadcastCounts, _ skips: SkipCounts, id: UniqueID? = nil) {
        field("sessions_triggered", counts.accepted)
        field("broadcast_id", id?.description)
        skipped(skips)
        if !counts.failed.isEmpty {
            object("failed") { writer in
                for (reason, count) in counts.failed.sorted(by: { $0.key < $1.key }) { writer.field(reason, count) }
            }
        }
        cohorts(counts.cohorts)
    }

    fileprivate mutating func updatesAndWarnings(_ record: BroadcastRecord) {
        var warnings: [String] = []
        if record.kind == .update {
            field("updates_this_hour", record.updatesThisHour)
            if record.updatesThisHour >= JSONObjectWriter.updateBudget { warnings.append("UPDATE_BUDGET") }
        }
        if record.hasWrongEnvironment { warnings.append("WRONG_ENVIRONMENT") }
        if !warnings.isEmpty { field("warnings", warnings) }
    }
}
