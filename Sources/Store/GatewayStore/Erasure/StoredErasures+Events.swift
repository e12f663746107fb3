import LiveActivity
import RedisClient
import TimeCore

// Events that name a user: in the tenant's streams, and in the queues of its webhooks.
extension StoredErasures {
    /// The target size of one script's read: about a millisecond of Redis's time.
    private static let bytesAtOnce = 500_000
    /// The entries that one script reads. A stream's entry has up to 20 kB.
    private static let entriesAtOnce = 16...128
    /// The most scripts for a stream. A stream has up to a million entries, which 62,500 scripts read.
    private static let mostReads = 100_000
    private static let deliveriesAtOnce = 200

    /// Drops the events that name the user alone. An event that also names others is appended again without the user,
    /// under its id, because a stream's entry cannot be changed.
    ///
    /// A gateway reads a tenant's events for one erasure at a time, and pauses for as long as its scripts take. So a
    /// tenant's erasures use at most half of Redis's time.
    /// - Parameter isClosing: Pass true for the closing check. A search is skipped if another gateway has completed
    ///   this step while the caller waited.
    /// - Returns: The number of events that named the user.
    func forgetEvents(_ erasure: Erasure, isClosing: Bool = false) async throws(StoreError) -> Int {
        await searches.acquire(erasure.tenantID)
        defer { searches.release(erasure.tenantID) }
        guard let aside = try await setAside(erasure), aside.isClosing == isClosing else { return 0 }
        var count = try await forgetDeliveries(erasure)
        for stream in Keys.eventStreams(erasure.tenantID) { count += try await forgetEntries(erasure, stream) }
        return count
    }

    private func forgetEntries(_ erasure: Erasure, _ stream: String) async throws(StoreError) -> Int {
        var (count, after) = (0, "0-0")
        var most = StoredErasures.entriesAtOnce.lowerBound
        var pace = SearchPace()
        // The search also reaches events that are added in the meantime, and its own replacements.
        for _ in 0..<StoredErasures.mostReads {
            let read = Scripts.findEventsOfUser(
                eventStream: stream, after: after, count: most, text: NamedEvent.text(erasure))
            let found = try await pace.paused { () async throws(StoreError) in try await run(read) }
            guard found.count > 0 else { break }
            for (place, fields) in zip(found.places, found.events) {
                var values: [String: [UInt8]] = [:]
                for (name, value) in fields { values[String(decoding: name, as: UTF8.self)] = value }
                guard let event = NamedEvent(values["data"] ?? [], erasure) else { continue }
                let isReplaced = try await run(
                    Scripts.replaceEvent(
                        stream: stream, eventStream: Keys.eventStream(erasure.tenantID), entry: place,
                        id: values["id"] ?? [], type: values["type"] ?? [], time: values["timestamp"] ?? [],
                        data: event.rest ?? []))
                count += isReplaced ? 1 : 0
            }
            after = found.last
            let fitting = StoredErasures.bytesAtOnce * found.count / max(1, found.size)
            let range = StoredErasures.entriesAtOnce
            most = min(max(fitting, range.lowerBound), range.upperBound)
        }
        return count
    }

    private func forgetDeliveries(_ erasure: Erasure) async throws(StoreError) -> Int {
        let tenantID = erasure.tenantID
        let names = try await value(RedisCommand("HKEYS", Keys.eventSettings(tenantID))).array ?? []
        var seen: Set<String> = []
        for name in names.compactMap(\.string) where name.hasPrefix("w:") || name.hasPrefix("x:") {
            let webhook = Keys.webhook(tenantID, String(name.dropFirst(2)))
            for list in ["\(webhook):q", "\(webhook):d"] {
                try await forgetDeliveries(erasure, webhook, list, &seen)
            }
        }
        return seen.count
    }

    private func forgetDeliveries(
        _ erasure: Erasure, _ webhook: String, _ list: String, _ seen: inout Set<String>
    ) async throws(StoreError) {
        let prefix = Keys.eventPrefix(erasure.tenantID)
        var first = 0
        var pace = SearchPace()
        while true {
            let last = first + StoredErasures.deliveriesAtOnce - 1
            let read = Scripts.findDeliveriesOfUser(
                list: list, eventPrefix: prefix, first: first, last: last, text: NamedEvent.text(erasure))
            let reply = try await pace.paused { () async throws(StoreError) in try await run(read) }
            guard reply.count > 0 else { return }
            var dropped = 0
            for (id, data) in reply.found {
                guard let event = NamedEvent(data, erasure) else { continue }
                seen.insert(String(decoding: id, as: UTF8.self))
                let isDone = try await run(
                    Scripts.forgetDelivery(
                        webhook: webhook, eventPrefix: prefix, id: id, data: event.rest ?? [],
                        remembered: Int(EventLimits.remembered.millisecondsRoundedUp)))
                if isDone, event.rest == nil { dropped += 1 }
            }
            first += reply.count - dropped
        }
    }
}

/// Pauses a search for as long as its scripts take.
private struct SearchPace {
    /// The script time after which the search pauses. Timers are too coarse for shorter pauses.
    private static let burst = TimeInterval.milliseconds(5).nanoseconds
    private var busy: UInt64 = 0

    /// Runs a script after the pause that is due.
    mutating func paused<Reply>(
        _ script: () async throws(StoreError) -> Reply
    ) async throws(StoreError) -> Reply {
        if busy >= SearchPace.burst {
            try? await Task.sleep(for: .nanoseconds(busy))
            busy = 0
        }
        let began = MonotonicTime.now()
        let reply = try await script()
        busy += (MonotonicTime.now() - began).nanoseconds
        return reply
    }
}

/// The `data` of an event that names a user.
struct NamedEvent {
    /// The data without the user; nil when the event names no other user.
    let rest: [UInt8]?

    /// The member of every event that names the user.
    static func text(_ erasure: Erasure) -> [UInt8] {
        Array(JSONWriter.object { $0.field("insider_id", erasure.insiderID) }.dropFirst().dropLast())
    }

    /// Returns nil for an event that does not name the user.
    init?(_ data: [UInt8], _ erasure: Erasure) {
        guard let root = try? JSONDocument(parsing: data).root else { return nil }
        func isErased(_ value: JSONValue) -> Bool {
            let name = (try? value.member("insider_id"))??.string
            return name?.utf8.elementsEqual(erasure.insiderID.utf8) == true
        }
        if isErased(root) {
            rest = nil
            return
        }
        guard let devices = try? root.member("devices") else { return nil }
        let others = devices.elements.filter { !isErased($0) }
        guard others.count < devices.elementCount else { return nil }
        guard !others.isEmpty else {
            rest = nil
            return
        }
        rest = JSONWriter.object { writer in
            for name in root.memberNames {
                guard let value = try? root.member(name) else { continue }
                guard name == "devices" else {
                    writer.raw(name, value.slice)
                    continue
                }
                writer.array(name) { array in
                    for other in others { array.raw(other.slice) }
                }
            }
        }
    }
}
