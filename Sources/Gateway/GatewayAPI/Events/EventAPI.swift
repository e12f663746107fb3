import EventCore
import GatewayStore
import Hummingbird
import LiveActivity

/// A tenant's events: the stream by HTTP, and its settings.
struct EventAPI: Sendable {
    let store: any EventStore

    /// A page of the stream.
    func events(_ request: CustomerRequest) async throws -> Reply {
        let query = try EventQuery(request.query)
        let page = try await store.events(
            of: request.tenantID, after: query.after, types: query.types, limit: query.limit)
        return .success { writer in
            writer.array("events") { array in
                for event in page.events { array.raw(event.body) }
            }
            writer.field("cursor", page.cursor.text)
        }
    }

    /// The settings of the stream.
    func settings(_ request: CustomerRequest) async throws -> Reply {
        let stream = try await store.eventStream(request.tenantID)
        let recordsAudit = try await store.recordsAudit(request.tenantID)
        return .success {
            $0.field("stream", stream.isOn)
            $0.field("stream_length", stream.length)
            $0.field("audit", recordsAudit)
        }
    }

    /// Enables or disables the stream and the events about changes.
    func changeSettings(_ request: CustomerRequest, _ body: JSONValue) async throws -> Reply {
        let audit = try body.optionalBool("audit")
        guard let isOn = try body.optionalBool("stream") else {
            guard let audit else { throw APIError.invalid("stream", "true or false") }
            try await store.setAudit(request.tenantID, isOn: audit)
            return try await settings(request)
        }
        try await store.setEventStream(request.tenantID, isOn: isOn)
        if let audit { try await store.setAudit(request.tenantID, isOn: audit) }
        return try await settings(request)
    }
}

/// The query of `GET /api/v1/events`.
struct EventQuery {
    let after: EventCursor
    let types: [EventType]?
    let limit: Int

    static let defaultLimit = 100

    init(_ parameters: Parameters) throws {
        after =
            try parameters.get("after").map { text in
                guard let cursor = EventCursor(text) else {
                    throw APIError.invalid("after", "the cursor of an earlier reply")
                }
                return cursor
            } ?? .beginning
        types = try parameters.get("types").map { text in
            try text.split(separator: ",", omittingEmptySubsequences: false).map {
                try EventType(named: String($0))
            }
        }
        limit =
            try parameters.get("limit").map { text in
                guard let limit = Int(text), (1...StoredEvents.longestEventPage).contains(limit) else {
                    throw APIError.invalid("limit", "a number from 1 to \(StoredEvents.longestEventPage)")
                }
                return limit
            } ?? EventQuery.defaultLimit
    }
}

extension EventType {
    /// Throws `VALIDATION_FAILED` for an unknown type, or one that cannot be subscribed to.
    init(named name: String) throws {
        guard let type = EventType(rawValue: name), EventType.subscribable.contains(type) else {
            let names = EventType.subscribable.map(\.rawValue).joined(separator: ", ")
            throw APIError.invalid("types", "of \(names)")
        }
        self = type
    }
}
