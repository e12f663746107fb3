import Broadcasts
import GatewayStore
import HTTPTypes
import LiveActivity
import TimeCore

extension CustomerAPI {
    private static let syncRetryAfter = 5
    private static let overloadRetryAfter = 2

    func start(_ request: CustomerRequest) async throws -> Reply {
        let command = try BroadcastCommand(request, .start)
        let content = try request.body.requiredContent(needsAlert: true)
        let record = try await activity(command.id, for: .start, type: command.type, request.tenantID)
        let payload = Payload.start(
            type: command.type, content: content, options: command.options.presentation,
            activityIDAttribute: record.activity.activityIDAttribute.map { ($0, record.activity.id) })
        try check(payload)
        let audience = try await audience(command, .pushToStart, record)
        guard audience.count > 0 else {
            throw APIError(.noEligibleDevice, "no device can be started on", skipped: audience.skipped)
        }
        let expiration = command.options.expiration ?? (clock() + .seconds(600)).seconds
        let draft = BroadcastDraft(
            kind: .start, scope: audience.scope, payload: payload, priority: command.options.priority ?? 10,
            expiration: expiration)
        return try await broadcast(draft, command, record, audience, request)
    }

    func update(_ request: CustomerRequest) async throws -> Reply {
        let command = try BroadcastCommand(request, .update)
        let content = try request.body.requiredContent(needsAlert: false)
        let payload = Payload.update(content: content, options: command.options.presentation)
        let record = try await activity(command.id, for: .update, type: command.type, request.tenantID)
        try check(payload)
        let audience = try await audience(command, .update, record)
        guard audience.count > 0 else {
            if audience.skipped[.notSynced] > 0 { throw notSynced(audience.skipped) }
            throw APIError(.noEligibleDevice, "no device can be updated", skipped: audience.skipped)
        }
        let draft = BroadcastDraft(
            kind: .update, scope: audience.scope, payload: payload,
            priority: command.options.priority ?? (content.hasAlert ? 10 : 5),
            expiration: command.options.expiration ?? record.activity.endsAt.seconds)
        return try await broadcast(draft, command, record, audience, request)
    }

    func end(_ request: CustomerRequest) async throws -> Reply {
        let command = try BroadcastCommand(request, .end)
        let content = try request.body.content()
        let payload = Payload.end(content: content, options: command.options.presentation)
        let record = try await activity(command.id, for: .end, type: command.type, request.tenantID)
        try check(payload)
        guard record.activity.state == .started else { return try await cancel(command, record, request) }
        let audience = try await audience(command, .update, record)
        if audience.count == 0, !command.options.force,
            audience.skipped[.ended] == 0 || audience.skipped[.notSynced] > 0
        {
            throw notSynced(audience.skipped)
        }
        if case .slots(let slots) = audience.scope, slots.isEmpty, audience.notSynced.isEmpty {
            return .success { $0.outcome(BroadcastCounts(), audience.skipped) }
        }
        let draft = BroadcastDraft(
            kind: .end, scope: audience.scope, payload: payload, priority: command.options.priority ?? 10,
            expiration: command.options.expiration ?? record.activity.endsAt.seconds)
        return try await broadcast(draft, command, record, audience, request)
    }

    /// Ends an activity that was never started.
    private func cancel(
        _ command: BroadcastCommand, _ record: ActivityRecord, _ request: CustomerRequest
    ) async throws -> Reply {
        guard command.targets == nil else { throw APIError(ActivityRefusal.notStarted) }
        guard try await store.cancel(record.activity) else {
            // It was started at this very moment: what was asked for is an end.
            return try await end(request)
        }
        return .success { $0.outcome(BroadcastCounts(), SkipCounts()) }
    }

    // MARK: Parts of all three

    private func check(_ payload: Payload) throws {
        guard payload.length <= Payload.maximumLength else {
            throw APIError(
                .payloadTooLarge,
                "the push would have \(payload.length) bytes; the provider takes \(Payload.maximumLength)")
        }
    }

    private func notSynced(_ skipped: SkipCounts) -> APIError {
        APIError(
            .deviceNotSynced, "none of the devices has reported its update token yet", skipped: skipped,
            retryAfter: CustomerAPI.syncRetryAfter)
    }

    /// Records the broadcast and waits for its fan-out, whichever gateway it is that sends it.
    private func broadcast(
        _ draft: BroadcastDraft, _ command: BroadcastCommand, _ record: ActivityRecord, _ audience: Audience,
        _ request: CustomerRequest
    ) async throws -> Reply {
        guard jobs.unfinishedBroadcasts < settings.maximumBroadcasts else {
            throw APIError(.overloaded, "too many broadcasts are waiting", retryAfter: CustomerAPI.overloadRetryAfter)
        }
        var draft = draft
        draft.id = request.broadcastID
        draft.skipped = audience.skippedBeforehand
        let endsCards = draft.kind == .end && draft.scope != .wholeSegment
        // Noted before the end is recorded, so that a crash cannot come between the two. An end that is then not recorded
        // is not found by those who look for it.
        if endsCards { try await store.remember(audience.notSynced, endedBy: draft.id, in: record.activity) }
        let order = try await traced(draft, request) { try await begin($0, command, record, request) }
        jobs.begun(order)
        if endsCards { await endThoseThatSyncedMeanwhile(audience.notSynced, order) }
        return try await reply(order.id, in: order.activity.id, request)
    }

