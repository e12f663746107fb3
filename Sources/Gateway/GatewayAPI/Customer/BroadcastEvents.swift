import Encodings
import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import NIOCore
import Secrets
import TimeCore

/// The progress of a broadcast as server-sent events (WHATWG HTML, section 9.2). The first event is immediate. Changes
/// of the counts follow, at most ten a second, and the end comes last. A client that reconnects after the end gets 204,
/// which stops a browser's attempts.
struct BroadcastEvents: Sendable {
    let api: CustomerAPI
    private let open: SharedResource

    /// The pause between polls of the store, and the one for large broadcasts, whose polls are expensive.
    private static let period = Duration.milliseconds(100)
    private static let largePeriod = Duration.seconds(1)
    private static let largeTotal = 1_000_000
    /// The time without an event after which a comment is sent, so that proxies keep the connection open.
    private static let silence = TimeInterval.seconds(15)
    /// The longest life of a stream. The client then reconnects.
    private static let longest = TimeInterval.seconds(3600)
    /// The longest life of a stream at the console, so that it ends soon after the session.
    private static let longestAtConsole = TimeInterval.seconds(20)

    /// The time before a client reconnects, in milliseconds.
    private static let retry = 1000
    /// The id of the last event.
    private static let endID = "end"

    /// Returns the id of an event. A client that reconnects sends the last one as `Last-Event-ID`.
    private static func id(of record: BroadcastRecord, _ body: [UInt8]) -> String {
        record.state.isFinal ? endID : Hexadecimal.encode(Array(Digest.sha256(body).prefix(8)))
    }

    init(api: CustomerAPI, shares: GatewayShares) {
        self.api = api
        open = shares.eventStreams
    }

    func events(_ request: CustomerRequest) async throws -> Response {
        let record = try await api.readableBroadcast(request)
        let seen = request.http.headers[.lastEventID]
        // 204 stops the attempts of a browser's EventSource.
        if record.state.isFinal, seen == BroadcastEvents.endID { return Response(status: .noContent) }
        guard let place = open.place(for: request.claimant) else {
            throw APIError(.overloaded, "too many event streams are open; try again later", retryAfter: 1)
        }
        var headers = HTTPFields()
        headers[.contentType] = "text/event-stream"
        headers[.cacheControl] = "no-store"
        let body = ResponseBody { writer in
            defer { withExtendedLifetime(place) {} }
            let isAtConsole = request.context.signedIn != nil
            var reply = LongReply(request.context.channel, request.context.connection)
            try await write(
                record, seen, to: &writer, of: &reply,
                for: isAtConsole ? BroadcastEvents.longestAtConsole : BroadcastEvents.longest)
            try await reply.finish(writer)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    private func write(
        _ first: BroadcastRecord, _ seen: String?, to writer: inout any ResponseBodyWriter, of reply: inout LongReply,
        for longest: TimeInterval
    ) async throws {
        let begin = MonotonicTime.now()
        var record = first
        var lastBody: [UInt8] = []
        var lastWritten = begin
        while true {
            let now = MonotonicTime.now()
            let body = CustomerAPI.status(record).body
            let id = BroadcastEvents.id(of: record, body)
            if lastBody.isEmpty, id == seen {
                // The client received it before it lost the connection.
                lastBody = body
            } else if body != lastBody {
                let name = record.state.isFinal ? "end" : "progress"
                let retry = lastBody.isEmpty ? "retry: \(BroadcastEvents.retry)\n" : ""
                let head = "\(retry)id: \(id)\nevent: \(name)\ndata: "
                try await reply.write(ByteBuffer(bytes: Array(head.utf8) + body + [10, 10]), to: &writer)
                (lastBody, lastWritten) = (body, now)
            } else if reply.asksWhetherReads() || now - lastWritten >= BroadcastEvents.silence {
                try await reply.write(ByteBuffer(string: ":\n\n"), to: &writer)
                lastWritten = now
            }
            if record.state.isFinal || api.isStopping() || now - begin >= longest { return }
            let isLarge = record.counts.total > BroadcastEvents.largeTotal
            try await Task.sleep(for: isLarge ? BroadcastEvents.largePeriod : BroadcastEvents.period)
            if reply.isOver { return }
            // While the store is unavailable, the last known record remains.
            if let newer = try? await api.store.broadcasts.broadcast(record.id, in: record.activityID) {
                record = newer
            }
        }
    }
}
