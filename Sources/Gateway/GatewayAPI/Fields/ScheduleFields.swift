import Broadcasts
import Delivery
import GatewayStore
import LiveActivity
import TimeCore

/// The fields of a request for a schedule, checked as far as that is possible without the activity.
struct ScheduleFields {
    enum Time {
        case offset(TimeInterval)
        case deliverAt(WallTime)

        /// The field that gave it.
        var name: String {
            switch self {
            case .offset: "offset"
            case .deliverAt: "deliver_at"
            }
        }
    }

    let activity: NamedActivity
    let time: Time
    let kind: PushEvent

    /// True if the schedule is for the whole segment.
    var isToAll: Bool { targets == nil && owner == nil }

    private let rendering: BroadcastRequest.Rendering
    private let tenantID: String
    /// The user whose app schedules it; nil for a customer's.
    private let owner: String?
    private let name: String?
    private let targets: [DeviceKey]?
    private let options: BroadcastOptions
    private let expiresAfter: TimeInterval?
    private let priority: Int?

    /// No activity lives longer.
    private static let longest = Int64(7 * 86_400)

    init(_ body: JSONValue, tenantID: String) throws {
        self.tenantID = tenantID
        owner = nil
        activity = try NamedActivity(body)
        let event = try body.optionalString("event")
        guard let kind = event.flatMap(PushEvent.init) else { throw try body.refusal("event", "start, update or end") }
        self.kind = kind
        time = try ScheduleFields.time(body)
        name = try ScheduleFields.name(body)
        targets = try body.targetDevices()
        guard (targets?.count ?? 0) <= ScheduleRules.maximumTargets else {
            throw APIError.invalid("target_devices", "an array of at most \(ScheduleRules.maximumTargets) devices")
        }
        // The store has no device with a longer name.
        for (index, key) in (targets ?? []).enumerated()
        where max(key.insiderID.utf8.count, key.udid.utf8.count) > DeviceKey.maximumLength {
            throw APIError(
                .targetDevicesInvalid,
                "target_devices[\(index)]: insider_id and udid have at most \(DeviceKey.maximumLength) bytes")
        }
        options = try BroadcastOptions(body)
        expiresAfter = try ScheduleFields.expiresAfter(body)
        let content = kind == .end ? try body.content() : try body.requiredContent(needsAlert: kind == .start)
        try ScheduleFields.check(options, content, kind)
        priority = ScheduleFields.usualPriority(kind, content)
        rendering = ScheduleFields.rendering(kind, content ?? Content(), options.presentation)
    }

    private static func rendering(
        _ kind: PushEvent, _ content: Content, _ presentation: PresentationOptions
    ) -> BroadcastRequest.Rendering {
        switch kind {
        case .start:
            { activity throws(Payload.AttributeTaken) in
                try .start(of: activity, content: content, options: presentation)
            }
        case .update: { _ in .update(content: content, options: presentation) }
        case .end: { _ in .end(content: content, options: presentation) }
        }
    }

    /// The default priority; nil for 10 while the activity's budget of alerting updates lasts.
    private static func usualPriority(_ kind: PushEvent, _ content: Content?) -> Int? {
        guard kind == .update else { return 10 }
        return content?.hasAlert == true ? nil : 5
    }

    /// Refuses options that the event has no use for.
    private static func check(_ options: BroadcastOptions, _ content: Content?, _ kind: PushEvent) throws {
        try options.requireAlert(content)
        guard kind == .end || !options.force else {
            throw APIError(.validationFailed, "options.force is only for an end")
        }
        guard kind == .update || !options.skipsUnchanged else {
            throw APIError(.validationFailed, "options.skip_unchanged is only for an update")
        }
    }

    /// The payload for an activity. Throws if its attributes or its length do not fit.
    func payload(for record: ActivityRecord, _ service: any BroadcastCarrier) throws -> Payload {
        let payload: Payload
        do { payload = try rendering(record.activity) } catch { throw APIError(error) }
        do { try service.check(payload, kind, for: record, isToAll: isToAll) } catch { throw APIError(error) }
        return payload
    }

