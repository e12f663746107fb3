import LiveActivity

/// Decodes pushes as strictly as ActivityKit and a Codable app. A push with a missing member or a member of a wrong
/// type is dropped.
package struct PushDecoder: Sendable {
    private let apps: [AppType]

    package init(_ apps: [AppType]) { self.apps = apps }

    /// Decodes the payload of a push through APNs.
    package func decode(apns payload: [UInt8]) throws(UndecodablePush) -> PushMessage {
        guard let aps = try? Self.object(payload).member("aps"),
            let members = try? aps.members([
                "event", "timestamp", "attributes-type", "attributes", "content-state", "input-push-channel",
            ])
        else { throw UndecodablePush(description: "the payload has no aps") }
        return try message(
            event: members[0]?.string, timestamp: members[1]?.int64, type: members[2]?.string, attributes: members[3],
            state: members[4], channel: members[5]?.string, name: nil)
    }

    /// Decodes the body of a message through FCM, whose `data` contains only texts.
    package func decode(fcm body: [UInt8]) throws(UndecodablePush) -> PushMessage {
        guard let data = try? Self.object(body).member("message")?.member("data"),
            let members = try? data.members([
                "live_activity_event", "live_activity_timestamp", "live_activity_type", "attributes", "content_state",
                "live_activity_id",
            ])
        else { throw UndecodablePush(description: "the message has no data") }
        let texts = members.map { $0?.string }
        guard let name = texts[5] else { throw UndecodablePush(description: "live_activity_id is missing") }
        return try message(
            event: texts[0], timestamp: texts[1].flatMap { Int64($0) }, type: texts[2],
            attributes: texts[3].flatMap { try? Self.object(Array($0.utf8)) },
            state: texts[4].flatMap { try? Self.object(Array($0.utf8)) }, channel: nil, name: name)
    }

    private static func object(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONDocument(parsing: bytes, maximumDepth: 128).root
    }

    private func message(
        event: String?, timestamp: Int64?, type: String?, attributes: JSONValue?, state: JSONValue?, channel: String?,
        name: String?
    ) throws(UndecodablePush) -> PushMessage {
        guard let event = event.flatMap({ PushMessage.Event(rawValue: $0) }) else {
            throw UndecodablePush(description: "the event is \(event ?? "missing")")
        }
        guard let timestamp else {
            throw UndecodablePush(description: "\(event.rawValue): the timestamp is no integer")
        }
        var app: Int?
        if event == .start {
            app = apps.firstIndex { $0.name == type }
            guard let app else { throw UndecodablePush(description: "start: no app has the type \(type ?? "missing")") }
            if let reason = apps[app].mismatch(attributes: attributes) ?? apps[app].mismatch(state: state) {
                throw UndecodablePush(description: "start: \(reason)")
            }
        }
        let keepsContent = event == .end && state == nil
        return PushMessage(
            event: event, timestamp: timestamp, app: app, attributes: attributes.map { Array($0.slice) } ?? [],
            state: state.map { Array($0.slice) },
            mismatches: apps.map { keepsContent ? nil : $0.mismatch(state: state) }, channel: channel, name: name)
    }
}
