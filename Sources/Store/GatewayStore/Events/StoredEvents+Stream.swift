public import EventCore
import LiveActivity
import RedisClient
import TimeCore

extension StoredEvents {
    /// Records events of a tenant that has any receiver. Skips events that were recorded before. Returns the number of
    /// new ones.
    /// - Parameter webhook: The only webhook to publish to; nil for all of them and the stream.
    @discardableResult
    public func publish(
        _ events: [RecordedEvent], from source: EventSource = .customer, tenantID: String,
        onlyTo webhook: String? = nil
    ) async throws(StoreError) -> Int {
        guard !events.isEmpty else { return 0 }
        // Dead letters are kept for this long after a day of attempts.
        let kept = context.rules.events.deadLetterLifetime.millisecondsRoundedUp + 2 * 86_400_000
        let call = Scripts.publishEvents(
            settings: Keys.eventSettings(tenantID), eventStream: Keys.eventStream(tenantID),
            deviceStream: Keys.deviceEventStream(tenantID), eventPrefix: Keys.eventPrefix(tenantID),
            webhookPrefix: Keys.webhookPrefix(tenantID), length: context.rules.events.streamLength,
            mostWaiting: context.rules.events.pending, mostDeadLetters: context.rules.events.deadLetters,
            remembered: Int(EventLimits.remembered.millisecondsRoundedUp), kept: Int(kept),
            now: wallClock().milliseconds, only: webhook ?? "", source: source.rawValue,
            events: events.flatMap { event -> [any RedisArgumentConvertible] in
                [event.id, event.type.rawValue, event.time.milliseconds, event.data]
            })
        let count = try await run(call.replicated(within: StoreContext.replication))
        if count > 0 { context.webhookNews.announce(context.webhookNews.place(of: tenantID)) }
        return count
    }

    /// True if events are recorded for a tenant.
    public func recordsEvents(_ tenantID: String) async throws(StoreError) -> Bool {
        try await value(StoredEvents.eventSwitch(tenantID)).string == "1"
    }

    static func eventSwitch(_ tenantID: String) -> RedisCommand {
        RedisCommand("HGET", Keys.eventSettings(tenantID), "on")
    }

    /// Switches the tenant's stream on or off. Its entries stay.
    public func setEventStream(_ tenantID: String, isOn: Bool) async throws(StoreError) {
        _ = try await run(
            Scripts.switchStream(
                settings: Keys.eventSettings(tenantID), eventStream: Keys.eventStream(tenantID), on: isOn ? "1" : "0"))
        if isOn { await EventSwitches.settle() }
    }

    /// The switch of the tenant's stream, and its number of entries.
    public func eventStream(_ tenantID: String) async throws(StoreError) -> (isOn: Bool, length: Int) {
        let replies = try await values(
            [RedisCommand("HGET", Keys.eventSettings(tenantID), "stream")]
                + Keys.eventStreams(tenantID).map { RedisCommand("XLEN", $0) })
        return (replies[0].string == "1", Int(replies.dropFirst().reduce(0) { $0 + ($1.int ?? 0) }))
    }
}

/// A page of a tenant's stream.
public struct EventPage: Equatable, Sendable {
    /// The events in the order of their records.
    public internal(set) var events: [RecordedEvent] = []
    /// The place from which to read the next page, valid even before there are more events.
    public internal(set) var cursor: EventCursor
}

/// A place in a tenant's stream.
public struct EventCursor: Equatable, Sendable {
    /// The entry's id in the form of Redis.
    public let text: String

    /// Before the first entry.
    public static let beginning = EventCursor(entry: "0-0")

    init(entry: String) {
        text = entry
    }

    /// Parses a place. Returns nil if it is malformed, or if no event can follow it, which Redis refuses.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.first == UInt8(ascii: "+") ? nil : UInt64($0) }
        guard parts.count == 2, numbers.count == 2, numbers != [.max, .max] else { return nil }
        // Normalized, because Redis refuses numbers with many leading zeros.
        self.text = "\(numbers[0])-\(numbers[1])"
    }
}

extension StoredEvents {
    /// The most events in one page.
    public static let longestEventPage = 500
    /// The limits at which a page ends: the bytes of all events that it reads, and its number of entries.
    private static let bytesOfEventPage = 4 << 20
    private static let entriesSearched = 2000
    private static let entriesAtOnce = 100

    /// Returns the events of both streams after a place, oldest first.
    /// - Parameter types: The types to return; nil for all.
    public func events(
        of tenantID: String, after cursor: EventCursor, types: [EventType]? = nil, limit: Int
    ) async throws(StoreError) -> EventPage {
        var page = EventPage(cursor: cursor)
        var (bytes, searched) = (0, 0)
        let limit = min(max(1, limit), StoredEvents.longestEventPage)
        while searched < StoredEvents.entriesSearched {
            let entries = try await run(
                Scripts.readEvents(
                    eventStream: Keys.eventStream(tenantID), deviceStream: Keys.deviceEventStream(tenantID),
                    after: page.cursor.text, count: StoredEvents.entriesAtOnce))
            for entry in entries {
                if page.events.count == limit || bytes >= StoredEvents.bytesOfEventPage { return page }
                page.cursor = EventCursor(entry: entry.entry)
                guard let event = RecordedEvent(entry.event) else { continue }
                bytes += event.data.count
                if types?.contains(event.type) ?? true { page.events.append(event) }
            }
            searched += entries.count
            if entries.count < StoredEvents.entriesAtOnce { break }
        }
        return page
    }
}

extension RecordedEvent {
    /// Parses an entry of the stream. Returns nil for an unknown type.
    init?(_ fields: [RedisField]) {
        var values: [String: [UInt8]] = [:]
        for (name, value) in fields { values[String(decoding: name, as: UTF8.self)] = value }
        func text(_ name: String) -> String? { values[name].map { String(decoding: $0, as: UTF8.self) } }
        guard let id = text("id"), let type = text("type").flatMap(EventType.init),
            let time = text("timestamp").flatMap({ Int64($0) }), let data = values["data"]
        else { return nil }
        self.init(id: id, type: type, time: WallTime(milliseconds: time), data: data)
    }
}
