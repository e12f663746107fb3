import BroadcastCore
import Broadcasts
import GatewayStore
import HTTPTypes
import LiveActivity
import TimeCore

extension CustomerAPI {
    private static let syncRetryAfter = 5
    private static let overloadRetryAfter = 2
    /// From this many updates in an hour on a reply warns: iOS slows down cards that are updated more often.
    private static let updateBudget = 30

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
        return try await broadcast(draft, command, record, audience, request) { _, _ in }
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
        return try await broadcast(draft, command, record, audience, request) { writer, order in
            writer.field("updates_this_hour", order.updatesThisHour)
            if order.updatesThisHour >= CustomerAPI.updateBudget { writer.field("warnings", ["UPDATE_BUDGET"]) }
        }
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
            return .success { $0.outcome(BroadcastTally(), audience.skipped) }
        }
        let draft = BroadcastDraft(
            kind: .end, scope: audience.scope, payload: payload, priority: command.options.priority ?? 10,
            expiration: command.options.expiration ?? record.activity.endsAt.seconds)
        return try await broadcast(draft, command, record, audience, request) { _, _ in }
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
        return .success { $0.outcome(BroadcastTally(), SkipCounts()) }
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

    /// Records the broadcast and waits for its fan-out.
    private func broadcast(
        _ draft: BroadcastDraft, _ command: BroadcastCommand, _ record: ActivityRecord, _ audience: Audience,
        _ request: CustomerRequest, _ more: (inout JSONObjectWriter, BroadcastOrder) -> Void
    ) async throws -> Reply {
        guard apps.underWay < settings.maximumBroadcasts else {
            throw APIError(.overloaded, "too many broadcasts are under way", retryAfter: CustomerAPI.overloadRetryAfter)
        }
        var order = try await begin(draft, command, record, request)
        order.skippedBeforehand = audience.skippedBeforehand
        if case .slots(let slots) = draft.scope, draft.kind == .end, !audience.notSynced.isEmpty {
            // Recorded by now, so it is carried out in any case; a failure here only leaves late cards to their own end.
            try? await store.remember(audience.notSynced, endedBy: order.id, in: order.activity)
            // Whoever has synced in between has not found the end, so he is found here.
            let late = (try? await store.slotsWithToken(audience.notSynced, .update, in: order.activity)) ?? []
            order.scope = .slots((slots + late).sorted())
            order.skippedBeforehand[.notSynced] -= late.count
        }
        let timeout = request.prefersAsync ? TimeInterval.zero : settings.waitTimeout
        let report = await apps.carryOut(order, waiting: timeout)
        var reply = Reply.success(report.isFinished ? .ok : .accepted) { writer in
            writer.outcome(report.tally, report.skipped, id: report.id)
            more(&writer, order)
        }
        if !report.isFinished { reply.headers[.location] = CustomerAPI.location(report.id.description) }
        return reply
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
    /// The reply of start, update and end.
    fileprivate mutating func outcome(_ tally: BroadcastTally, _ skips: SkipCounts, id: UniqueID? = nil) {
        field("sessions_triggered", tally.accepted)
        field("broadcast_id", id?.description)
        skipped(skips)
        if !tally.failed.isEmpty {
            object("failed") { writer in
                for (reason, count) in tally.failed.sorted(by: { $0.key < $1.key }) { writer.field(reason, count) }
            }
        }
    }
}