    /// Reads what the app of a device says. It is for Live Activities of that device's user, so it names no devices.
    init(of request: DeviceRequest) throws {
        let body = request.body
        tenantID = request.tenantID
        owner = request.key.insiderID
        activity = .external(try ExternalName(of: request))
        switch try body.optionalString("event") {
        case "update", nil: kind = .update
        case "end": kind = .end
        default: throw APIError.invalid("event", "update or end")
        }
        guard let offset = try ScheduleFields.offset(body) else {
            throw try body.refusal("offset", ScheduleFields.offsetForm)
        }
        time = .offset(offset)
        name = try ScheduleFields.name(body)
        targets = nil
        options = try BroadcastOptions(body)
        expiresAfter = try ScheduleFields.expiresAfter(body)
        let content = try body.shownContent()
        guard kind == .end || content.contentState != nil else {
            throw APIError(.contentRequired, "content_state is required and must be an object")
        }
        try ScheduleFields.check(options, content, kind)
        guard !options.skipsUnchanged else {
            throw APIError(.validationFailed, "options.skip_unchanged is only for updates to a whole segment")
        }
        priority = ScheduleFields.usualPriority(kind, content)
        rendering = ScheduleFields.rendering(kind, content, options.presentation)
    }

    private static func name(_ body: JSONValue) throws -> String? {
        let name = try body.text("name")
        guard (name?.utf8.count ?? 0) <= ScheduleRules.maximumNameLength else {
            throw APIError.invalid("name", "a string of at most \(ScheduleRules.maximumNameLength) bytes")
        }
        return name
    }

    private static let offsetForm = "a whole number of seconds from 0 to \(longest)"

    private static func offset(_ body: JSONValue) throws -> TimeInterval? {
        guard let offset = try body.optional("offset") else { return nil }
        guard let seconds = offset.integer, (0...longest).contains(seconds) else {
            throw APIError.invalid("offset", offsetForm)
        }
        return .seconds(Int(seconds))
    }

    private static func time(_ body: JSONValue) throws -> Time {
        let offset = try offset(body)
        let text = try body.optionalString("deliver_at")
        switch (offset, text) {
        case (let offset?, nil): return .offset(offset)
        case (nil, let text?):
            guard let time = WallTime(rfc3339: text) else {
                throw APIError.invalid("deliver_at", "an RFC 3339 time like 2030-01-31T18:30:00Z")
            }
            return .deliverAt(time)
        case (nil, nil):
            throw APIError(.validationFailed, "send offset or deliver_at; one is required")
        case (_?, _?):
            throw APIError(.validationFailed, "send either offset or deliver_at, not both")
        }
    }

    private static func expiresAfter(_ body: JSONValue) throws -> TimeInterval? {
        guard let value = try body.optionalObject("options")?.optional("expire_after") else { return nil }
        guard let seconds = value.integer, (0...longest).contains(seconds) else {
            throw APIError.invalid("options.expire_after", "a whole number of seconds from 0 to \(longest)")
        }
        return .seconds(Int(seconds))
    }

    /// The due time.
    private func deliverAt(_ now: WallTime) -> WallTime {
        switch time {
        case .offset(let interval): now + interval
        case .deliverAt(let time): time
        }
    }

    /// Refuses a start or update that is stale when its time comes. An end is sent whenever its turn comes.
    func requireFresh(now: WallTime) throws {
        if kind != .end { try options.requireFresh(at: deliverAt(now)) }
    }

    /// - Parameter id: also that of the broadcast that comes of it.
    func schedule(of activity: Activity, _ payload: Payload, id: UniqueID, now: WallTime) -> Schedule {
        var schedule = Schedule(
            id, activityID: activity.id, tenantID: tenantID, kind: kind, payload: payload,
            priority: options.priority ?? priority, deliverAt: deliverAt(now), createdAt: now)
        schedule.name = name
        schedule.owner = owner
        schedule.targets = targets
        schedule.expiration = options.expiration
        schedule.isForced = options.force
        schedule.skipsUnchanged = options.skipsUnchanged
        schedule.expiresAfter = expiresAfter
        return schedule
    }
}
