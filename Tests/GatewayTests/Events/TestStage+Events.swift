import Foundation
import GatewayStore
import LiveActivity
import Testing
import TimeCore

/// An event as read from the stream.
struct SeenEvent {
    let id: String
    let type: String
    let timestamp: String
    let data: JSONValue

    init?(_ value: JSONValue) {
        guard let id = try? value.member("id")?.string, let type = try? value.member("type")?.string,
            let timestamp = try? value.member("timestamp")?.string, let data = try? value.member("data")
        else { return nil }
        self.id = id
        self.type = type
        self.timestamp = timestamp
        self.data = data
    }

    func text(_ name: String) -> String? { data.text(name) }

    func number(_ name: String) -> Int? { (try? data.member(name)).flatMap { $0 }?.int64.map { Int($0) } }

    var devices: [DeviceKey] {
        guard let list = (try? data.member("devices")).flatMap({ $0 }) else { return [] }
        return list.elements.compactMap { device in
            guard let insiderID = try? device.member("insider_id")?.string,
                let udid = try? device.member("udid")?.string
            else { return nil }
            return DeviceKey(insiderID: insiderID, udid: udid)
        }
    }
}

extension TestStage {
    func switchStreamOn() async throws {
        let answer = try await customer("PUT", "events/settings", #"{"stream":true}"#)
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// Returns the whole stream.
    func events(key: String? = nil) async throws -> [SeenEvent] {
        var (events, cursor): ([SeenEvent], String?) = ([], nil)
        while true {
            let query = cursor.map { "&after=\($0)" } ?? ""
            let answer = try await customer("GET", "events?limit=100\(query)", key: key)
            try #require(answer.status == 200, "\(answer.text)")
            let page = answer.elements("events").compactMap { SeenEvent($0) }
            if page.isEmpty { return events }
            events += page
            cursor = answer["cursor"]?.string
        }
    }

    /// Returns the stream once `condition` holds for it.
    func events(
        until condition: ([SeenEvent]) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [SeenEvent] {
        let end = MonotonicTime.now() + .seconds(90)
        while true {
            let events = try await events()
            if condition(events) { return events }
            let types = events.map(\.type).joined(separator: ", ")
            try #require(MonotonicTime.now() < end, "it never came: \(types)", sourceLocation: sourceLocation)
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

extension [SeenEvent] {
    func of(_ type: String) -> [SeenEvent] { filter { $0.type == type } }

    /// The sum of the events' device counts.
    var deviceCount: Int { reduce(0) { $0 + ($1.number("count") ?? 0) } }

    func hasFinished(_ broadcast: String?) -> Bool {
        of("broadcast.finished").contains { $0.text("broadcast_id") == broadcast }
    }
}
