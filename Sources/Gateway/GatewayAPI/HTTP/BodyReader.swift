import HTTPTypes
import Hummingbird
import LiveActivity
import NIOCore
import TimeCore

/// Reads a request's body as one JSON object, within limits of size and time.
struct BodyReader: Sendable {
    private let settings: APISettings
    private let memory: SharedResource
    /// The time from the head of the request to the end of its body.
    let deadline: TimeInterval

    init(_ settings: APISettings, _ shares: GatewayShares) {
        self.settings = settings
        memory = shares.bodies
        deadline = settings.bodyDeadline
    }

    /// Reads a JSON object. The claimant owns its memory until the request is answered.
    /// - Parameter limit: The maximum number of bytes, if lower than usual.
    func read(
        _ request: Request, _ context: GatewayContext, for claimant: Claimant, atMost limit: Int = .max
    ) async throws -> JSONDocument {
        let bytes = try await bytes(request, context, for: claimant, atMost: limit)
        return try BodyReader.document(bytes, contentType: request.headers[.contentType])
    }

    /// Reads a body's bytes. The claimant owns their memory until the request is answered.
    func bytes(
        _ request: Request, _ context: GatewayContext, for claimant: Claimant, atMost limit: Int = .max
    ) async throws -> [UInt8] {
        try ContentCoding.check(request.headers)
        return try await collect(request, context, claimant, limit)
    }

    /// Parses the device of a complete body. A signature covers insider_id and udid, so it can be checked before the
    /// other members are read. This needs one pass over the bytes, and memory for two members.
    static func device(_ bytes: [UInt8], contentType: String?) throws -> DeviceKey {
        try document(bytes, contentType: contentType, members: ["insider_id", "udid"]).root.deviceKey()
    }

    /// Parses a complete body as a JSON object.
    /// - Parameter members: The members that are read; nil for all.
    static func document(
        _ bytes: [UInt8], contentType: String?, members: [String]? = nil
    ) throws -> JSONDocument {
        guard BodyReader.isJSON(contentType) else {
            throw APIError(.requestInvalid, "send a JSON object with Content-Type: application/json")
        }
        guard !bytes.isEmpty else { throw APIError(.requestInvalid, "the body is empty; send a JSON object") }
        let document: JSONDocument
        do {
            document =
                if let members {
                    try JSONDocument(parsing: bytes, members: members)
                } else {
                    try JSONDocument(parsing: bytes)
                }
        } catch {
            throw APIError(error)
        }
        guard document.root.kind == .object else {
            throw APIError(
                .badRequest,
                "the body must be a JSON object; found another value at byte \(document.root.byteRange.lowerBound)")
        }
        guard !document.root.isEmptyObject else {
            throw APIError(.requestInvalid, "the JSON object is empty; send the required fields")
        }
        return document
    }

    private func collect(
        _ request: Request, _ context: GatewayContext, _ claimant: Claimant, _ limit: Int
    ) async throws -> [UInt8] {
        let most = min(limit, claimant.isDevices ? settings.maximumReportBytes : settings.maximumBodyBytes)
        // Refused before its body is requested or read.
        if let announced = request.headers[.contentLength].flatMap(ContentLength.bytes), announced > most {
            throw tooLarge(most, context)
        }
        context.askForBody(request)
        let share = Share(of: memory, for: claimant)
        context.metadata.holds(share)
        // A complete body needs no timeout.
        if context.knowsWholeBody { return try await whole(request, context, share, most) }
        let bytes = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            group.addTask { try await whole(request, context, share, most) }
            group.addTask {
                try await Task.sleep(for: deadline.duration)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let bytes else {
            context.closeSoon()
            throw APIError.tooSlow
        }
        return bytes
    }

    private func whole(
        _ request: Request, _ context: GatewayContext, _ share: Share, _ most: Int
    ) async throws -> [UInt8] {
        let announced = request.headers[.contentLength].flatMap(ContentLength.bytes)
        let body = BodyMemory(announced: announced, most: most, share: share)
        do {
            for try await piece in request.body {
                guard body.count + piece.readableBytes <= body.capacity else { throw tooLarge(most, context) }
                guard body.append(piece) else {
                    context.closeSoon()
                    throw APIError.tooMuchInMemory
                }
            }
        } catch let error as APIError {
            throw error
        } catch {
            context.closeSoon()
            throw context.brokenOff
        }
        return body.take()
    }

    private func tooLarge(_ most: Int, _ context: GatewayContext) -> APIError {
        context.closeSoon()
        return APIError.tooLarge(most)
    }

    /// True for `application/json`, with any parameters.
    private static func isJSON(_ contentType: String?) -> Bool {
        if contentType == "application/json" { return true }
        guard let type = contentType?.split(separator: ";", maxSplits: 1).first else { return false }
        return type.lowercased().filter { $0 != " " && $0 != "\t" } == "application/json"
    }
}

extension APIError {
    static func tooLarge(_ maximumBytes: Int) -> APIError {
        APIError(.requestTooLarge, "the body is larger than the maximum of \(maximumBytes) bytes")
    }

    static var tooSlow: APIError { APIError(.requestTimeout, "the body did not arrive in time; send it again") }

    static var tooMuchInMemory: APIError {
        APIError(.overloaded, "too many request bodies are in memory; send the request again", retryAfter: 1)
    }

    static var brokenOff: APIError { APIError(.badRequest, "the body ended before it was complete") }
}