    /// Whoever has synced before the end was recorded has not found it, so he is found here. Should this fail, he is told
    /// with his next report.
    private func endThoseThatSyncedMeanwhile(_ slots: [UInt32], _ order: BroadcastOrder) async {
        guard !slots.isEmpty, let late = try? await store.slotsWithToken(slots, .update, in: order.activity) else {
            return
        }
        for slot in late { try? await jobs.endLate(by: order.id, in: order.activity.id, slot: slot) }
    }

    /// Waits for the end of a recorded broadcast, as long as the caller wants, and answers with where it is.
    func reply(_ id: UniqueID, in activity: UniqueID, _ request: CustomerRequest) async throws -> Reply {
        var record: BroadcastRecord?
        if request.prefersAsync {
            record = try? await store.broadcast(id, in: activity)
        } else {
            record = await jobs.wait(for: id, in: activity, timeout: settings.waitTimeout)
        }
        let isFinished = record?.state.isFinal ?? false
        var reply = Reply.success(isFinished ? .ok : .accepted) { writer in
            let counts = record?.counts ?? BroadcastCounts()
            writer.outcome(counts, counts.skipped, id: id)
            if let record, record.kind == .update { writer.updates(record.updatesThisHour) }
        }
        if !isFinished { reply.headers[.location] = CustomerAPI.location(id.description) }
        return reply
    }

    /// What a repetition of a request is answered whose broadcast is recorded; nil when it is not.
    func joined(_ request: CustomerRequest) async throws -> Reply? {
        guard let record = try await store.broadcast(request.broadcastID), record.tenantID == request.tenantID else {
            return nil
        }
        return try await reply(record.id, in: record.activityID, request)
    }

    /// Where a broadcast can be looked at.
    static func location(_ broadcastID: String) -> String { "/api/v1/live-activity/broadcasts/\(broadcastID)" }

    /// The one atomic step, tried again while the segment is being changed.
    private func begin(
        _ draft: BroadcastDraft, _ command: BroadcastCommand, _ record: ActivityRecord, _ request: CustomerRequest
    ) async throws -> BroadcastOrder {
        let end = MonotonicTime.now() + CustomerAPI.patience
        repeat {
            if case .success(let order) = try await store.begin(draft, for: record) { return order }
            // Somebody was faster: the activity's new state decides, or it is as it was and we wait.
            _ = try await activity(command.id, for: command.kind, type: command.type, request.tenantID)
            try await Task.sleep(for: CustomerAPI.pause)
        } while MonotonicTime.now() < end
        throw try await moved(command.id, command.kind, command.type, request.tenantID)
    }
}

/// What start, update and end have in common.
private struct BroadcastCommand {
    let kind: ActivityCommand
    let type: String
    /// Nil when the text given can be no activity's id.
    let id: UniqueID?
    /// Nil for the whole segment.
    let targets: [DeviceKey]?
    let options: BroadcastOptions

    init(_ request: CustomerRequest, _ kind: ActivityCommand) throws {
        self.kind = kind
        type = try request.body.activityType()
        id = try request.body.activityID()
        targets = try request.body.targetDevices()
        options = try BroadcastOptions(request.body)
    }
}

/// The devices that a command addresses, as far as is known before the fan-out.
private struct Audience {
    var scope: BroadcastScope
    /// How many of them hold a token.
    var count: Int
    /// Slots that would have to report an update token first.
    var notSynced: [UInt32] = []
    /// For a refusal: everything that was passed over.
    var skipped = SkipCounts()
    /// What the fan-out will not see.
    var skippedBeforehand = SkipCounts()
}

extension CustomerAPI {
    private func audience(
        _ command: BroadcastCommand, _ kind: GatewayStore.TokenKind, _ record: ActivityRecord
    ) async throws -> Audience {
        guard let pairs = command.targets else { return try await wholeSegment(kind, record) }
        let (found, notInSegment) = try await store.targets(pairs, kind, in: record.activity)
        var audience = Audience(scope: .slots(found.filter { $0.skip == nil }.map(\.slot)), count: 0)
        audience.count = found.count { $0.skip == nil }
        audience.notSynced = found.filter { $0.skip == .notSynced }.map(\.slot)
        for target in found { if let reason = target.skip { audience.skippedBeforehand[reason] += 1 } }
        audience.skippedBeforehand[.notInSegment] = notInSegment
        audience.skipped = audience.skippedBeforehand
        return audience
    }

    private func wholeSegment(_ kind: GatewayStore.TokenKind, _ record: ActivityRecord) async throws -> Audience {
        let count = try await store.count(kind, in: record)
        var audience = Audience(scope: .wholeSegment, count: count)
        // Only a refusal needs to know whom the fan-out would have passed over, and then it is everybody.
        if count == 0 { audience.skipped = try await store.skipCounts(kind, in: record) }
        return audience
    }
}

extension JSONObjectWriter {
    /// From this many updates in an hour on a reply warns: iOS slows down cards that are updated more often.
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
    }

    fileprivate mutating func updates(_ count: Int) {
        field("updates_this_hour", count)
        if count >= JSONObjectWriter.updateBudget { field("warnings", ["UPDATE_BUDGET"]) }
    }
}
