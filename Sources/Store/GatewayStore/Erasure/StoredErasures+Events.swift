import LiveActivity
import RedisClient
import TimeCore

// Events that name a user: in the tenant's stream, and those that webhooks wait for or have been given up on.
extension StoredErasures {
    private static let entriesAtOnce = 100
    /// More than any stream has entries.
    private static let mostLooks = 10_000
    private static let deliveriesAtOnce = 200

    /// Drops the events that name the user alone. Of one that names others as well the rest stays: in the stream behind
    /// all others and under its id, for what is in a stream cannot be changed.
    /// - Returns: how many named the user.
    func forgetEvents(_ erasure: Erasure) async throws(StoreError) -> Int {
        var count = try await forgetDeliveries(erasure)
        for stream in Keys.eventStreams(erasure.tenantID) { count += try await forgetEntries(erasure, stream) }
        return count
    }

    private func forgetEntries(_ erasure: Erasure, _ stream: String) async throws(StoreError) -> Int {
        var (count, after) = (0, "0-0")
        // What comes meanwhile is of a user who has come back, or was under way; and what was put at the end is seen
        // again.
        for _ in 0..<StoredErasures.mostLooks {
            let reply = try await run(
                Scripts.findEventsOfUser, [stream], [after, StoredErasures.entriesAtOnce, NamedEvent.text(erasure)])
            guard let parts = reply.array, let seen = parts.first?.string, !seen.isEmpty else { break }
            for part in parts.dropFirst() {
                guard let entry = part.array, entry.count == 2, let place = entry[0].string else { continue }
                var values: [String: [UInt8]] = [:]
                for (name, value) in entry[1].fields { values[String(decoding: name, as: UTF8.self)] = value }
                guard let event = NamedEvent(values["data"] ?? [], erasure) else { continue }
                let done = try await run(
                    Scripts.replaceEvent, [stream, Keys.eventStream(erasure.tenantID)],
                    [
                        place, values["id"] ?? [], values["type"] ?? [], values["timestamp"] ?? [], event.rest ?? [],
                    ])
                count += done.int == 1 ? 1 : 0
            }
            after = seen
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
        while true {
            let reply = try await run(
                Scripts.findDeliveriesOfUser, [list],
                [prefix, first, first + StoredErasures.deliveriesAtOnce - 1, NamedEvent.text(erasure)])
            guard let parts = reply.array, let looked = parts.first?.int, looked > 0 else { return }
            var dropped = 0
            for index in stride(from: 1, to: parts.count - 1, by: 2) {
                guard let id = parts[index].string, let event = NamedEvent(parts[index + 1].bytes ?? [], erasure)
                else { continue }
                seen.insert(id)
                let done = try await run(
                    Scripts.forgetDelivery, [webhook],
                    [prefix, id, event.rest ?? [], Int(EventLimits.remembered.millisecondsRoundedUp)])
                if done.int == 1, event.rest == nil { dropped += 1 }
            }
            first += Int(looked) - dropped
        }
    }
}

/// The `data` of an event that names a user.
struct NamedEvent {
    /// The same without the user; nil when nothing is left.
    let rest: [UInt8]?

    /// As every event spells it that names the user.
    static func text(_ erasure: Erasure) -> [UInt8] {
        Array(JSONWriter.object { $0.field("insider_id", erasure.insiderID) }.dropFirst().dropLast())
    }

    /// Nil when it does not name the user.
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
